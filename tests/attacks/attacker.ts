// The means of an attacker: an identity, the URLs of the service, and the name of every function.
import postgres from "postgres";
import type { Person } from "../support/people.ts";
import { stack } from "../support/stack.ts";

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface ApiFunction {
  readonly name: string;
  readonly schema: "api" | "commands" | "private";
  readonly forAnon: boolean;
  readonly forAuthenticated: boolean;
  /** Arguments that a caller must give, by type. */
  readonly required: Readonly<Record<string, string>>;
}

/** Every function of ours, as a reader of the repository knows them. */
export async function allFunctions(): Promise<readonly ApiFunction[]> {
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  try {
    return await sql<ApiFunction[]>`
      select p.proname as name, n.nspname as schema,
        has_function_privilege('anon', p.oid, 'execute') and n.nspname = 'api' as "forAnon",
        has_function_privilege('authenticated', p.oid, 'execute') and n.nspname = 'api' as "forAuthenticated",
        coalesce((
          select jsonb_object_agg(a.name, a.type::regtype)
          from unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as a (name, type, at)
          where a.at <= p.pronargs - p.pronargdefaults and a.name <> ''
        ), '{}') as required
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('api', 'commands', 'private') and p.prorettype <> 'trigger'::regtype
        and p.proname not like 'test\\_%' -- made and dropped by other tests meanwhile
      order by n.nspname, p.proname`;
  } finally {
    await sql.end();
  }
}

const examples: Record<string, unknown> = {
  uuid: "00000000-0000-4000-8000-000000000001",
  text: "text",
  "text[]": ["text"],
  "uuid[]": ["00000000-0000-4000-8000-000000000001"],
  integer: 1,
  bigint: 1,
  "bigint[]": [1],
  boolean: true,
  numeric: 1,
  "double precision": 1,
  jsonb: {},
  json: {},
  "timestamp with time zone": "2026-09-01T10:00:00Z",
};

/** Arguments of the right types, without a meaning. */
export function argumentsFor({ required }: ApiFunction, own: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(required).map(([name, type]) => [name, own[name] ?? examples[type] ?? null]),
  );
}

/** Calls a function at the Data API, past the service's own functions. */
export async function rpc(
  who: Person | null,
  name: string,
  args: unknown = {},
  { schema = "api", headers = {} }: { schema?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(`${stack().restUrl}/rpc/${name}`, {
    method: "POST",
    headers: {
      apikey: stack().publishableKey,
      ...(who && { authorization: `Bearer ${who.token}` }),
      "content-profile": schema,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(args),
  });
  return await replyOf(response);
}

/** Runs a command by the entry point of clients. */
export const run = (who: Person, command: string, args: unknown = {}) =>
  rpc(who, "run_command", { p_command: command, p_arguments: args });

/** Sends a request to the service itself. */
export async function send(
  who: Person | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(`${stack().functionsUrl}${path}`, {
    method,
    headers: {
      ...(who && { authorization: `Bearer ${who.token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return await replyOf(response);
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  return { status: response.status, body: parsed(text), headers: response.headers };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** The code of an error, of the service or of the Data API. */
export function codeOf({ body }: Reply): string | undefined {
  const error = Object(body).error ?? body;
  return Object(error).code;
}
