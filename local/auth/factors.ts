// /factors: second factors (TOTP). A session is aal2 from the first code on, until its factor is removed.
import { renderSVG } from "uqr";
import { z } from "zod";
import type { Call } from "./context.ts";
import { AuthError, invalid } from "./errors.ts";
import { parseBody, readCaller, UUID } from "./requests.ts";
import { raiseSession } from "./sessions.ts";
import { isCode, newSecret } from "./totp.ts";
import type { FactorRow, Queries } from "./users.ts";

type Json = Record<string, unknown>;

const EnrollBody = z.object({
  factor_type: z.string().default(""),
  friendly_name: z.string().default(""),
  issuer: z.string().default(""),
});
const VerifyBody = z.object({ challenge_id: z.string().default(""), code: z.string().default("") });

/** A challenge, and a factor that was never verified, are valid for this time. */
const VALID_SECONDS = 300;

/** A request to /factors, to /factors/<id> or to /factors/<id>/<action>. */
export async function handleFactors(call: Call, id: string, action: string): Promise<Json> {
  const { context: { sql: database }, request: { method }, authorization } = call;
  const caller = await readCaller(call.context, authorization);
  if (caller.sessionId === undefined) throw invalid("A valid session is required to manage factors");
  return await database.begin(async (sql) => {
    // Requests of one user run one after another.
    await sql`select from auth.users where id = ${caller.user.id} for update`;
    if (id === "" && method === "POST") return await enroll(sql, call, caller.user, caller.aal);
    const factor = await findFactor(sql, caller.user.id, id);
    switch (`${method} ${action}`) {
      case "POST challenge":
        return await challenge(sql, factor, call.client.address);
      case "POST verify":
        return await verify(sql, factor, call, caller.sessionId!);
      case "DELETE ":
        if (factor.status === "verified" && caller.aal !== "aal2") {
          throw new AuthError(422, "insufficient_aal", "AAL2 required to unenroll verified factor");
        }
        await removeFactor(sql, factor);
        return { id };
    }
    throw new AuthError(405, "validation_failed", `${method} is not allowed here`);
  });
}

async function enroll(
  sql: Queries,
  { context: { config }, body }: Call,
  { id: userId, email }: { readonly id: string; readonly email: string | null },
  aal: string,
): Promise<Json> {
  const { factor_type: type, friendly_name: name, issuer } = parseBody(body, EnrollBody);
  const other = { phone: "Phone", webauthn: "WebAuthn" }[type];
  if (other !== undefined) {
    throw new AuthError(422, `mfa_${type}_enroll_not_enabled`, `MFA enroll is disabled for ${other}`);
  }
  if (type !== "totp") throw invalid("factor_type needs to be totp, phone, or webauthn");
  await sql`
    delete from auth.mfa_factors
    where user_id = ${userId} and status = 'unverified' and created_at < now() - make_interval(secs => ${VALID_SECONDS})`;
  const factors = await sql<FactorRow[]>`select * from auth.mfa_factors where user_id = ${userId}`;
  if (factors.some((factor) => factor.friendly_name === name)) {
    const message = `A factor with the friendly name ${JSON.stringify(name)} for this user already exists`;
    throw new AuthError(422, "mfa_factor_name_conflict", message);
  }
  if (factors.length >= config.maxFactors) {
    const message = "Maximum number of verified factors reached, unenroll to continue";
    throw new AuthError(422, "too_many_enrolled_mfa_factors", message);
  }
  if (aal !== "aal2" && factors.some(({ status }) => status === "verified")) {
    throw new AuthError(403, "insufficient_aal", "AAL2 required to enroll a new factor");
  }
  const [id, secret] = [crypto.randomUUID(), newSecret()];
  await sql`
    insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret)
    values (${id}, ${userId}, ${name}, 'totp', 'unverified', ${secret})`;
  const uri = otpauthUri(issuer || new URL(config.siteUrl).host, email ?? "", secret);
  const totp = { qr_code: renderSVG(uri, { ecc: "M", border: 4, pixelSize: 4 }), secret, uri };
  return { id, type, ...(name === "" ? {} : { friendly_name: name }), totp };
}

/** What authenticator apps read from the picture. */
function otpauthUri(issuer: string, account: string, secret: string): string {
  const parameters = Object.entries({ algorithm: "SHA1", digits: 6, issuer, period: 30, secret })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?${parameters.join("&")}`;
}

async function challenge(sql: Queries, factor: FactorRow, address: string): Promise<Json> {
  await sql`
    delete from auth.mfa_challenges
    where factor_id = ${factor.id} and created_at < now() - make_interval(secs => ${VALID_SECONDS})`;
  await sql`update auth.mfa_factors set last_challenged_at = now() where id = ${factor.id}`;
  const id = crypto.randomUUID();
  await sql`insert into auth.mfa_challenges (id, factor_id, ip_address) values (${id}, ${factor.id}, ${address})`;
  return { id, type: factor.factor_type, expires_at: Math.floor(Date.now() / 1000) + VALID_SECONDS };
}

async function verify(sql: Queries, factor: FactorRow, call: Call, sessionId: string): Promise<Json> {
  const { challenge_id: id, code } = parseBody(call.body, VerifyBody);
  if (code === "") throw invalid("Code needs to be non-empty");
  if (!UUID.test(id)) throw invalid("challenge_id must be an UUID");
  const [found] = await sql<{ is_usable: boolean; is_expired: boolean }[]>`
    select verified_at is null and ip_address = ${call.client.address}::inet as is_usable,
      created_at < now() - make_interval(secs => ${VALID_SECONDS}) as is_expired
    from auth.mfa_challenges where id = ${id} and factor_id = ${factor.id}`;
  if (found === undefined) {
    throw new AuthError(422, "mfa_factor_not_found", "MFA factor with the provided challenge ID not found");
  }
  if (!found.is_usable) {
    throw new AuthError(422, "mfa_ip_address_mismatch", "Challenge and verify IP addresses mismatch.");
  }
  if (found.is_expired) {
    const message = `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`;
    throw new AuthError(422, "mfa_challenge_expired", message);
  }
  if (!isCode(factor.secret ?? "", code)) {
    throw new AuthError(422, "mfa_verification_failed", "Invalid TOTP code entered");
  }
  await sql`update auth.mfa_challenges set verified_at = now() where id = ${id}`;
  await sql`update auth.mfa_factors set status = 'verified', updated_at = now() where id = ${factor.id}`;
  await sql`delete from auth.mfa_factors where user_id = ${factor.user_id} and status = 'unverified'`;
  return await raiseSession(call.context, sql, factor.user_id, sessionId, factor.id);
}

/** A factor of this user. */
export async function findFactor(sql: Queries, userId: string, id: string): Promise<FactorRow> {
  if (!UUID.test(id)) throw new AuthError(404, "validation_failed", "factor_id must be an UUID");
  const [factor] = await sql<FactorRow[]>`select * from auth.mfa_factors where id = ${id} and user_id = ${userId}`;
  if (factor === undefined) throw new AuthError(404, "mfa_factor_not_found", "Factor not found");
  return factor;
}

/** Removes a factor. Sessions that it raised are aal1 again. */
export async function removeFactor(sql: Queries, { id }: FactorRow): Promise<void> {
  await sql`
    delete from auth.mfa_amr_claims c using auth.sessions s
    where s.id = c.session_id and s.factor_id = ${id} and c.authentication_method = 'totp'`;
  await sql`update auth.sessions set aal = 'aal1', factor_id = null where factor_id = ${id}`;
  await sql`delete from auth.mfa_factors where id = ${id}`;
}
