// Parts of a request to the auth server: its body, and the user of its token.
import { z } from "zod";
import { type Claims, verify } from "../gateway/tokens.ts";
import { AuthError, invalid } from "./errors.ts";
import type { AuthContext } from "./context.ts";
import type { UserRow } from "./users.ts";

/** Parses a JSON object of this shape. An empty body is an empty object. */
export function parseBody<Schema extends z.ZodType>(bytes: Uint8Array, schema: Schema): z.output<Schema> {
  let value: unknown = {};
  try {
    if (bytes.byteLength > 0) value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw error instanceof SyntaxError ? badJson("it is not JSON") : error;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badJson("it is not an object");
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue!.path.join(".");
  if (issue!.code === "invalid_type") throw badJson(`${field} has the wrong type`);
  throw invalid(`${field}: ${issue!.message}`);
}

const Email = z.email().max(255);

/** The address as it is stored. */
export function readEmail(text: string): string {
  const { success, data } = Email.safeParse(text.trim().toLowerCase());
  if (!success) throw invalid("Unable to validate email address: invalid format");
  return data;
}

export const Metadata = z.record(z.string(), z.unknown());

/** Fields of a PKCE request: its link has `?code=` instead of tokens. */
export const Challenge = z.object({
  code_challenge: z.string().nullish(),
  code_challenge_method: z.string().nullish(),
});

function badJson(reason: string): AuthError {
  return new AuthError(400, "bad_json", `Could not parse request body as JSON: ${reason}`);
}

async function claimsOf(authorization: string): Promise<Claims> {
  const token = authorization.match(/^Bearer\s+(\S+)$/i)?.[1];
  if (token === undefined) throw new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token");
  const result = await verify(token);
  if ("claims" in result) return result.claims;
  throw new AuthError(
    403,
    "bad_jwt",
    `invalid JWT: unable to parse or verify signature, token is ${result.problem}`,
  );
}

export async function requireService(authorization: string): Promise<void> {
  const { role } = await claimsOf(authorization);
  if (role !== "service_role") throw new AuthError(403, "not_admin", "User not allowed");
}

export interface Caller {
  readonly user: UserRow;
  /** Undefined for a token that names no session. */
  readonly sessionId: string | undefined;
  /** The assurance of the session: `aal2` after a second factor. */
  readonly aal: string;
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The user of this token. Throws if the user is banned or signed out. */
export async function readCaller({ sql }: AuthContext, authorization: string): Promise<Caller> {
  const { sub, session_id: session } = await claimsOf(authorization);
  if (typeof sub !== "string" || sub === "") throw new AuthError(403, "bad_jwt", "invalid claim: missing sub claim");
  if (!UUID.test(sub)) throw new AuthError(403, "bad_jwt", "invalid claim: sub claim must be a UUID");
  const [user] = await sql<UserRow[]>`select * from auth.users where id = ${sub} and deleted_at is null`;
  if (user === undefined) {
    throw new AuthError(403, "user_not_found", "User from sub claim in JWT does not exist");
  }
  if (typeof session !== "string" || !UUID.test(session)) {
    rejectBanned(user, 403);
    return { user, sessionId: undefined, aal: "aal1" };
  }
  const [found] = await sql<{ aal: string | null }[]>`
    select aal from auth.sessions where id = ${session} and user_id = ${sub}`;
  rejectBanned(user, 403);
  if (found === undefined) {
    throw new AuthError(403, "session_not_found", "Session from session_id claim in JWT does not exist");
  }
  return { user, sessionId: session, aal: found.aal ?? "aal1" };
}

export function rejectBanned({ banned_until }: UserRow, status: 400 | 403): void {
  if (banned_until !== null && banned_until.getTime() > Date.now()) {
    throw new AuthError(status, "user_banned", "User is banned");
  }
}
