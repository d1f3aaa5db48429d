// Text in a JSON argument. `{"p_filters": "x"}` means the JSON string "x", as PostgREST reads it; the library would take
// the text for JSON itself. It is quoted here, where the argument's type is known.
import type { Sql } from "postgres";

/** The names of each function's json and jsonb arguments. */
export type JsonArguments = ReadonlyMap<string, ReadonlySet<string>>;

export async function readJsonArguments(sql: Sql, schemas: readonly string[]): Promise<JsonArguments> {
  const rows = await sql<{ name: string; argument: string }[]>`
    select p.proname as name, a.name as argument
    from pg_proc p
    cross join lateral unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) as a (name, type)
    where p.pronamespace::regnamespace::text in ${sql([...schemas])}
      and a.type in ('json'::regtype, 'jsonb'::regtype)`;
  const found = new Map<string, Set<string>>();
  for (const { name, argument } of rows) found.set(name, (found.get(name) ?? new Set()).add(argument));
  return found;
}

/** The body of a call with its JSON strings quoted; any other body as it came. */
export async function quoteJsonStrings(request: Request, names: ReadonlySet<string>): Promise<BodyInit> {
  const text = await request.text();
  const body = parse(text);
  if (body === undefined) return text;
  for (const name of names) {
    if (typeof body[name] === "string") body[name] = JSON.stringify(body[name]);
  }
  return JSON.stringify(body);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // the Data API says so in its own words
    throw error;
  }
}
