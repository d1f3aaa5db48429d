// /verify: a code or a link confirms an address.
import { z } from "zod";
import type { AuthContext, Call } from "./context.ts";
import { hashOf, isExpired } from "./codes.ts";
import { AuthError, invalid } from "./errors.ts";
import { issueAuthCode, PKCE_PREFIX } from "./pkce.ts";
import { redirectTo } from "./redirects.ts";
import { readEmail, rejectBanned } from "./requests.ts";
import { openSession } from "./sessions.ts";
import type { Queries, UserRow } from "./users.ts";

type TokenColumn =
  | "confirmation_token"
  | "recovery_token"
  | "email_change_token_current"
  | "email_change_token_new";

const SENT_AT = {
  confirmation_token: "confirmation_sent_at",
  recovery_token: "recovery_sent_at",
  email_change_token_current: "email_change_sent_at",
  email_change_token_new: "email_change_sent_at",
} as const;

/** The columns that may hold a code of each type. New clients use `email` for the first four. */
const COLUMNS: Readonly<Record<string, readonly TokenColumn[]>> = {
  signup: ["confirmation_token"],
  invite: ["confirmation_token"],
  recovery: ["recovery_token"],
  magiclink: ["recovery_token"],
  email: ["confirmation_token", "recovery_token"],
  email_change: ["email_change_token_current", "email_change_token_new"],
};

/** The method of a PKCE flow, by the type of the link. */
const FLOW_METHODS: Readonly<Record<string, string>> = {
  signup: "email/signup",
  invite: "invite",
  recovery: "recovery",
  magiclink: "magiclink",
  email_change: "email_change",
};

export const VerifyBody = z.object({
  type: z.string().default(""),
  email: z.string().nullish(),
  phone: z.string().nullish(),
  token: z.string().nullish(),
  token_hash: z.string().nullish(),
});

const ONE_OF_TWO = "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/** POST /verify: a session, or a message that the other address must confirm too. */
export async function verifyCode(
  body: z.output<typeof VerifyBody>,
  { context, client }: Call,
): Promise<Record<string, unknown>> {
  const { type, token, token_hash: hash } = body;
  if (body.phone && token) {
    if (!/^[1-9]\d{1,14}$/.test(body.phone.replace(/^\+/, ""))) {
      throw invalid("Invalid phone number format (E.164 required)");
    }
    throw new AuthError(403, "otp_expired", "Token has expired or is invalid");
  }
  if (!hash && !(token && body.email)) {
    throw invalid(
      hash === undefined
        ? "Verify requires either a token or a token hash"
        : "Only the token_hash and type should be provided",
    );
  }
  const email = hash ? undefined : readEmail(body.email ?? "");
  return await context.sql.begin(async (sql) => {
    const found = hash ? await findByHash(sql, type, hash) : await findByAddress(sql, type, email!, token!);
    const outcome = await accept(context, sql, found);
    if (outcome === "half") return { code: 200, msg: ONE_OF_TWO };
    return await openSession(context, sql, found!.user.id, "otp", client);
  });
}

/** GET /verify: redirects the browser. */
export async function followLink({ context, url, client }: Call): Promise<Response> {
  const target = redirectTo(url.searchParams.get("redirect_to"), context.config);
  const hash = url.searchParams.get("token") ?? "";
  const type = url.searchParams.get("type") ?? "";
  const isPkce = hash.startsWith(PKCE_PREFIX);
  try {
    const parameters = await context.sql.begin(async (sql) => {
      const found = await findByHash(sql, type, hash);
      const outcome = await accept(context, sql, found, "Email link is invalid or has expired");
      if (outcome === "half") return { message: ONE_OF_TWO };
      if (isPkce) return { code: await issueAuthCode(sql, found!.user.id, FLOW_METHODS[type] ?? type) };
      const { user: _, ...session } = await openSession(context, sql, found!.user.id, "otp", client);
      return { ...session, type };
    });
    if ("code" in parameters) return redirect(withQuery(target, parameters));
    return "message" in parameters ? notice(target, parameters, isPkce) : redirect(withFragment(target, parameters));
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const { status, code, message } = error;
    const problem = {
      error: status < 500 ? "access_denied" : "server_error",
      error_code: code,
      error_description: message,
    };
    return notice(target, problem, isPkce);
  }
}

type Parameters = Readonly<Record<string, unknown>>;

/** An error or a message is in the fragment, with a mark of the auth server; for PKCE it is in the query too. */
function notice(target: string, parameters: Parameters, isPkce: boolean): Response {
  const marked = withFragment(target, { ...parameters, sb: "" });
  return redirect(isPkce ? withQuery(marked, parameters) : marked);
}

function withQuery(target: string, parameters: Parameters): string {
  const url = new URL(target);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
  return url.href;
}

function withFragment(target: string, parameters: Parameters): string {
  const url = new URL(target);
  url.hash = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])).toString();
  return url.href;
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}

interface Found {
  readonly user: UserRow;
  readonly column: TokenColumn;
}

async function findByHash(sql: Queries, type: string, hash: string): Promise<Found | undefined> {
  for (const column of columnsOf(type)) {
    if (hash === "") break;
    const [user] = await sql<UserRow[]>`
      select * from auth.users where ${sql(column)} = ${hash} and deleted_at is null for update`;
    if (user !== undefined) return { user, column };
  }
  return undefined;
}

async function findByAddress(sql: Queries, type: string, email: string, token: string): Promise<Found | undefined> {
  const columns = columnsOf(type);
  const users = await sql<UserRow[]>`
    select * from auth.users
    where (email = ${email} or (${type === "email_change"} and email_change = ${email})) and deleted_at is null
    for update`;
  const hash = hashOf(email, token);
  for (const user of users) {
    const column = columns.find((name) => user[name] === hash || user[name] === PKCE_PREFIX + hash);
    if (column !== undefined) return { user, column };
  }
  return undefined;
}

function columnsOf(type: string): readonly TokenColumn[] {
  const columns = Object.hasOwn(COLUMNS, type) ? COLUMNS[type] : undefined;
  if (columns === undefined) {
    throw invalid(type === "" ? "Verify requires a verification type" : "Unsupported verification type");
  }
  return columns;
}

/** Consumes the code. `half`: the first of two addresses has confirmed. */
async function accept(
  context: AuthContext,
  sql: Queries,
  found: Found | undefined,
  problem = "Token has expired or is invalid",
): Promise<"done" | "half"> {
  if (found === undefined || isExpired(context, found.user[SENT_AT[found.column] as keyof UserRow] as Date | null)) {
    throw new AuthError(403, "otp_expired", problem);
  }
  const { user, column } = found;
  rejectBanned(user, 403);
  if (column === "email_change_token_current" || column === "email_change_token_new") {
    return await acceptChange(context, sql, user, column);
  }
  await sql`
    update auth.users
    set ${sql(column)} = '', email_confirmed_at = coalesce(email_confirmed_at, now()), updated_at = now()
    where id = ${user.id}`;
  await markVerified(sql, user.id, user.email!);
  return "done";
}

async function acceptChange(
  context: AuthContext,
  sql: Queries,
  user: UserRow,
  column: "email_change_token_current" | "email_change_token_new",
): Promise<"done" | "half"> {
  const needsBoth = context.config.doubleConfirmChanges && Boolean(user.email) &&
    user.email_change_confirm_status === 0;
  if (needsBoth) {
    await sql`update auth.users set ${sql(column)} = '', email_change_confirm_status = 1 where id = ${user.id}`;
    return "half";
  }
  const email = user.email_change!;
  await sql`
    update auth.users
    set email = ${email}, email_change = '', email_change_token_current = '', email_change_token_new = '',
      email_change_confirm_status = 0, email_confirmed_at = coalesce(email_confirmed_at, now()), updated_at = now()
    where id = ${user.id}`;
  await markVerified(sql, user.id, email);
  return "done";
}

async function markVerified(sql: Queries, userId: string, email: string): Promise<void> {
  await sql`
    update auth.identities
    set identity_data = identity_data || jsonb_build_object('email', ${email}::text, 'email_verified', true),
      updated_at = now()
    where user_id = ${userId} and provider = 'email'`;
}
