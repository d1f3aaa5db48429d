// What is as large as a user's history or as the number of lots: the withdrawal and the export of a user with many rows in
// each table, and the rename of a tag that many lots have.
// deno run -A tests/bench/batches.ts   (needs the platform's settings; `deno task bench batches` sets them)
import postgres, { type Sql } from "postgres";
import { processes } from "../../local/process.ts";
import { asSuperuser } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { table } from "./measure.ts";

const { DB_URL, FUNCTIONS_URL, PUBLISHABLE_KEY } = Deno.env.toObject();
if (!DB_URL || !FUNCTIONS_URL) throw new Error("No platform is named: run `deno task bench batches`");
/** Rows of the user in each of twelve tables, lots with the tag, and entries of the identity provider's log: at most so many. */
const ROWS = 50_000;
const TAGGED_LOTS = 300_000;
const LOG_ENTRIES = 1_000_000;
const TIMEOUT_MS = 600_000;
const MEGABYTE = 1_000_000;

/** Rows of users are written past their triggers, which only a superuser may. */
const sql = postgres(asSuperuser(DB_URL), { max: 1, onnotice: () => {} });

/** The user's rows, each at another lot; how many they have in each table. */
async function fillHistory(sql: Sql, user: string): Promise<number> {
  const [made] = await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    return await sql`
      with lot as materialized (
        select l.id, l.n, now() - l.n * interval '10 minutes' as at
        from (select id, row_number() over () as n from public.parking_lots limit ${ROWS}::integer) l),
      review as (
        insert into public.reviews (parking_lot_id, user_id, rating, comment, status, created_at)
        select id, ${user}::uuid, 3, 'Wide, but dark', case n % 2 when 0 then 'approved' else 'pending' end, at from lot),
      rating as (
        insert into public.parking_lot_ratings (user_id, parking_lot_id, value) select ${user}::uuid, id, 'good' from lot),
      saved as (insert into public.saved_parking_lots (user_id, parking_lot_id, created_at) select ${user}::uuid, id, at from lot),
      activity as (
        insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, created_at)
        select ${user}::uuid, 'session_end', id, gen_random_uuid(), at from lot),
      points as (
        insert into public.exp_entries (user_id, reason, source_type, source_id, amount, created_at)
        select ${user}::uuid, 'session_end', 'session_end', id, 5, at from lot),
      notification as (
        insert into public.user_notifications (user_id, type, title, body, status, sent_at, created_at)
        select ${user}::uuid, 'announcement', 'Title', 'Body', 'sent', at, at from lot),
      report as (
        insert into public.error_reports (user_id, parking_lot_id, parking_lot_name, report_type, description, created_at)
        select ${user}::uuid, id, 'Lot', 'price', 'Wrong', at from lot),
      occupancy as (
        insert into public.occupancy_reports (parking_lot_id, source, user_id, state)
        select id, 'driver', ${user}::uuid, 'crowded' from lot),
      ticket as (
        insert into public.support_tickets (user_id, category, subject, created_at) select ${user}::uuid, 'other', 'Question', at from lot),
      field as (
        insert into public.field_values (parking_lot_id, field_name, value, state, confirm_count)
        select id, 'total_spaces', '40', 'unverified', 1 from lot returning id),
      vote as (
        insert into public.field_value_votes (field_value_id, user_id, vote) select id, ${user}::uuid, 'confirm' from field),
      stay as (
        insert into public.parking_sessions (user_id, parking_lot_id, status, started_at)
        select ${user}::uuid, id, 'cancelled', at from lot returning id, started_at),
      photo as (
        insert into public.assets (
          storage_key, content_type, category, is_public, entity_type, entity_id, attached_at, created_by, created_at)
        select 'private/' || id, 'image/jpeg', 'session_photo', false, 'session_photo', id, now(), ${user}::uuid,
          started_at from stay returning id, entity_id, storage_key),
      kept as (
        insert into public.parking_session_photos (session_id, phase, slot, asset_id, storage_key)
        select entity_id, 'during', 1, id, storage_key from photo)
      select count(*)::integer as rows from lot`;
  });
  await sql`analyze`;
  return made!["rows"];
}

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

const ask = ({ token }: Person, path: string, method: string) =>
  fetch(`${FUNCTIONS_URL}${path}`, { method, headers: { apikey: PUBLISHABLE_KEY!, authorization: `Bearer ${token}` } });

/** The memory that the process of the function has at the most, in megabytes; null if it is unknown. */
async function memory(name: string): Promise<number | null> {
  const found = (await processes()).find(({ args }) => args.includes(`/functions/${name}.js`));
  const status = found && await Deno.readTextFile(`/proc/${found.pid}/status`).catch(() => null);
  const kilobytes = /VmHWM:\s+(\d+)/.exec(status ?? "")?.[1];
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1000);
}

async function exportOf(person: Person): Promise<string[]> {
  await (await ask(person, "/me", "GET")).body?.cancel(); // the function has started
  const before = await memory("me");
  const started = performance.now();
  const response = await ask(person, "/me/export", "GET");
  let [bytes, first] = [0, ""];
  for await (const chunk of response.body!) {
    first ||= seconds(started);
    bytes += chunk.length;
  }
  const took = Number(seconds(started));
  return [
    "export",
    `first bytes after ${first} s`,
    `all after ${took} s`,
    `${(bytes / MEGABYTE).toFixed(1)} MB, ${(bytes / MEGABYTE / took).toFixed(1)} MB/s; the function has ${await memory(
      "me",
    )} MB at most, ${before} MB before`,
  ];
}

async function withdrawalOf(person: Person): Promise<string[]> {
  const started = performance.now();
  const response = await ask(person, "/me/withdraw", "POST");
  const answered = seconds(started);
  if (response.status !== 204) throw new Error(`withdrawal: ${response.status} ${await response.text()}`);
  let done = 0;
  await eventually(async () => {
    const [end] = await sql`select done_rows::integer as done from private.account_ends where user_id = ${person.id}`;
    done = end?.["done"] ?? done;
    return end === undefined ? true : undefined;
  }, TIMEOUT_MS);
  return ["withdrawal", `answered after ${answered} s`, `forgotten after ${seconds(started)} s`, `${done} rows`];
}

async function rename(): Promise<string[]> {
  const [tag] = await sql`insert into public.tags (name, slug) values ('Bench', 'bench_rename') returning id`;
  const [given] = await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    return await sql`
      with given as (
        insert into public.parking_lot_tags (parking_lot_id, tag_id)
        select id, ${tag!["id"]}::uuid from public.parking_lots limit ${TAGGED_LOTS}::integer returning 1)
      select count(*)::integer as lots from given`;
  });
  const started = performance.now();
  await sql`update public.tags set name = 'Renamed' where id = ${tag!["id"]}`;
  const answered = seconds(started);
  await eventually(async () => (await sql`select from private.renames`).length === 0 ? true : undefined, TIMEOUT_MS);
  return [
    "rename of a tag",
    `written after ${answered} s`,
    `notified after ${seconds(started)} s`,
    `${given!["lots"]} lots have it`,
  ];
}

const person = await signUp();
const rows = await fillHistory(sql, person.id);
await sql`
  insert into auth.audit_log_entries (id, payload, created_at)
  select gen_random_uuid(), json_build_object(
      'action', 'token_refreshed', 'actor_id', gen_random_uuid(), 'actor_username', n || '@example.com', 'log_type', 'token'
    ), now() - n * interval '1 second'
  from generate_series(1, ${LOG_ENTRIES}::integer) as n`;
console.log(
  `A user with ${rows} rows in each of twelve tables; ${LOG_ENTRIES} entries in the identity provider's log\n`,
);
const figures: string[][] = [];
for (const measure of [() => exportOf(person), () => withdrawalOf(person), rename]) {
  figures.push(await measure());
  console.error(figures.at(-1)!.join(", "));
}
console.log(table(["", "answer", "end", ""], figures));
await sql.end();
