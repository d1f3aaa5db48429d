// PUT /user: changes that a signed-in user makes to the account.
import { z } from "zod";
import { hashOf, isExpired, sendEmailChange } from "./codes.ts";
import type { AuthContext, Call } from "./context.ts";
import { AuthError } from "./errors.ts";
import { checkPassword, hashPassword, isPassword } from "./passwords.ts";
import { openFlow } from "./pkce.ts";
import { Challenge, Metadata, readCaller, readEmail } from "./requests.ts";
import { endSessions } from "./sessions.ts";
import { merged, type Queries, readUserJson, rejectTakenEmail, type UserRow } from "./users.ts";

export const UserBody = Challenge.extend({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  nonce: z.string().nullish(),
  data: Metadata.nullish(),
});

/** Younger sessions change the password without a code. */
const FRESH_HOURS = 24;

export async function updateUser(
  body: z.output<typeof UserBody>,
  { context, authorization, redirect }: Call,
): Promise<Record<string, unknown>> {
  const { user: { id }, sessionId, aal } = await readCaller(context, authorization);
  const { sql: database, config } = context;
  if (body.phone) throw new AuthError(400, "phone_provider_disabled", "Unsupported phone provider");
  const email = body.email ? readEmail(body.email) : undefined;
  if (body.password) checkPassword(body.password, config);
  return await database.begin(async (sql) => {
    const [user] = await sql<UserRow[]>`select * from auth.users where id = ${id} for update`;
    if (user === undefined) throw new AuthError(404, "user_not_found", "User not found");
    if (aal !== "aal2" && (body.password || (email ?? user.email) !== user.email)) await rejectLowAssurance(sql, id);
    if (body.password) await changePassword(context, sql, user, sessionId, body.password, body.nonce ?? "");
    if (body.data) {
      const metadata = merged(user.raw_user_meta_data, body.data);
      await sql`
        update auth.users set raw_user_meta_data = ${sql.json(metadata as never)}, updated_at = now()
        where id = ${id}`;
    }
    if (email !== undefined && email !== user.email) {
      await rejectTakenEmail(sql, email);
      const isPkce = await openFlow(sql, id, "email_change", body);
      await sendEmailChange(context, sql, user, email, { isPkce, redirect });
    }
    return await readUserJson(sql, id);
  });
}

async function rejectLowAssurance(sql: Queries, id: string): Promise<void> {
  const [verified] = await sql`select from auth.mfa_factors where user_id = ${id} and status = 'verified'`;
  if (verified === undefined) return;
  const message = "AAL2 session is required to update email or password when MFA is enabled.";
  throw new AuthError(401, "insufficient_aal", message);
}

async function changePassword(
  context: AuthContext,
  sql: Queries,
  user: UserRow,
  sessionId: string | undefined,
  password: string,
  nonce: string,
): Promise<void> {
  if (context.config.securePasswordChange && !await isFresh(sql, sessionId)) checkNonce(context, user, nonce);
  if (await isPassword(sql, password, user.encrypted_password)) {
    throw new AuthError(422, "same_password", "New password should be different from the old password.");
  }
  await sql`
    update auth.users
    set encrypted_password = ${await hashPassword(sql, password)}, reauthentication_token = '', updated_at = now()
    where id = ${user.id}`;
  await endSessions(sql, user.id, sessionId, "others");
}

async function isFresh(sql: Queries, sessionId: string | undefined): Promise<boolean> {
  const [session] = await sql`
    select from auth.sessions
    where id = ${sessionId ?? null} and created_at > now() - make_interval(hours => ${FRESH_HOURS})`;
  return session !== undefined;
}

function checkNonce(context: AuthContext, user: UserRow, nonce: string): void {
  if (nonce === "") {
    throw new AuthError(400, "reauthentication_needed", "Password update requires reauthentication");
  }
  const { email, reauthentication_token: hash, reauthentication_sent_at: sentAt } = user;
  if (!hash || hash !== hashOf(email ?? "", nonce) || isExpired(context, sentAt)) {
    throw new AuthError(422, "reauthentication_not_valid", "Nonce has expired or is invalid");
  }
}
