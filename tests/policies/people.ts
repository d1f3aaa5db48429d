// The five actors that every table is tested against.
import type { Sql, TransactionSql } from "postgres";
import type { Caller } from "../support/database.ts";

export const ACTORS = ["anonymous", "owner", "stranger", "suspended", "administrator"] as const;
export type Actor = typeof ACTORS[number];

/** The ids of the actors who have an account; an anonymous user has none. */
export type People = Record<Exclude<Actor, "anonymous">, string>;

/** Creates the auth users as the auth server would; the accounts follow by trigger. */
export async function createPeople(sql: Sql | TransactionSql): Promise<People> {
  const users: People = {
    owner: crypto.randomUUID(),
    stranger: crypto.randomUUID(),
    suspended: crypto.randomUUID(),
    administrator: crypto.randomUUID(),
  };
  for (const [actor, id] of Object.entries(users)) {
    const metadata = actor === "administrator"
      ? { admin: { name: "Administrator", areas: ["lots", "reviews", "search_presets", "users"] } }
      : {};
    await sql`
      insert into auth.users (id, email, raw_app_meta_data)
      values (${id}, ${`${actor}.${id}@example.test`}, ${sql.json(metadata)})`;
  }
  await sql`update public.app_users set status = 'suspended' where id = ${users.suspended}`;
  return users;
}

/** The database role and claims of an actor, as the Data API sets them. */
export function callerOf(actor: Actor, users: People): Caller {
  return actor === "anonymous" ? { role: "anon" } : { role: "authenticated", sub: users[actor] };
}
