// /auth/v1/admin/users: what the service key may do with users.
import { z } from "zod";
import type { AuthContext } from "./context.ts";
import { AuthError } from "./errors.ts";
import { checkPassword, hashPassword } from "./passwords.ts";
import { parseBody } from "./requests.ts";
import { type Queries, type UserRow, usersJson } from "./users.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const Metadata = z.record(z.string(), z.unknown());

const UserParams = z.object({
  id: z.string().regex(UUID).optional(),
  email: z.email().transform((email) => email.toLowerCase()).optional(),
  phone: z.string().transform((phone) => phone.replace(/^\+/, "")).optional(),
  password: z.string().optional(),
  password_hash: z.string().startsWith("$2").optional(),
  email_confirm: z.boolean().optional(),
  phone_confirm: z.boolean().optional(),
  user_metadata: Metadata.optional(),
  app_metadata: Metadata.optional(),
  role: z.string().optional(),
  ban_duration: z.string().optional(),
});

const DeleteParams = z.object({ should_soft_delete: z.boolean().nullish() });

type UserParams = z.infer<typeof UserParams>;

export class AdminUsers {
  constructor(readonly context: AuthContext) {}

  /** Answers a request below /admin/users; `rest` is what follows, a user's id or nothing. */
  async handle(method: string, body: Uint8Array, url: URL, rest: string): Promise<Response> {
    if (rest === "") {
      if (method === "GET") return await this.#list(url);
      if (method === "POST") return Response.json(await this.#create(parseBody(body, UserParams)));
    } else if (!UUID.test(rest)) {
      throw new AuthError(404, "validation_failed", "user_id must be an UUID");
    } else {
      if (method === "GET") {
        return Response.json(await json(this.context.sql, await this.#find(this.context.sql, rest)));
      }
      if (method === "PUT") return Response.json(await this.#update(rest, parseBody(body, UserParams)));
      if (method === "DELETE") return await this.#delete(rest, parseBody(body, DeleteParams));
    }
    throw new AuthError(405, "validation_failed", `${method} is not allowed here`);
  }

  async #list(url: URL): Promise<Response> {
    const page = positive(url.searchParams.get("page"), 1);
    const perPage = positive(url.searchParams.get("per_page"), 50);
    const [count] = await this.context.sql<{ total: number }[]>`select count(*)::integer as total from auth.users`;
    const users = await this.context.sql<UserRow[]>`
      select * from auth.users order by created_at desc, id limit ${perPage} offset ${(page - 1) * perPage}`;
    const total = count?.total ?? 0;
    const last = Math.max(1, Math.ceil(total / perPage));
    const link = (to: number, rel: string) => `<${url.pathname}?page=${to}&per_page=${perPage}>; rel="${rel}"`;
    const links = [...(page < last ? [link(page + 1, "next")] : []), link(last, "last")];
    return Response.json({ users: await usersJson(this.context.sql, users), aud: "authenticated" }, {
      headers: {
        link: links.join(", "),
        "x-total-count": String(total),
        "access-control-expose-headers": "X-Total-Count, Link",
      },
    });
  }

  async #create(params: UserParams): Promise<unknown> {
    if (!params.email && !params.phone) {
      throw new AuthError(400, "validation_failed", "Cannot create a user without either an email or phone");
    }
    const hash = await this.#hash(params);
    const id = params.id ?? crypto.randomUUID();
    return await this.context.sql.begin(async (sql) => {
      await rejectTaken(sql, params, id);
      await sql`
        insert into auth.users (id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at,
          raw_app_meta_data, raw_user_meta_data, banned_until)
        values (${id}, 'authenticated', ${params.role ?? "authenticated"}, ${params.email ?? null}, ${
        params.phone ?? null
      },
          ${hash}, ${params.email_confirm ? new Date() : null}, ${params.phone_confirm ? new Date() : null},
          ${sql.json({ ...providers(params), ...params.app_metadata } as never)},
          ${sql.json({ ...params.user_metadata, ...(params.email_confirm ? { email_verified: true } : {}) } as never)},
          ${bannedUntil(params.ban_duration) ?? null})`;
      if (params.email) {
        await sql`
          insert into auth.identities (id, provider, provider_id, user_id, identity_data)
          values (${crypto.randomUUID()}, 'email', ${id}, ${id}, ${
          sql.json({ sub: id, email: params.email, email_verified: false, phone_verified: false })
        })`;
      }
      return await json(sql, await this.#find(sql, id));
    });
  }

  async #update(id: string, params: UserParams): Promise<unknown> {
    const hash = await this.#hash(params, false);
    const ban = bannedUntil(params.ban_duration);
    return await this.context.sql.begin(async (sql) => {
      const user = await this.#find(sql, id);
      await rejectTaken(sql, params, id);
      const change = {
        ...(params.email === undefined ? {} : { email: params.email }),
        ...(params.phone === undefined ? {} : { phone: params.phone }),
        ...(params.role === undefined ? {} : { role: params.role }),
        ...(params.email_confirm ? { email_confirmed_at: user.email_confirmed_at ?? new Date() } : {}),
        ...(params.phone_confirm ? { phone_confirmed_at: user.phone_confirmed_at ?? new Date() } : {}),
        ...(hash === null ? {} : { encrypted_password: hash }),
        ...(ban === undefined ? {} : { banned_until: ban }),
        ...merged("raw_app_meta_data", user.raw_app_meta_data, params.app_metadata),
        ...merged("raw_user_meta_data", user.raw_user_meta_data, params.user_metadata),
        updated_at: new Date(),
      };
      await sql`update auth.users set ${sql(change as never)} where id = ${id}`;
      if (params.email !== undefined) {
        await sql`
          update auth.identities
          set identity_data = identity_data || jsonb_build_object('email', ${params.email}::text), updated_at = now()
          where user_id = ${id} and provider = 'email'`;
      }
      return await json(sql, await this.#find(sql, id));
    });
  }

  async #delete(id: string, { should_soft_delete: soft }: z.output<typeof DeleteParams>): Promise<Response> {
    await this.context.sql.begin(async (sql) => {
      await this.#find(sql, id);
      if (!soft) return await sql`delete from auth.users where id = ${id}`;
      await sql`delete from auth.sessions where user_id = ${id}`;
      await sql`delete from auth.identities where user_id = ${id}`;
      return await sql`
        update auth.users
        set email = null, phone = null, encrypted_password = null, raw_user_meta_data = '{}', deleted_at = now(),
          updated_at = now()
        where id = ${id}`;
    });
    return Response.json({});
  }

  async #find(sql: Queries, id: string): Promise<UserRow> {
    const [user] = await sql<UserRow[]>`select * from auth.users where id = ${id}`;
    if (user === undefined) throw new AuthError(404, "user_not_found", "User not found");
    return user;
  }

  /** The stored form of the password; a created user without one gets a password nobody knows. */
  async #hash(params: UserParams, needed = true): Promise<string | null> {
    if (params.password_hash !== undefined) return params.password_hash;
    const password = params.password ?? (needed ? crypto.randomUUID() : undefined);
    if (password === undefined) return null;
    checkPassword(password, {
      ...this.context.config,
      passwordRequirements: params.password ? this.context.config.passwordRequirements : "",
    });
    return await hashPassword(this.context.sql, password);
  }
}

async function rejectTaken(sql: Queries, params: UserParams, id: string): Promise<void> {
  const [taken] = await sql<{ same_email: boolean; same_id: boolean }[]>`
    select email is not distinct from ${params.email ?? null} as same_email
    from auth.users
    where id <> ${id} and (email = ${params.email ?? null} or phone = ${params.phone ?? null})`;
  if (taken === undefined) return;
  if (taken.same_email) {
    throw new AuthError(422, "email_exists", "A user with this email address has already been registered");
  }
  throw new AuthError(422, "phone_exists", "A user with this phone number has already been registered");
}

async function json(sql: Queries, user: UserRow): Promise<unknown> {
  const [shown] = await usersJson(sql, [user]);
  return shown;
}

function providers(params: UserParams): Record<string, unknown> {
  const names = [...(params.email ? ["email"] : []), ...(params.phone ? ["phone"] : [])];
  return { provider: names[0], providers: names };
}

/** Keys given replace the stored ones, a null removes its key, the others stay. */
function merged(column: string, stored: Record<string, unknown> | null, given: Record<string, unknown> | undefined) {
  if (given === undefined) return {};
  const entries = Object.entries({ ...stored, ...given }).filter(([, value]) => value !== null);
  return { [column]: Object.fromEntries(entries) };
}

/** Null lifts a ban, undefined leaves it. Durations are Go's: "24h", "1h30m", "none". */
function bannedUntil(duration: string | undefined): Date | null | undefined {
  if (duration === undefined) return undefined;
  if (duration === "none") return null;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== duration) {
    throw new AuthError(400, "validation_failed", `invalid format for ban duration: "${duration}"`);
  }
  const length = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0), 0);
  const until = new Date(Date.now() + length);
  if (Number.isNaN(until.getTime()) || until.getUTCFullYear() > 9999) {
    throw new AuthError(400, "validation_failed", `invalid format for ban duration: "${duration}"`);
  }
  return until;
}

function positive(text: string | null, fallback: number): number {
  const value = Number(text || fallback);
  if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1) {
    throw new AuthError(400, "validation_failed", "Bad pagination parameters");
  }
  return value;
}
