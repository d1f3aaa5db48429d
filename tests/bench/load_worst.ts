// Fills what worst.ts asks about: a person with many rows of everything, and tables as they are after years.
import postgres, { type Sql } from "postgres";
import { asSuperuser } from "../support/database.ts";
import { ADMINISTRATOR, benchId } from "./load_console.ts";

const ROWS = 5_000;

/** What questions may name: `{lot}` and so on. */
export type Known = Readonly<Record<string, string | number>>;

/** Loads what a database with lots and console does not have yet; prints its steps on stderr. */
export async function loadWorst(url: string): Promise<Known> {
  const sql = postgres(asSuperuser(url), { max: 1, onnotice: () => {} });
  const person = benchId(255, 1);
  try {
    const [dense, unpriced] = await places(sql);
    const [loaded] = await sql`select from auth.users where id = ${person}`;
    if (!loaded) await load(sql, person, dense!.lot);
    const [ids] = await sql<Record<string, string>[]>`
      select gen_random_uuid() as unknown, ${benchId(1, 4711)} as other,
        (select id from public.reviews where status = 'pending' limit 1) as review,
        (select id from public.error_reports limit 1) as report,
        (select ticket_id from public.support_messages m join public.support_tickets t on t.id = m.ticket_id
          where t.user_id = ${person} limit 1) as ticket,
        (select id from public.parking_sessions where user_id = ${person} and status = 'parking') as running,
        (select id from public.field_values where parking_lot_id = ${dense!.lot} limit 1) as field_value,
        (select id from public.sponsors limit 1) as sponsor, (select id from public.themes limit 1) as theme,
        (select id from public.badges limit 1) as badge, (select id from public.subscription_plans limit 1) as plan,
        (select id from public.user_subscriptions limit 1) as subscription,
        (select id from public.user_notifications where is_composed limit 1) as composed`;
    return {
      ...ids!,
      ...dense!,
      lat2: unpriced!.lat,
      lng2: unpriced!.lng,
      person,
      administrator: ADMINISTRATOR,
    };
  } finally {
    await sql.end();
  }
}

async function load(sql: Sql, person: string, lot: string): Promise<void> {
  await sql`select set_config('session_replication_role', 'replica', false), set_config('synchronous_commit', 'on', false),
    set_config('work_mem', '256MB', false), set_config('bench.lots', (select count(*)::text from public.parking_lots), false),
    set_config('bench.person', ${person}, false), set_config('bench.lot', ${lot}, false), set_config('bench.rows', ${
    String(ROWS)
  }, false)`;
  const tables = await Deno.readTextFile(new URL("worst_tables.sql", import.meta.url));
  for (const block of tables.split("-- step: ").slice(1)) {
    const [step] = block.split("\n");
    const started = performance.now();
    await sql.unsafe(block.slice(step!.length));
    console.error(`${step}: ${Math.round((performance.now() - started) / 1000)} s`);
  }
  await sql`insert into auth.users (id, email) values (${person}, ${`${person}@example.test`})`;
  await sql`insert into public.app_users (id) values (${person})`;
  await sql`
    insert into public.user_notifications (type, title, body, target, status, is_composed, is_in_app, data)
    values ('announcement', 'Title', 'Body', 'all', 'draft', true, false, '{}')`;
  await sql.unsafe(await Deno.readTextFile(new URL("worst.sql", import.meta.url)));
  await sql`vacuum (analyze)`;
}

/** The lots in the middle of the city that has most lots, all of them priced, and of the next one, where none is. */
async function places(sql: Sql): Promise<{ lat: number; lng: number; lot: string }[]> {
  const middle = (city: string) =>
    sql<{ lat: number; lng: number; lot: string }[]>`
      select l.lat, l.lng, l.id as lot from public.parking_lots l
      cross join (select avg(lat) as lat, avg(lng) as lng from public.parking_lots where address like ${`%, ${city}`}) m
      where l.address like ${`%, ${city}`}
      order by abs(l.lat - m.lat) + abs(l.lng - m.lng) limit 1`;
  return [...await middle("City 1"), ...await middle("City 2")];
}
