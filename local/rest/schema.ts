// The functions of the exposed schemas, the settings of the roles, and the function that runs before each request. They are
// read at the start and when the schema changes.
import type { Sql } from "postgres";

export interface Parameter {
  readonly name: string;
  /** As it is written in SQL. */
  readonly type: string;
  readonly isRequired: boolean;
}

export interface RestFunction {
  readonly schema: string;
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly returns: "void" | "value" | "rows";
  readonly isVolatile: boolean;
  /** `set statement_timeout` of the function, which must be set before it begins. */
  readonly statementTimeout: string | null;
}

export interface Schema {
  /** By schema and name: `api.list_codes`. */
  readonly functions: ReadonlyMap<string, readonly RestFunction[]>;
  /** The settings of each role that a request may act as, as `alter role … set` made them. */
  readonly roleSettings: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** `pgrst.db_pre_request` of authenticator: a function's name as SQL. */
  readonly preRequest: string | null;
}

const FUNCTIONS = `
  select coalesce(json_agg(f), '[]')::text as json
  from (
    select n.nspname as schema, p.proname as name,
      coalesce((
        select json_agg(json_build_object(
          'name', coalesce(a.name, ''), 'type', format_type(a.type, null),
          'isRequired', a.place <= p.pronargs - p.pronargdefaults
        ) order by a.place)
        from (
          select row_number() over (order by given.place) as place, given.type, given.name
          from unnest(
            coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, coalesce(p.proargmodes, '{}')
          ) with ordinality as given (type, name, mode, place)
          where coalesce(given.mode, 'i') in ('i', 'b', 'v')
        ) a
      ), '[]') as parameters,
      case
        when p.prorettype = 'void'::regtype then 'void'
        when p.proretset or t.typtype = 'c' or p.prorettype = 'record'::regtype then 'rows'
        else 'value'
      end as returns,
      p.provolatile = 'v' as "isVolatile",
      (select substr(s, strpos(s, '=') + 1) from unnest(p.proconfig) s where s like 'statement_timeout=%') as "statementTimeout"
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    join pg_type t on t.oid = p.prorettype
    where n.nspname = any (string_to_array($1, ',')) and p.prokind = 'f'
    order by n.nspname, p.proname, p.oid
  ) f`;

const ROLE_SETTINGS = `
  select coalesce(json_agg(s), '[]')::text as json
  from (
    select r.rolname as role, split_part(c.setting, '=', 1) as name, substr(c.setting, strpos(c.setting, '=') + 1) as value
    from pg_db_role_setting d
    join pg_roles r on r.oid = d.setrole
    cross join unnest(d.setconfig) with ordinality as c (setting, place)
    where d.setdatabase in (0, (select oid from pg_database where datname = current_database()))
      and pg_has_role(session_user, r.oid, 'member')
    order by d.setdatabase, c.place
  ) s`;

export async function readSchema(sql: Sql, schemas: readonly string[]): Promise<Schema> {
  const [, [functions], [settings]] = await sql.begin((transaction) => [
    transaction`select set_config('search_path', '', true)`, // so that types are written with their schemas
    transaction.unsafe<{ json: string }[]>(FUNCTIONS, [schemas.join(",")]),
    transaction.unsafe<{ json: string }[]>(ROLE_SETTINGS),
  ]);
  const byName = Map.groupBy(listIn<RestFunction>(functions), ({ schema, name }) => `${schema}.${name}`);
  const ofRoles = new Map<string, Record<string, string>>();
  let preRequest: string | null = null;
  for (const { role, name, value } of listIn<{ role: string; name: string; value: string }>(settings)) {
    if (name === "pgrst.db_pre_request") preRequest = value;
    // The isolation of a transaction cannot be changed any more when the role is known.
    if (name.startsWith("pgrst.") || name === "default_transaction_isolation") continue;
    ofRoles.set(role, { ...ofRoles.get(role), [name]: value });
  }
  ofRoles.delete("authenticator"); // a connection begins with these
  return { functions: byName, roleSettings: ofRoles, preRequest };
}

function listIn<Value>(row: { json: string } | undefined): Value[] {
  return JSON.parse(row!.json);
}
