// The functions that worst.ts asks.
import type { Sql } from "postgres";
import type { Callable } from "./worst_questions.ts";

/** The functions of the interface and the commands, and the least role that may execute each. */
export async function catalogue(sql: Sql): Promise<Callable[]> {
  const rows = await sql<Callable[]>`
    select p.proname::text as name, p.pronamespace::regnamespace::text as schema,
      case when has_function_privilege('anon', p.oid, 'execute') then 'anon'
        when has_function_privilege('authenticated', p.oid, 'execute') then 'authenticated' else 'service_role' end as role,
      p.provolatile = 'v' as "isWriting",
      coalesce((
        select jsonb_agg(jsonb_build_object('name', a.name, 'type', format_type(a.type, null),
          'isRequired', a.place <= p.pronargs - p.pronargdefaults) order by a.place)
        from unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as a (name, type, place)
      ), '[]') as parameters
    from pg_proc p where p.pronamespace in ('api'::regnamespace, 'commands'::regnamespace) order by 2, 1`;
  return rows;
}
