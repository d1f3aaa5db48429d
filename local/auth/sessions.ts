// What the library's sessions lack: the full set of claims in the access token, refusals for banned users, and refreshes
// that wait for each other.
import { createHash } from "node:crypto";
import type { Sql } from "postgres";
import { type Claims, sign, verify } from "../gateway/tokens.ts";
import type { JwtAlgorithm } from "../settings.ts";
import { AuthRefusal } from "./errors.ts";

/** Signs the session's access token again with the claims that the hosted auth server puts into it. */
export function completeSession(
  session: Record<string, unknown>,
  issuer: string,
  method: string,
  algorithm: JwtAlgorithm,
): Record<string, unknown> {
  const verdict = typeof session["access_token"] === "string" ? verify(session["access_token"]) : undefined;
  if (verdict === undefined || !("claims" in verdict)) return session;
  const user = session["user"] as Claims;
  const { claims } = verdict;
  return {
    ...session,
    access_token: sign({
      iss: issuer,
      ...claims,
      email: user["email"] ?? "",
      phone: user["phone"] ?? "",
      app_metadata: user["app_metadata"] ?? {},
      user_metadata: user["user_metadata"] ?? {},
      aal: "aal1",
      amr: [{ method, timestamp: claims["iat"] }],
      is_anonymous: false,
    }, algorithm),
  };
}

/** The Authorization header as the library reads it: it knows HS256 alone. A token that does not verify stays as it is. */
export function forLibrary(authorization: string): string {
  const token = authorization.match(/^Bearer\s+(\S+)$/i)?.[1];
  const verdict = token === undefined ? undefined : verify(token);
  return verdict !== undefined && "claims" in verdict ? `Bearer ${sign(verdict.claims)}` : authorization;
}

/** Refuses what somebody with a session asks for while banned. */
export async function refuseBannedUser(sql: Sql, token: string | undefined): Promise<void> {
  const verdict = token === undefined ? undefined : verify(token);
  const id = verdict !== undefined && "claims" in verdict ? verdict.claims["sub"] : undefined;
  if (typeof id !== "string") return;
  const [banned] = await sql`select from auth.users where id::text = ${id.toLowerCase()} and banned_until > now()`;
  if (banned !== undefined) throw new AuthRefusal(403, "user_banned", "User is banned");
}

/** Refuses a password sign-in of a banned user. */
export async function refuseBannedEmail(sql: Sql, email: unknown): Promise<void> {
  if (typeof email !== "string") return;
  const [banned] = await sql`select from auth.users where email = ${email.toLowerCase()} and banned_until > now()`;
  if (banned !== undefined) throw new AuthRefusal(400, "user_banned", "User is banned");
}

/** Refuses the one-time code or link of a banned user. */
export async function refuseBannedCode(sql: Sql, { email, token, token_hash }: Record<string, unknown>): Promise<void> {
  const stored = typeof token_hash === "string"
    ? token_hash
    : createHash("sha256").update(`${email}`.toLowerCase() + token).digest("hex");
  const [banned] = await sql`
    select from auth.users
    where ${stored} in (recovery_token, confirmation_token, email_change_token_current, email_change_token_new)
      and banned_until > now()`;
  if (banned !== undefined) throw new AuthRefusal(403, "user_banned", "User is banned");
}

/** Refuses the refresh of a banned user's session. */
export async function refuseBannedSession(sql: Sql, refreshToken: unknown): Promise<void> {
  if (typeof refreshToken !== "string") return;
  const [banned] = await sql`
    select from auth.refresh_tokens t join auth.users u on u.id = t.user_id
    where t.token = ${refreshToken} and u.banned_until > now()`;
  if (banned !== undefined) throw new AuthRefusal(400, "user_banned", "User is banned");
}

/**
 * Gives back a token whose refresh was cut off between its two halves: the token was marked as used, and the next one was
 * never written.
 */
export async function undoHalfRefresh(sql: Sql, token: string): Promise<void> {
  await sql`
    update auth.refresh_tokens used set revoked = false
    where used.token = ${token} and used.revoked
      and not exists (select from auth.refresh_tokens next where next.parent = used.token)`;
}
