// Sessions: sign-in, refresh and sign-out.
import { randomBytes } from "node:crypto";
import type { TransactionSql } from "postgres";
import { z } from "zod";
import { sign } from "../gateway/tokens.ts";
import type { AuthContext, Call, Client } from "./context.ts";
import { AuthError, invalid } from "./errors.ts";
import { readCaller, rejectBanned } from "./requests.ts";
import { type Queries, readUserJson, type UserRow } from "./users.ts";

type Json = Record<string, unknown>;

/** `method`: `password`, `otp`, or the method of a PKCE flow. */
export async function openSession(
  context: AuthContext,
  sql: Queries,
  userId: string,
  method: string,
  { address, userAgent }: Client,
): Promise<Json> {
  const [session] = await sql<{ id: string }[]>`
    insert into auth.sessions (id, user_id, aal, ip, user_agent)
    values (${crypto.randomUUID()}, ${userId}, 'aal1', ${address}, ${userAgent}) returning id`;
  await sql`insert into auth.mfa_amr_claims (session_id, authentication_method) values (${session!.id}, ${method})`;
  await sql`update auth.users set last_sign_in_at = now(), updated_at = now() where id = ${userId}`;
  await sql`update auth.identities set last_sign_in_at = now() where user_id = ${userId} and provider = 'email'`;
  return await sessionJson(context, sql, userId, session!.id, await newRefreshToken(sql, userId, session!.id));
}

/** A session after its second factor: aal2, with new tokens. Sessions of the user without a second factor end. */
export async function raiseSession(
  context: AuthContext,
  sql: Queries,
  userId: string,
  sessionId: string,
  factorId: string,
): Promise<Json> {
  await sql`
    insert into auth.mfa_amr_claims (session_id, authentication_method) values (${sessionId}, 'totp')
    on conflict (session_id, authentication_method) do update set updated_at = now()`;
  await sql`update auth.sessions set aal = 'aal2', factor_id = ${factorId}, updated_at = now() where id = ${sessionId}`;
  await sql`delete from auth.sessions where user_id = ${userId} and aal < 'aal2'`;
  // A refresh token from before the second factor brings no session with it.
  await sql`delete from auth.refresh_tokens where session_id = ${sessionId}`;
  return await sessionJson(context, sql, userId, sessionId, await newRefreshToken(sql, userId, sessionId));
}

export const RefreshBody = z.object({ refresh_token: z.string().nullish() });

interface RefreshTokenRow {
  readonly token: string;
  readonly session_id: string;
  readonly revoked: boolean;
  readonly parent: string | null;
  /** Whether a used token is still accepted. */
  readonly is_reusable: boolean;
}

/**
 * A new pair of tokens for a refresh token. A used one is accepted for some seconds, and as long as its successor was never
 * used, because a client may have lost the response. Otherwise the token was stolen, and the whole session ends.
 */
export async function refreshSession(
  { refresh_token: token }: z.output<typeof RefreshBody>,
  { context }: Call,
): Promise<Json> {
  if (!token) throw invalid("refresh_token required");
  const outcome = await context.sql.begin(async (sql) => {
    const user = await lockSession(sql, token);
    if (user === undefined) {
      throw new AuthError(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found");
    }
    rejectBanned(user, 400);
    const [current] = await sql<RefreshTokenRow[]>`
      select token, session_id, revoked, parent,
        updated_at > now() - make_interval(secs => ${context.config.refreshTokenReuseInterval}) as is_reusable
      from auth.refresh_tokens where token = ${token}`;
    const { session_id: session, revoked, is_reusable: isReusable } = current!;
    let next: string | undefined;
    if (revoked) {
      const [active] = await sql<RefreshTokenRow[]>`
        select token, parent from auth.refresh_tokens
        where session_id = ${session} and not revoked order by id desc limit 1`;
      if (active?.parent === token) next = active.token;
      else if (!isReusable || active === undefined) {
        await sql`update auth.refresh_tokens set revoked = true, updated_at = now() where session_id = ${session}`;
        return undefined;
      }
    }
    if (next === undefined) {
      await sql`
        update auth.refresh_tokens set revoked = true, updated_at = now()
        where session_id = ${session} and not revoked`;
      next = await newRefreshToken(sql, user.id, session, token);
    }
    await sql`update auth.sessions set refreshed_at = now() at time zone 'utc', updated_at = now() where id = ${session}`;
    return await sessionJson(context, sql, user.id, session, next);
  });
  // Thrown here, so that the end of the session is kept.
  if (outcome === undefined) {
    throw new AuthError(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used");
  }
  return outcome;
}

/** The user of a refresh token. Locks the session, so that two refreshes of one session run one after the other. */
async function lockSession(sql: TransactionSql, token: string): Promise<UserRow | undefined> {
  const [held] = await sql<{ user_id: string }[]>`
    select s.user_id from auth.sessions s
    where s.id = (select t.session_id from auth.refresh_tokens t where t.token = ${token}) for update`;
  if (held === undefined) return undefined;
  const [user] = await sql<UserRow[]>`select * from auth.users where id = ${held.user_id} and deleted_at is null`;
  return user;
}

/** POST /logout. */
export async function signOut({ context, url, authorization }: Call): Promise<Response> {
  const { user, sessionId } = await readCaller(context, authorization);
  await endSessions(context.sql, user.id, sessionId, url.searchParams.get("scope") ?? "global");
  return new Response(null, { status: 204 });
}

export async function endSessions(
  sql: Queries,
  userId: string,
  sessionId: string | undefined,
  scope: string,
): Promise<void> {
  if (scope === "global") await sql`delete from auth.sessions where user_id = ${userId}`;
  else if (scope === "local") await sql`delete from auth.sessions where id = ${sessionId ?? null}`;
  else if (scope === "others") {
    await sql`delete from auth.sessions where user_id = ${userId} and id is distinct from ${sessionId ?? null}::uuid`;
  } else throw invalid(`Unsupported logout scope "${scope}"`);
}

async function newRefreshToken(sql: Queries, userId: string, session: string, parent?: string): Promise<string> {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  const token = Array.from(randomBytes(12), (byte) => alphabet[byte % 32]).join("");
  await sql`
    insert into auth.refresh_tokens (token, user_id, session_id, parent)
    values (${token}, ${userId}, ${session}, ${parent ?? null})`;
  return token;
}

async function sessionJson(
  { config, issuer, algorithm }: AuthContext,
  sql: Queries,
  userId: string,
  session: string,
  refreshToken: string,
): Promise<Json> {
  const user = await readUserJson(sql, userId);
  const methods = await sql<{ method: string; timestamp: number }[]>`
    select authentication_method as method, extract(epoch from updated_at)::integer as timestamp
    from auth.mfa_amr_claims where session_id = ${session} order by updated_at desc`;
  const now = Math.floor(Date.now() / 1000);
  const expiresAt = now + config.jwtExpiry;
  const accessToken = await sign({
    iss: issuer,
    sub: userId,
    aud: "authenticated",
    exp: expiresAt,
    iat: now,
    email: user["email"],
    phone: user["phone"],
    app_metadata: user["app_metadata"],
    user_metadata: user["user_metadata"],
    role: user["role"],
    aal: methods.some(({ method }) => method === "totp") ? "aal2" : "aal1",
    amr: methods.map(({ method, timestamp }) => ({ method, timestamp })),
    session_id: session,
    is_anonymous: false,
  }, algorithm);
  return {
    access_token: accessToken,
    token_type: "bearer",
    expires_in: config.jwtExpiry,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user,
  };
}
