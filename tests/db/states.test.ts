// States: no row moves in a way that private.allowed_moves does not list, for every role; and the documentation lists them all.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot, newUser } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Move {
  readonly entity: string;
  readonly from_state: string;
  readonly to_state: string;
}

const moves = await db.sql<Move[]>`
  select entity, from_state, to_state from private.allowed_moves
  order by entity, from_state, to_state`;

const user = await newUser(db.sql);
const lot = await newLot(db.sql);

/** The tables that are held to their moves, and how a row of each begins. */
const TABLES: Record<string, { table: string; insert(sql: TransactionSql, status: string): Promise<unknown> }> = {
  parking_lot: {
    table: "parking_lots",
    insert: (sql, status) =>
      sql`insert into public.parking_lots (name, lat, lng, status) values ('Lot', 35, 139, ${status}) returning id`,
  },
  review: {
    table: "reviews",
    insert: (sql, status) =>
      sql`insert into public.reviews (parking_lot_id, rating, status) values (${lot}, 4, ${status}) returning id`,
  },
  notification: {
    table: "user_notifications",
    insert: (sql, status) =>
      sql`
        insert into public.user_notifications (user_id, type, title, body, status, sent_at)
        values (${user}, 'announcement', 'Title', 'Body', ${status}, now()) returning id`,
  },
  error_report: {
    table: "error_reports",
    insert: (sql, status) =>
      sql`
        insert into public.error_reports (parking_lot_name, report_type, description, status)
        values ('Lot', 'price', 'Dearer', ${status}) returning id`,
  },
  support_ticket: {
    table: "support_tickets",
    insert: (sql, status) =>
      sql`
        insert into public.support_tickets (user_id, category, subject, status)
        values (${user}, 'other', 'Subject', ${status}) returning id`,
  },
  parking_session: {
    table: "parking_sessions",
    insert: (sql, status) =>
      sql`
        insert into public.parking_sessions (parking_lot_id, status, ended_at, currency, breakdown, price_list_id)
        select ${lot}, ${status}, e.at, e.currency, e.breakdown, e.price_list_id
        from (select now() as at, 'JPY' as currency, '{"refusal": {}}'::jsonb as breakdown, gen_random_uuid() as price_list_id) as e
        right join (values (1)) as one on ${status} = 'ended'
        returning id`,
  },
  store_sync_run: {
    table: "store_sync_runs",
    insert: (sql, status) =>
      sql`insert into public.store_sync_runs (store, task, status) values ('ios_store', 'sales', ${status}) returning id`,
  },
  account: {
    table: "app_users",
    insert: async (sql, status) => {
      const id = await newUser(sql);
      await sql`delete from public.app_users where id = ${id}`;
      return await sql`insert into public.app_users (id, status) values (${id}, ${status}) returning id`;
    },
  },
};

/** The states that the table's constraint knows. */
async function statesOf(table: string): Promise<string[]> {
  const [row] = await db.sql<{ states: string[] }[]>`
    select array(select m[1] from regexp_matches(pg_get_constraintdef(c.oid), '''([a-z_]+)''::text', 'g') as m) as states
    from pg_constraint c
    where c.conrelid = ${`public.${table}`}::regclass and c.contype = 'c' and pg_get_constraintdef(c.oid) like 'CHECK ((status = ANY%'`;
  return row!.states;
}

const reached = (entity: string, from: string) =>
  moves.filter((move) => move.entity === entity && move.from_state === from).map(({ to_state }) => to_state).sort();

/** Does it as a role that writes, and undoes it. */
async function tried(run: (sql: TransactionSql) => Promise<unknown>): Promise<void> {
  const undo = new Error("undo");
  await db.sql.begin(async (sql) => {
    await run(sql);
    throw undo;
  }).catch((error) => {
    if (error !== undo) throw error;
  });
}

Deno.test("states: every table with a status has its transitions enforced, and the tables are these", async () => {
  const held = await db.sql<{ table: string }[]>`
    select distinct t.tgrelid::regclass::text as table from pg_trigger t
    where t.tgfoid = 'private.tg_check_state'::regproc and t.tgenabled <> 'D' order by 1`;
  assert.deepEqual(held.map(({ table }) => table), Object.values(TABLES).map(({ table }) => table).sort());
  assert.deepEqual([...new Set(moves.map(({ entity }) => entity))].sort(), Object.keys(TABLES).sort());
});

for (const [entity, { table, insert }] of Object.entries(TABLES)) {
  Deno.test(`states: ${table}: the listed transitions succeed and every other is 409 with the allowed states, for the service and the owner`, async () => {
    const states = await statesOf(table);
    assert.ok(states.length >= 3, table);
    for (const role of ["service_role", "postgres"]) {
      for (const from of states) {
        for (const to of states.filter((state) => state !== from)) {
          const attempt = tried(async (sql) => {
            const [row] = await insert(sql, from) as { id: string }[];
            await sql`select set_config('role', ${role}, true)`;
            const answer = {
              ended_at: sql`now()`,
              currency: "JPY",
              breakdown: sql`'{"refusal": {}}'`,
              price_list_id: sql`gen_random_uuid()`,
            };
            if (to === "ended") {
              await sql`
                update public.parking_sessions set status = 'ended', ended_at = ${answer.ended_at},
                  currency = ${answer.currency}, breakdown = ${answer.breakdown}, price_list_id = ${answer.price_list_id}
                where id = ${row!.id}`;
            } else await sql`update public.${sql(table)} set status = ${to} where id = ${row!.id}`;
          });
          const what = `${role}: ${from} to ${to}`;
          if (reached(entity, from).includes(to)) await attempt;
          else {
            const { code, status, param, details } = await errorOf(attempt);
            assert.deepEqual([code, status, param], ["conflict", 409, "status"], what);
            assert.deepEqual(details, {
              reason: "status_not_reachable",
              status: from,
              allowed: reached(entity, from),
            }, what);
          }
        }
      }
    }
  });
}

for (const [entity, { table, insert }] of Object.entries(TABLES)) {
  if (entity === "account") continue; // the service does not insert accounts: they follow auth.users
  Deno.test(`states: ${table}: the service creates a row only in a start state, the owner in any`, async () => {
    for (const state of await statesOf(table)) {
      await tried((sql) => insert(sql, state));
      const attempt = tried(async (sql) => {
        await sql`set local role service_role`;
        await insert(sql, state);
      });
      if (reached(entity, "new").includes(state)) await attempt;
      else {
        const { code, details } = await errorOf(attempt);
        assert.deepEqual(
          [code, (details as { allowed: string[] }).allowed],
          ["conflict", reached(entity, "new")],
          state,
        );
      }
    }
  });
}

Deno.test("states: docs/domains/states.md lists every transition that the database allows, and no other", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/domains/states.md", import.meta.url));
  const listed = [...text.matchAll(/^\| `(\w+)` +\| (?:`(\w+)`|\(new\)) +\| (.+?) +\|$/gm)].flatMap(
    ([, entity, from, states]) =>
      [...states!.matchAll(/`(\w+)`/g)].map(([, to]) => ({ entity, from_state: from ?? "new", to_state: to })),
  );
  const inWords = ({ entity, from_state, to_state }: Partial<Move>) => `${entity}: ${from_state} to ${to_state}`;
  assert.deepEqual(listed.map((move) => inWords(move as Move)).sort(), moves.map(inWords).sort());
});
