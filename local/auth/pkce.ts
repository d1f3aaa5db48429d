// PKCE: a link leads to `?code=…`, and only the client that requested it can exchange the code for a session.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Call } from "./context.ts";
import { AuthError, invalid } from "./errors.ts";
import { openSession } from "./sessions.ts";
import type { Queries } from "./users.ts";

export interface Challenge {
  readonly code_challenge?: string | null | undefined;
  readonly code_challenge_method?: string | null | undefined;
}

/** The prefix of a token of a PKCE flow. */
export const PKCE_PREFIX = "pkce_";

const FLOW_MINUTES = 5;

/** Stores the challenge if the client sent one; returns whether it did. */
export async function openFlow(
  sql: Queries,
  userId: string,
  method: string,
  { code_challenge: challenge, code_challenge_method: kind }: Challenge,
): Promise<boolean> {
  if (!challenge && !kind) return false;
  if (!challenge || !kind) {
    throw invalid("PKCE flow requires code_challenge_method and code_challenge");
  }
  if (!/^(s256|plain)$/i.test(kind)) throw invalid("code_challenge_method must be s256 or plain");
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(challenge)) {
    throw invalid("code challenge has to be between 43 and 128 characters of letters, digits, '-', '.', '_' and '~'");
  }
  await sql`
    insert into auth.flow_state (id, user_id, authentication_method, code_challenge_method, code_challenge, provider_type)
    values (${crypto.randomUUID()}, ${userId}, ${method}, ${kind.toLowerCase()}, ${challenge}, 'email')`;
  return true;
}

/** The code for the user's latest flow of this method. */
export async function issueAuthCode(sql: Queries, userId: string, method: string): Promise<string> {
  const code = crypto.randomUUID();
  const [flow] = await sql`
    update auth.flow_state set auth_code = ${code}, auth_code_issued_at = now(), updated_at = now()
    where id = (
      select id from auth.flow_state
      where user_id = ${userId} and authentication_method = ${method} and auth_code is null
      order by created_at desc limit 1
    )
    returning id`;
  if (flow === undefined) throw noFlow();
  return code;
}

export const ExchangeBody = z.object({ auth_code: z.string().default(""), code_verifier: z.string().default("") });

export async function exchangeCode(
  { auth_code: code, code_verifier: verifier }: z.output<typeof ExchangeBody>,
  { context, client }: Call,
): Promise<Record<string, unknown>> {
  if (code === "" || verifier === "") {
    throw invalid("invalid request: both auth code and code verifier should be non-empty");
  }
  return await context.sql.begin(async (sql) => {
    const [flow] = await sql`
      select *, auth_code_issued_at < now() - make_interval(mins => ${FLOW_MINUTES}) as is_expired
      from auth.flow_state where auth_code = ${code} for update`;
    if (flow === undefined) throw noFlow();
    if (flow["is_expired"]) {
      throw new AuthError(422, "flow_state_expired", "invalid flow state, flow state has expired");
    }
    const given = flow["code_challenge_method"] === "plain"
      ? verifier
      : createHash("sha256").update(verifier).digest("base64url");
    if (given !== flow["code_challenge"]) {
      throw new AuthError(400, "bad_code_verifier", "code challenge does not match previously saved code verifier");
    }
    await sql`delete from auth.flow_state where id = ${flow["id"]}`;
    return await openSession(context, sql, flow["user_id"], flow["authentication_method"], client);
  });
}

function noFlow(): AuthError {
  return new AuthError(404, "flow_state_not_found", "invalid flow state, no valid flow state found");
}
