// Administrators for the tests of the console: each has exactly the areas that a test names.
import { type Ask, asUser, type Person, signUp } from "../support/people.ts";
import { AdminArea } from "../../supabase/functions/admin/admins.schema.ts";
import type { Code } from "../../supabase/functions/_shared/errors.ts";
import { assertError } from "../support/api_errors.ts";
import { type RecordedAct, recordedActs } from "../support/acts.ts";
import { inDatabase } from "./lots.ts";

/** Every area. */
export const AREAS: readonly string[] = AdminArea.options;

export interface Administrator extends Person {
  readonly ask: Ask;
}

export async function anAdministrator(...areas: string[]): Promise<Administrator> {
  const user = await signUp({ appMetadata: { admin: { name: "Administrator", areas } } });
  return { ...user, ask: asUser(user) };
}

/** An administrator who is an app user as well: with reviews, reports and tickets of their own. */
export async function anAdministratingUser(...areas: string[]): Promise<Administrator> {
  const user = await signUp();
  await inDatabase((sql) =>
    sql`
      update auth.users set raw_app_meta_data = raw_app_meta_data || ${sql.json({ admin: { name: "Both", areas } })}
      where id = ${user.id}`
  );
  return { ...user, ask: asUser(user) };
}

/** The options of a request with a JSON body. */
export function sending(method: string, body?: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

/** Checks an error of the interface, and gives its details. */
export async function assertErrorDetails(
  response: Response,
  code: Code,
  param: string | null = null,
): Promise<Record<string, unknown> | undefined> {
  await assertError(response.clone(), { code, param });
  return (await response.json()).error.details;
}

export type Act = Omit<RecordedAct, "target_id">;

/** What is on record about a thing, oldest first. */
export function actsOn(targetId: string): Promise<Act[]> {
  return actsWhere({ target_id: targetId }, "admin_id", "action", "target_type", "user_id", "changes");
}

/** These columns of the acts on record that have all values of `where`, oldest first. */
export function actsWhere<Column extends keyof RecordedAct>(where: Partial<RecordedAct>, ...columns: Column[]) {
  return inDatabase((sql) => recordedActs(sql, where, columns));
}
