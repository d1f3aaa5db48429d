// A function that works a number, a time or a place out of others gives null when it is given null: least(), greatest() and
// coalesce() pass over null, and make a value of what is not known (asin(least(1, sqrt(null))) is 20,015 km).
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** A value of each type that such functions take. */
const examples: Record<string, string> = {
  "double precision": "1.5",
  numeric: "1.5",
  integer: "3",
  bigint: "3",
  smallint: "3",
  point: "(0.1,0.2)",
  box: "(1,1),(0,0)",
  "time without time zone": "08:00",
  "timestamp with time zone": "2026-06-03 12:00:00+00",
  "timestamp without time zone": "2026-06-03 12:00:00",
  date: "2026-06-03",
  interval: "1 hour",
};

interface Computing {
  readonly name: string;
  readonly args: string[];
}

const computing = await db.sql<Computing[]>`
  select n.nspname || '.' || p.proname as name, array(
    select format_type(t, null) from unnest(p.proargtypes) with ordinality as a (t, place) order by a.place
  ) as args
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('api', 'private', 'commands') and p.prokind = 'f' and p.provolatile <> 'v' and not p.proretset
    and p.pronargs > 0 and format_type(p.prorettype, null) = any (${Object.keys(examples)})
    and (select bool_and(format_type(t, null) = any (${Object.keys(examples)})) from unnest(p.proargtypes) as t)
  order by 1`;

Deno.test("null arguments: the list of computing functions is not empty", () => {
  assert.ok(computing.some(({ name }) => name === "private.great_circle_m"), computing.map(({ name }) => name).join());
});

for (const { name, args } of computing) {
  args.forEach((type, n) => {
    Deno.test(`null arguments: ${name}: null as argument ${n + 1} (${type}) gives null, not a value`, async () => {
      const given = args.map((type, place) => place === n ? `null::${type}` : `'${examples[type]}'::${type}`);
      try {
        const [row] = await db.sql.unsafe(`select ${name}(${given.join(", ")}) as value`);
        assert.equal(row!["value"], null);
      } catch (error) {
        // Rejected is as good: no value came out.
        if (!(error instanceof postgres.PostgresError)) throw error;
        assert.equal(error.code, "PGRST", error.message);
      }
    });
  });
}
