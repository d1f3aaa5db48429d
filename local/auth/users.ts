// Users: rows of auth.users and auth.identities, and the JSON of responses.
import type { Sql, TransactionSql } from "postgres";
import { AuthError } from "./errors.ts";

export interface UserRow {
  readonly id: string;
  readonly aud: string | null;
  readonly role: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  /** Empty or null for a user without a password. */
  readonly encrypted_password: string | null;
  readonly confirmation_token: string | null;
  readonly recovery_token: string | null;
  readonly reauthentication_token: string | null;
  readonly reauthentication_sent_at: Date | null;
  readonly email_change: string | null;
  readonly email_change_token_current: string | null;
  readonly email_change_token_new: string | null;
  readonly email_change_sent_at: Date | null;
  readonly email_change_confirm_status: number;
  readonly email_confirmed_at: Date | null;
  readonly phone_confirmed_at: Date | null;
  readonly confirmed_at: Date | null;
  readonly confirmation_sent_at: Date | null;
  readonly recovery_sent_at: Date | null;
  readonly invited_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly raw_app_meta_data: Record<string, unknown> | null;
  readonly raw_user_meta_data: Record<string, unknown> | null;
  readonly banned_until: Date | null;
  readonly deleted_at: Date | null;
  readonly is_anonymous: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface IdentityRow {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly provider_id: string;
  readonly identity_data: Record<string, unknown>;
  readonly email: string | null;
  readonly last_sign_in_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface FactorRow {
  readonly id: string;
  readonly user_id: string;
  readonly friendly_name: string | null;
  readonly factor_type: string;
  readonly status: "unverified" | "verified";
  readonly secret: string | null;
  readonly phone: string | null;
  readonly last_challenged_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type Queries = Sql | TransactionSql;

/** The JSON of these users, in this order. */
export async function usersJson(sql: Queries, users: readonly UserRow[]): Promise<Record<string, unknown>[]> {
  if (users.length === 0) return [];
  const identities = await sql<IdentityRow[]>`
    select id, user_id, provider, provider_id, identity_data, email, last_sign_in_at, created_at, updated_at
    from auth.identities
    where user_id in ${sql(users.map((user) => user.id))}
    order by created_at`;
  const factors = await readFactors(sql, users.map((user) => user.id));
  const of = <Row extends { readonly user_id: string }>(rows: readonly Row[], { id }: UserRow) =>
    rows.filter((row) => row.user_id === id);
  return users.map((user) => userJson(user, of(identities, user), of(factors, user)));
}

/** The second factors of these users, the oldest first. */
export function readFactors(sql: Queries, userIds: readonly string[]): Promise<FactorRow[]> {
  return sql<FactorRow[]>`select * from auth.mfa_factors where user_id in ${sql(userIds)} order by created_at`;
}

/** A factor without its secret. */
export function factorJson({ secret: _, user_id: __, ...factor }: FactorRow): Record<string, unknown> {
  return { ...factor, friendly_name: factor.friendly_name || undefined, phone: factor.phone ?? "" };
}

/** The JSON of one user, read again. */
export async function readUserJson(sql: Queries, id: string): Promise<Record<string, unknown>> {
  const users = await sql<UserRow[]>`select * from auth.users where id = ${id}`;
  return (await usersJson(sql, users))[0]!;
}

export interface NewUser {
  readonly email: string;
  readonly passwordHash: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly appMetadata?: Readonly<Record<string, unknown>>;
  readonly isConfirmed: boolean;
}

/** Creates a user and its identity. Fails with 23505 when another user has the address. */
export async function createUser(sql: Queries, user: NewUser): Promise<UserRow> {
  const { email, passwordHash, metadata, appMetadata, isConfirmed } = user;
  const id = crypto.randomUUID();
  const [row] = await sql<UserRow[]>`
    insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
      raw_user_meta_data)
    values (${id}, 'authenticated', 'authenticated', ${email}, ${passwordHash}, ${isConfirmed ? new Date() : null},
      ${sql.json({ provider: "email", providers: ["email"], ...appMetadata } as never)}, ${sql.json(metadata as never)})
    returning *`;
  await sql`
    insert into auth.identities (provider, provider_id, user_id, identity_data)
    values ('email', ${id}, ${id}, ${
    sql.json({ sub: id, email, email_verified: isConfirmed, phone_verified: false })
  })`;
  return row!;
}

function userJson(
  user: UserRow,
  identities: readonly IdentityRow[],
  factors: readonly FactorRow[],
): Record<string, unknown> {
  return {
    id: user.id,
    aud: user.aud ?? "authenticated",
    role: user.role ?? "authenticated",
    email: user.email ?? "",
    ...present({
      email_confirmed_at: user.email_confirmed_at,
      invited_at: user.invited_at,
    }),
    phone: user.phone ?? "",
    ...present({
      phone_confirmed_at: user.phone_confirmed_at,
      confirmation_sent_at: user.confirmation_sent_at,
      confirmed_at: user.confirmed_at,
      recovery_sent_at: user.recovery_sent_at,
      new_email: user.email_change || null,
      email_change_sent_at: user.email_change ? user.email_change_sent_at : null,
      last_sign_in_at: user.last_sign_in_at,
    }),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    ...(factors.length === 0 ? {} : { factors: factors.map(factorJson) }),
    identities: identities.map((identity) => ({
      identity_id: identity.id,
      id: identity.provider_id,
      user_id: identity.user_id,
      identity_data: identity.identity_data,
      provider: identity.provider,
      ...present({ last_sign_in_at: identity.last_sign_in_at }),
      created_at: identity.created_at,
      updated_at: identity.updated_at,
      ...present({ email: identity.email }),
    })),
    created_at: user.created_at,
    updated_at: user.updated_at,
    ...present({ banned_until: user.banned_until, deleted_at: user.deleted_at }),
    is_anonymous: user.is_anonymous,
  };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

export async function findByEmail(sql: Queries, email: string): Promise<UserRow | undefined> {
  const [user] = await sql<UserRow[]>`
    select * from auth.users where email = ${email} and not is_sso_user and deleted_at is null`;
  return user;
}

export async function rejectTakenEmail(sql: Queries, email: string): Promise<void> {
  if (await findByEmail(sql, email) === undefined) return;
  throw new AuthError(422, "email_exists", "A user with this email address has already been registered");
}

/** The stored metadata with these keys replaced. A null removes its key. */
export function merged(
  stored: Record<string, unknown> | null,
  changes: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null));
}
