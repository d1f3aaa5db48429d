// /auth/v1/admin/users: what the service key may do with users.
import { z } from "zod";
import type { AuthContext, Call } from "./context.ts";
import { AuthError, invalid } from "./errors.ts";
import { findFactor, removeFactor } from "./factors.ts";
import { generateLink } from "./codes.ts";
import { checkPassword, hashPassword } from "./passwords.ts";
import { Metadata, parseBody, readEmail, requireService, UUID } from "./requests.ts";
import {
  createUser,
  factorJson,
  findByEmail,
  merged,
  type Queries,
  readFactors,
  readUserJson,
  rejectTakenEmail,
  type UserRow,
  usersJson,
} from "./users.ts";

type Json = Record<string, unknown>;

const UserParams = z.strictObject({
  email: z.string().transform(readEmail).optional(),
  password: z.string().optional(),
  email_confirm: z.boolean().optional(),
  user_metadata: Metadata.optional(),
  app_metadata: Metadata.optional(),
  role: z.string().optional(),
  ban_duration: z.string().optional(),
});

export const LinkParams = z.object({
  type: z.string().default(""),
  email: z.string().default(""),
  new_email: z.string().default(""),
  password: z.string().default(""),
  data: Metadata.nullish(),
  redirect_to: z.string().nullish(),
});

const DeleteParams = z.object({ should_soft_delete: z.boolean().nullish() });

type UserParams = z.infer<typeof UserParams>;

/** Handles a request to /admin/users or, with an id, to /admin/users/<id>. */
export async function administerUsers(
  { context, request: { method }, body, url, authorization }: Call,
  id: string,
): Promise<Response | Json> {
  await requireService(authorization);
  if (id !== "" && !UUID.test(id)) throw new AuthError(404, "validation_failed", "user_id must be an UUID");
  switch (`${method} ${id === "" ? "users" : "user"}`) {
    case "GET users":
      return await listUsers(context.sql, url);
    case "POST users":
      return await create(context, parseBody(body, UserParams));
    case "GET user":
      await find(context.sql, id);
      return await readUserJson(context.sql, id);
    case "PUT user":
      return await update(context, id, parseBody(body, UserParams));
    case "DELETE user":
      return await remove(context.sql, id, parseBody(body, DeleteParams));
  }
  throw new AuthError(405, "validation_failed", `${method} is not allowed here`);
}

/** Handles a request to /admin/users/<id>/factors or, with an id, to one of them. */
export async function administerFactors(
  { context: { sql }, request: { method }, authorization }: Call,
  userId: string,
  id: string,
): Promise<Response> {
  await requireService(authorization);
  if (!UUID.test(userId)) throw new AuthError(404, "validation_failed", "user_id must be an UUID");
  await find(sql, userId);
  if (id === "" && method === "GET") return Response.json((await readFactors(sql, [userId])).map(factorJson));
  if (id === "" || method !== "DELETE") throw new AuthError(405, "validation_failed", `${method} is not allowed here`);
  const factor = await findFactor(sql, userId, id);
  await sql.begin((transaction) => removeFactor(transaction, factor));
  return Response.json(factorJson(factor));
}

/** POST /admin/generate_link: the user with a link that the service sends by itself. */
export async function generateLinkForUser(
  { new_email, password, data, redirect_to: redirect = null, ...params }: z.output<typeof LinkParams>,
  { context }: Call,
): Promise<Json> {
  const email = readEmail(params.email);
  return await context.sql.begin(async (sql) => {
    let user = await findByEmail(sql, email);
    const type = params.type === "magiclink" && user === undefined ? "signup" : params.type;
    switch (type) {
      case "signup":
      case "invite":
        if (user?.email_confirmed_at) await rejectTakenEmail(sql, email);
        if (user === undefined) {
          // A user who asks for a link by mail has no password yet.
          const given = type === "invite" || params.type === "magiclink" ? crypto.randomUUID() : password;
          if (given === "") throw invalid("Signup requires a valid password");
          if (given === password) checkPassword(given, context.config);
          const passwordHash = await hashPassword(sql, given);
          user = await createUser(sql, { email, passwordHash, metadata: data ?? {}, isConfirmed: false });
        }
        break;
      case "magiclink":
      case "recovery":
      case "email_change_current":
      case "email_change_new":
        if (user === undefined) throw new AuthError(404, "user_not_found", "User with this email not found");
        break;
      default:
        throw invalid(`Invalid email action link type requested: ${type}`);
    }
    const newEmail = type.startsWith("email_change") ? readEmail(new_email) : "";
    if (newEmail !== "") await rejectTakenEmail(sql, newEmail);
    const link = await generateLink(context, sql, user, type, { newEmail, redirect });
    return { ...await readUserJson(sql, user.id), ...link };
  });
}

async function listUsers(sql: Queries, url: URL): Promise<Response> {
  const page = positive(url.searchParams.get("page"), 1);
  const perPage = positive(url.searchParams.get("per_page"), 50);
  const [count] = await sql<{ total: number }[]>`select count(*)::integer as total from auth.users`;
  const users = await sql<UserRow[]>`
    select * from auth.users order by created_at desc, id limit ${perPage} offset ${(page - 1) * perPage}`;
  const last = Math.max(1, Math.ceil(count!.total / perPage));
  const link = (to: number, rel: string) => `<${url.pathname}?page=${to}&per_page=${perPage}>; rel="${rel}"`;
  return Response.json({ users: await usersJson(sql, users), aud: "authenticated" }, {
    headers: {
      link: [...(page < last ? [link(page + 1, "next")] : []), link(last, "last")].join(", "),
      "x-total-count": String(count!.total),
      "access-control-expose-headers": "X-Total-Count, Link",
    },
  });
}

async function create({ sql: database, config }: AuthContext, params: UserParams): Promise<Json> {
  const { email, password, role, app_metadata: appMetadata, user_metadata: metadata = {} } = params;
  if (!email) throw invalid("Cannot create a user without an email");
  if (password) checkPassword(password, config);
  // A user that is created without a password gets a random one.
  const passwordHash = await hashPassword(database, password || crypto.randomUUID());
  return await database.begin(async (sql) => {
    await rejectTakenEmail(sql, email);
    const isConfirmed = params.email_confirm ?? false;
    const { id } = await createUser(sql, {
      email,
      passwordHash,
      metadata: { ...metadata, ...(isConfirmed ? { email_verified: true } : {}) },
      ...(appMetadata === undefined ? {} : { appMetadata }),
      isConfirmed,
    });
    const change = { role: role ?? "authenticated", banned_until: bannedUntil(params.ban_duration) ?? null };
    await sql`update auth.users set ${sql(change)} where id = ${id}`;
    return await readUserJson(sql, id);
  });
}

async function update({ sql: database, config }: AuthContext, id: string, params: UserParams): Promise<Json> {
  const { email, password, role } = params;
  if (password) checkPassword(password, config);
  const ban = bannedUntil(params.ban_duration);
  return await database.begin(async (sql) => {
    const user = await find(sql, id);
    if (email !== undefined && email !== user.email) await rejectTakenEmail(sql, email);
    const change = {
      ...(email === undefined ? {} : { email }),
      ...(role === undefined ? {} : { role }),
      ...(params.email_confirm ? { email_confirmed_at: user.email_confirmed_at ?? new Date() } : {}),
      ...(password ? { encrypted_password: await hashPassword(sql, password) } : {}),
      ...(ban === undefined ? {} : { banned_until: ban }),
      raw_app_meta_data: merged(user.raw_app_meta_data, params.app_metadata),
      raw_user_meta_data: merged(user.raw_user_meta_data, params.user_metadata),
      updated_at: new Date(),
    };
    await sql`update auth.users set ${sql(change as never)} where id = ${id}`;
    if (email !== undefined) {
      await sql`
        update auth.identities
        set identity_data = identity_data || jsonb_build_object('email', ${email}::text), updated_at = now()
        where user_id = ${id} and provider = 'email'`;
    }
    return await readUserJson(sql, id);
  });
}

async function remove(sql: Queries, id: string, params: z.output<typeof DeleteParams>): Promise<Json> {
  if (params.should_soft_delete) throw invalid("The local auth server does not support should_soft_delete");
  await find(sql, id);
  await sql`delete from auth.users where id = ${id}`;
  return {};
}

async function find(sql: Queries, id: string): Promise<UserRow> {
  const [user] = await sql<UserRow[]>`select * from auth.users where id = ${id}`;
  if (user === undefined) throw new AuthError(404, "user_not_found", "User not found");
  return user;
}

/** Null lifts a ban, undefined leaves it. Durations have Go's format: "24h", "1h30m", "none". */
function bannedUntil(duration: string | undefined): Date | null | undefined {
  if (duration === undefined) return undefined;
  if (duration === "none") return null;
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
  const parts = [...duration.matchAll(/(\d+)([smh])/g)];
  const length = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit!]!, 0);
  const until = new Date(Date.now() + length);
  const isComplete = parts.length > 0 && parts.map(([part]) => part).join("") === duration;
  if (isComplete && until.getUTCFullYear() <= 9999) return until;
  throw invalid(`invalid format for ban duration: "${duration}"`);
}

function positive(text: string | null, fallback: number): number {
  const value = Number(text || fallback);
  if (Number.isInteger(value) && value >= 1 && value < 2 ** 31) return value;
  throw invalid("Bad pagination parameters");
}
