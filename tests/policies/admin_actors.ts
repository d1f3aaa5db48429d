// Access to the routes of administrators: the actors, the response that each gets, and the requests.
import type { Sql } from "postgres";
import type { AdminArea, Route } from "../../supabase/functions/_shared/http/route.ts";
import { keepsAnswers } from "../../supabase/functions/_shared/http/route.ts";
import type { Status } from "../../local/settings.ts";
import { newUser } from "../support/rows.ts";
import { sample } from "../support/sample.ts";
import { token } from "../support/tokens.ts";

export interface Actor {
  readonly name: string;
  readonly authorization: string | null;
  /** The areas of an active administrator; null for all others. */
  readonly areas: readonly AdminArea[] | null;
  /** Whether the actor has a token. */
  readonly isCaller: boolean;
}

/** Every kind of caller, and administrators with each area alone. */
export async function createActors(sql: Sql, { JWT_SECRET, SECRET_KEY, SERVICE_ROLE_KEY }: Status): Promise<Actor[]> {
  const [known] = await sql<{ areas: AdminArea[] }[]>`select private.admin_areas() as areas`;
  const bearer = (id: string) => `Bearer ${token(id, { secret: JWT_SECRET })}`;
  const administrator = async (name: string, areas: readonly AdminArea[], status = "active"): Promise<Actor> => {
    const id = crypto.randomUUID();
    await sql`
      insert into auth.users (id, email, raw_app_meta_data)
      values (${id}, ${`${id}@example.test`}, ${sql.json({ admin: { name: "A", areas: [...areas], status } })})`;
    return { name, authorization: bearer(id), areas: status === "active" ? areas : null, isCaller: true };
  };
  const appUser = async (name: string, change: Record<string, string> = {}): Promise<Actor> => {
    const id = await newUser(sql);
    if (Object.keys(change).length > 0) await sql`update public.app_users set ${sql(change)} where id = ${id}`;
    return { name, authorization: bearer(id), areas: null, isCaller: true };
  };
  const unauthenticated = (name: string, authorization: string | null) => ({
    name,
    authorization,
    areas: null,
    isCaller: false,
  });
  return [
    unauthenticated("anonymous", null),
    unauthenticated("the secret key", `Bearer ${SECRET_KEY}`),
    unauthenticated("the service role key", `Bearer ${SERVICE_ROLE_KEY}`),
    await appUser("an app user"),
    await appUser("a premium user", { premium_ends_at: "2099-01-01" }),
    await appUser("a suspended user", { status: "suspended" }),
    await appUser("a withdrawn user", { status: "withdrawn" }),
    await administrator("a suspended administrator", known!.areas, "suspended"),
    await administrator("an administrator without areas", []),
    ...await Promise.all(known!.areas.map((area) => administrator(`an administrator of ${area}`, [area]))),
  ];
}

/** The response to an actor: an error with the missing scope, or access, with any other result. */
export function expected({ area }: Route, { areas, isCaller }: Actor): string {
  if (!isCaller) return "401";
  if (areas === null) return "403 admin";
  return area === null || areas.includes(area!) ? "let in" : `403 admin:${area}`;
}

/**
 * Kinds of request, each of which is rejected for its caller before anything else is looked at: with what the schemas
 * require, with every field and no list empty, with a parameter that does not exist, with an idempotency key.
 */
export const FORMS = ["good", "whole", "malformed", "keyed"] as const;
export type Form = typeof FORMS[number];

/** A request of a route, made of its schemas: `good` valid for its schemas, with ids that do not exist. */
export function requestOf(route: Route, form: Form): { path: string; init: RequestInit } {
  const { method, params, query, body } = route;
  const named = params === undefined ? {} : sampled(route, "params", params);
  const args = query === undefined ? {} : sampled(route, "query", query);
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(named[name])));
  const search = new URLSearchParams(
    Object.entries({ ...args, ...(form === "malformed" && { no_such_key: 1 }) })
      .map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  );
  const headers: Record<string, string> = {};
  if (form === "keyed" && keepsAnswers(route)) headers["idempotency-key"] = crypto.randomUUID();
  if (body === undefined) return { path: `${path}?${search}`, init: { method, headers } };
  headers["content-type"] = "application/json";
  const sent = (form === "whole" ? sample(body, true) : undefined) ?? sampled(route, "body", body);
  return { path: `${path}?${search}`, init: { method, headers, body: JSON.stringify(sent) } };
}

function sampled(route: Route, what: string, schema: NonNullable<Route["body"]>): Record<string, unknown> {
  const value = sample(schema);
  if (value !== undefined) return value;
  throw new Error(`tests/support/sample.ts finds nothing that fits the ${what} of ${route.method} ${route.path}`);
}

/** What the service answers an actor, in the words of `expected`. */
export async function answered(base: string, route: Route, { authorization }: Actor, form: Form): Promise<string> {
  const { path, init } = requestOf(route, form);
  const headers = { ...init.headers as Record<string, string>, ...(authorization && { authorization }) };
  const response = await fetch(`${base}${path}`, { ...init, headers });
  const text = await response.text();
  if (response.status === 401) return "401";
  if (response.status >= 500) return `${response.status} ${text}`;
  if (response.status !== 403) return "let in";
  const { error } = JSON.parse(text);
  return `403 ${error.details?.scope ?? text}`;
}

export interface Cell {
  readonly route: Route;
  readonly actor: Actor;
  readonly form: Form;
}

const AT_ONCE = 8;

/** The cells whose answer is not the expected one, in words. */
export async function differences(base: string, cells: readonly Cell[]): Promise<string[]> {
  const found: string[] = [];
  const pending = [...cells];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let cell = pending.shift(); cell !== undefined; cell = pending.shift()) {
      const { route, actor, form } = cell;
      const [answer, wanted] = [await answered(base, route, actor, form), expected(route, actor)];
      if (answer !== wanted) {
        found.push(`${actor.name}: ${route.method} ${route.path} (${form}): ${answer}, not ${wanted}`);
      }
    }
  }));
  return found.sort();
}
