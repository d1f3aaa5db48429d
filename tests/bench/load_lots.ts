// Fills a database with generated lots: on two connections, with indexes built once and search entries written once.
import postgres, { type Sql } from "postgres";

/** Many lots in a statement, because each statement compiles price lists; not all, because it holds what it reads. */
const BATCH = 10_000;
/** A machine for benches has two cores, and a connection uses one. */
const CONNECTIONS = 2;

const script = (name: string) => Deno.readTextFile(new URL(name, import.meta.url));

/** Loads this many lots, three in ten with prices, hours, tags and reviews; prints its steps on stderr; returns a summary. */
export async function loadLots(url: string, count: number): Promise<string> {
  const connection = () => postgres(url, { max: 1, onnotice: () => {} });
  const connections = Array.from({ length: CONNECTIONS }, connection);
  const [sql] = connections as [Sql];
  const progress = new LoadProgress();
  try {
    // Vacuum marks no page as visible to all before its rows' commit is on disk, which a test platform does not wait for.
    for (const one of connections) {
      await one`select set_config('synchronous_commit', 'on', false), set_config('maintenance_work_mem', '512MB', false)`;
    }
    await toggleTriggers(sql, "disable");
    const indexes = [
      ...await dropIndexes(sql, "public.parking_lots"),
      ...await dropIndexes(sql, "private.search_entries"),
    ];
    await progress.step("lots", async () => {
      await sql`select set_config('bench.lots', ${String(count)}, false)`;
      await sql.unsafe(await script("lots.sql"));
    });
    const withFacts = await loadFacts(connections, progress);
    await sql`analyze`;
    await writeSearchEntries(connections, progress);
    await inParallel(connections, indexes, (one, definition) => one.unsafe(definition), progress, "indexes");
    await toggleTriggers(sql, "enable");
    await progress.step("changes", () => noteChanges(sql));
    await progress.step("map", () =>
      sql.begin(async (sql) => {
        await sql`select pg_advisory_xact_lock(hashtext('private.next_map_batch'))`;
        await sql`truncate private.map_marks`;
        await sql`select private.refresh_map_cells(array(select distinct private.map_cell(mercator) from private.search_entries))`;
      }));
    await progress.step("vacuum", () => sql`vacuum (analyze)`);
    const [size] = await sql<{ lots: string; table: string; index: string }[]>`
      select count(*)::text as lots, pg_size_pretty(pg_relation_size('public.parking_lots')) as table,
        pg_size_pretty(pg_relation_size('private.search_entries_mercator_idx')) as index
      from public.parking_lots`;
    return `${size!.lots} lots in ${progress.seconds} s: table ${size!.table}, search index ${size!.index}; ` +
      `${withFacts} of them with prices, hours, tags and reviews`;
  } finally {
    for (const one of connections) await one.end();
  }
}

/** Search entries and changes are written once, when all is there, and not with each statement that fills a lot in; tariffs by lot_facts.sql. */
async function toggleTriggers(sql: Sql, state: "enable" | "disable"): Promise<void> {
  const triggers = await sql<{ table: string; name: string }[]>`
    select t.tgrelid::regclass::text as table, t.tgname as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and p.proname ~ '__(refresh|refresh_lots|record_changes)$'`;
  for (const { table, name } of triggers) await sql.unsafe(`alter table ${table} ${state} trigger ${name}`);
}

/** What the triggers and private.note_lot_changes would have written. */
async function noteChanges(sql: Sql): Promise<void> {
  await sql`
    insert into private.lot_changes (parking_lot_id, revision, noted_at, is_gone)
    select l.id, m.revision + row_number() over (), now(), false
    from public.parking_lots l cross join (select coalesce(max(revision), 0) as revision from private.lot_changes) m
    where l.status = 'active'
    on conflict do nothing`;
}

/** Drops the indexes that no constraint needs; returns their definitions. */
async function dropIndexes(sql: Sql, table: string): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i where i.indrelid = ${table}::regclass and not i.indisunique`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}

async function loadFacts(connections: readonly Sql[], progress: LoadProgress): Promise<number> {
  const facts = await script("lot_facts.sql");
  let lots = 0;
  for (const sql of connections) {
    await sql`
      create temporary table lot_with_facts as
      select id, row_number() over (order by name)::integer as n
      from public.parking_lots where address like '%, City 1' or address like '%, City 4'`;
    await sql`create index on lot_with_facts (n)`;
    await sql`analyze lot_with_facts`;
    lots = (await sql<{ count: number }[]>`select count(*)::integer from lot_with_facts`)[0]!.count;
  }
  const batches = Array.from({ length: Math.ceil(lots / BATCH) }, (_, batch) => 1 + batch * BATCH);
  await inParallel(
    connections,
    batches,
    (sql, from) =>
      sql.begin(async (transaction) => {
        await transaction`
        select set_config('bench.from', ${String(from)}, true), set_config('bench.upto', ${
          String(from + BATCH)
        }, true)`;
        await transaction.unsafe(facts);
      }),
    progress,
    "prices, hours, tags and reviews",
  );
  return lots;
}

async function writeSearchEntries(connections: readonly Sql[], progress: LoadProgress): Promise<void> {
  const firsts = await connections[0]!<{ id: string }[]>`
    select id from (select id, row_number() over (order by id) as n from public.parking_lots) s where n % ${BATCH}::integer = 1`;
  const batches = firsts.map(({ id }, place) => ({ from: id, upto: firsts[place + 1]?.id ?? null }));
  await inParallel(
    connections,
    batches,
    (sql, { from, upto }) =>
      sql`
      select private.refresh_search_entries(array(
        select id from public.parking_lots where id >= ${from} and (${upto}::uuid is null or id < ${upto})
      ))`,
    progress,
    "search entries",
  );
}

/** Does all tasks, each connection one at a time. */
async function inParallel<Task>(
  connections: readonly Sql[],
  tasks: readonly Task[],
  work: (sql: Sql, task: Task) => PromiseLike<unknown>,
  progress: LoadProgress,
  name: string,
): Promise<void> {
  const waiting = [...tasks];
  await progress.step(name, () =>
    Promise.all(connections.map(async (sql) => {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
        await work(sql, task);
        progress.share(name, 1 - waiting.length / tasks.length);
      }
    })));
}

/** Steps on stderr: how far one is, at most each second, and how long it took. */
class LoadProgress {
  readonly #started = performance.now();
  #printed = 0;

  get seconds(): number {
    return Math.round((performance.now() - this.#started) / 1000);
  }

  async step(name: string, work: () => PromiseLike<unknown>): Promise<void> {
    const before = performance.now();
    console.error(`${name} …`);
    await work();
    console.error(`${name}: ${((performance.now() - before) / 1000).toFixed(1)} s`);
  }

  share(name: string, share: number): void {
    if (performance.now() - this.#printed < 1000) return;
    this.#printed = performance.now();
    console.error(`${name}: ${Math.round(100 * share)} %`);
  }
}
