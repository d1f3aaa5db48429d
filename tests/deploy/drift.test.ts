// The comparison of two catalogues: what it prints for planted differences, and the command for operators.
import assert from "node:assert/strict";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { PASSWORD } from "../../local/postgres/server.ts";
import { ROOT } from "../../local/settings.ts";
import { readCatalogue } from "../../tools/release/catalogue.ts";
import { differences } from "../../tools/release/catalogue_difference.ts";
import { RULED_TABLES } from "../../tools/release/catalogue_rows.ts";
import { catalogueOf, drift, expectedCatalogue } from "../../tools/release/drift.ts";
import { asSuperuser, database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** Objects of kinds that the service does not have, and the buckets of a hosted project. */
const PREPARATION = [
  "create type private.drift_enum as enum ('one', 'two')",
  "create table private.drift_order (first integer, second integer, third integer)",
  "create function private.drift_event() returns event_trigger language plpgsql as 'begin end'",
  "create event trigger drift_event on ddl_command_end execute function private.drift_event()",
  "create schema storage",
  "create table storage.buckets (id text, public boolean, file_size_limit bigint, allowed_mime_types text[])",
  "insert into storage.buckets values ('assets', true, 10, '{image/png}'), ('assets-private', false, 10, '{image/png}')",
  "create table storage.objects (id uuid primary key)",
];

interface Planted {
  readonly name: string;
  readonly sql: string;
  /** The beginning of the line that the comparison prints. */
  readonly line: string;
}

/** Each changes objects of its own, so they are planted together. */
const PLANTED: readonly Planted[] = [
  {
    name: "policy changed",
    sql: `alter policy "Everyone reads holidays" on public.holidays using (false)`,
    line: 'Different: policy "Everyone reads holidays" of public.holidays: using is "false"',
  },
  {
    name: "policy for other roles",
    sql: `alter policy "Everyone reads operators" on public.operators to public`,
    line: 'Different: policy "Everyone reads operators" of public.operators: roles have in addition public',
  },
  {
    name: "policy dropped",
    sql: `drop policy "Anyone reads the lists" on public.code_categories`,
    line: 'Missing: policy "Anyone reads the lists" of public.code_categories.',
  },
  {
    name: "policy added",
    sql: `create policy drift_policy on public.tags for delete to anon using (true)`,
    line: "Extra: policy drift_policy of public.tags.",
  },
  {
    name: "policy restrictive",
    sql: `drop policy "Authenticated users read the levels" on public.levels;
      create policy "Authenticated users read the levels" on public.levels as restrictive for select to authenticated
      using (true)`,
    line: 'Different: policy "Authenticated users read the levels" of public.levels: permissive is "no"',
  },
  {
    name: "check of a policy",
    sql: `alter policy "Users report as themselves" on public.error_reports with check (true)`,
    line: 'Different: policy "Users report as themselves" of public.error_reports: check is "true"',
  },
  {
    name: "events of a trigger",
    sql: `create or replace trigger _200_sync_admin after update of email on auth.users
      for each row execute function private.tg_users__sync_admin()`,
    line: "Different: trigger _200_sync_admin of auth.users: definition is",
  },
  {
    name: "policy of object storage added",
    sql: `create policy drift_objects on storage.objects for select to anon using (true)`,
    line: "Extra: policy drift_objects of storage.objects.",
  },
  {
    name: "policy of realtime dropped",
    sql: `drop policy "Users join their own topics, administrators the console's" on realtime.messages`,
    line: 'Missing: policy "Users join their own topics, administrators the console\'s" of realtime.messages.',
  },
  {
    name: "grant on a table added",
    sql: `grant insert on public.levels to anon`,
    line: "Different: table public.levels: grants have in addition insert to anon",
  },
  {
    name: "grant on a function revoked",
    sql: `revoke execute on function api.list_tags(text, integer, text, text[]) from anon`,
    line: "Different: function api.list_tags(text, integer, text, text[]): grants lack execute to anon",
  },
  {
    name: "grant on a column added",
    sql: `grant update (status) on public.app_users to authenticated`,
    line: "Different: column public.app_users.status: grants have in addition update to authenticated",
  },
  {
    name: "row security off",
    sql: `alter table public.badges disable row level security`,
    line: 'Different: table public.badges: row security is "no"',
  },
  {
    name: "row security forced",
    sql: `alter table public.codes force row level security`,
    line: 'Different: table public.codes: forced row security is "yes"',
  },
  {
    name: "security definer",
    sql: `alter function private.plan_names(uuid) security definer`,
    line: 'Different: function private.plan_names(uuid): security is "definer"',
  },
  {
    name: "search_path of a function",
    sql: `alter function private.is_command(text) set search_path = public`,
    line: "Different: function private.is_command(text): settings have in addition search_path=public",
  },
  {
    name: "volatility",
    sql: `alter function private.client_address() volatile`,
    line: 'Different: function private.client_address(): volatility is "volatile"',
  },
  {
    name: "function body changed by one character",
    sql: `do $$ begin execute replace(pg_get_functiondef('private.enqueue(text, jsonb, integer)'::regprocedure),
      'p_delay_seconds, 0)', 'p_delay_seconds, 9)'); end $$`,
    line: 'Different: function private.enqueue(text, jsonb, integer): line 3 of body is "return pgmq.send(p_queue, p',
  },
  {
    name: "comment of a function",
    sql: `comment on function private.dequeue(text, bigint) is 'Other.'`,
    line: 'Different: function private.dequeue(text, bigint): comment is "Other."',
  },
  {
    name: "owner of a function",
    sql: `alter function private.enqueue_all(text, jsonb[]) owner to service_role`,
    line:
      'Different: function private.enqueue_all(text, jsonb[]): grants lack execute to service_role; owner is "service_role"',
  },
  {
    name: "overload of a function",
    sql: `create function api.list_tags(integer) returns integer language sql as 'select 1'`,
    line: "Extra: function api.list_tags(integer).",
  },
  {
    name: "function dropped",
    sql: `drop function api.vault_read_secret(uuid)`,
    line: "Missing: function api.vault_read_secret(uuid).",
  },
  {
    name: "trigger disabled",
    sql: `alter table public.admins disable trigger _100_touch_updated_at`,
    line: 'Different: trigger _100_touch_updated_at of public.admins: state is "disabled"',
  },
  {
    name: "trigger dropped",
    sql: `drop trigger _100_touch_updated_at on public.codes`,
    line: "Missing: trigger _100_touch_updated_at of public.codes.",
  },
  {
    name: "trigger always",
    sql: `alter table public.tags enable always trigger _200_keep_slug`,
    line: 'Different: trigger _200_keep_slug of public.tags: state is "always"',
  },
  {
    name: "trigger on auth.users dropped",
    sql: `drop trigger _100_open_account on auth.users`,
    line: "Missing: trigger _100_open_account of auth.users.",
  },
  {
    name: "event trigger disabled",
    sql: `alter event trigger drift_event disable`,
    line: 'Different: event trigger drift_event: state is "disabled"',
  },
  {
    name: "foreign keys not enforced",
    sql: `alter table private.idempotency_days disable trigger all`,
    line: 'Different: constraint idempotency_days_user_id_fkey of private.idempotency_days: enforced is "no"',
  },
  {
    name: "index dropped",
    sql: `drop index public.parking_lots_name_idx`,
    line: "Missing: index public.parking_lots_name_idx.",
  },
  {
    name: "index invalid",
    sql: `update pg_index set indisvalid = false where indexrelid = 'public.assets_deleted_idx'::regclass`,
    line: 'Different: index public.assets_deleted_idx: valid is "no"',
  },
  {
    name: "index added",
    sql: `create index drift_idx on public.assets (id, size_bytes)`,
    line: "Extra: index public.drift_idx.",
  },
  {
    name: "unique index not unique",
    sql: `do $$ declare v_index constant text := pg_get_indexdef('public.parking_lot_images_one_main'::regclass); begin
      drop index public.parking_lot_images_one_main; execute replace(v_index, 'UNIQUE', ''); end $$`,
    line: 'Different: index public.parking_lot_images_one_main: definition is "CREATE INDEX parking_lot_images_one_m',
  },
  {
    name: "check dropped",
    sql: `alter table public.codes drop constraint codes_metadata_form`,
    line: "Missing: constraint codes_metadata_form of public.codes.",
  },
  {
    name: "check not valid",
    sql: `update pg_constraint set convalidated = false where conname = 'admins_name_length'`,
    line: 'Different: constraint admins_name_length of public.admins: definition is "CHECK (((char_length(name) >= 1',
  },
  {
    name: "check changed",
    sql: `alter table private.exp_rules drop constraint exp_rules_amount_bounds,
      add constraint exp_rules_amount_bounds check (amount between 1 and 20000)`,
    line: 'Different: constraint exp_rules_amount_bounds of private.exp_rules: definition is "CHECK (((amount >= 1) ',
  },
  {
    name: "action of a foreign key",
    sql:
      `alter table public.reviews drop constraint reviews_parking_lot_id_fkey, add constraint reviews_parking_lot_id_fkey
      foreign key (parking_lot_id) references public.parking_lots (id) on delete restrict`,
    line: 'Different: constraint reviews_parking_lot_id_fkey of public.reviews: definition is "FOREIGN KEY (parking_',
  },
  {
    name: "unique constraint dropped",
    sql: `alter table public.operators drop constraint operators_slug_key`,
    line: "Missing: constraint operators_slug_key of public.operators.",
  },
  {
    name: "check of a domain",
    sql: `alter domain private.pricing_rule drop constraint day_type_is_known`,
    line: "Missing: constraint day_type_is_known of private.pricing_rule.",
  },
  {
    name: "label of an enum",
    sql: `alter type private.drift_enum rename value 'two' to 'three'`,
    line: 'Different: type private.drift_enum: list of labels is "one, three"',
  },
  {
    name: "attribute of a composite type",
    sql: `alter type private.user_filter add attribute drift text`,
    line: "Extra: column private.user_filter.drift.",
  },
  {
    name: "default of a column",
    sql: `alter table public.tags alter column sort_order set default 9`,
    line: 'Different: column public.tags.sort_order: default is "9"',
  },
  {
    name: "type of a column",
    sql: `alter table private.places alter column lines type varchar(200)`,
    line: 'Different: column private.places.lines: type is "character varying(200)"',
  },
  {
    name: "not null dropped",
    sql: `alter table public.articles alter column title drop not null`,
    line: 'Different: column public.articles.title: not null is "no"',
  },
  {
    name: "expression of a generated column",
    sql: `alter table public.client_crash_reports alter column size_bytes set expression as (1)`,
    line: 'Different: column public.client_crash_reports.size_bytes: generated is "1"',
  },
  {
    name: "column added",
    sql: `alter table public.levels add column drift integer`,
    line: "Extra: column public.levels.drift.",
  },
  {
    name: "order of columns",
    sql:
      `alter table private.drift_order drop column second; alter table private.drift_order add column second integer`,
    line: 'Different: table private.drift_order: column order is "first, third, second"',
  },
  {
    name: "comment of a column",
    sql: `comment on column public.code_categories.is_open is null`,
    line: 'Different: column public.code_categories.is_open: comment is "none"',
  },
  {
    name: "owner of a table",
    sql: `alter table private.geocoded_places owner to service_role`,
    line: 'Different: table private.geocoded_places: owner is "service_role"',
  },
  {
    name: "replica identity",
    sql: `alter table public.user_badges replica identity full`,
    line: 'Different: table public.user_badges: replica identity is "full"',
  },
  {
    name: "storage options of a table",
    sql: `alter table public.sponsors set (fillfactor = 70)`,
    line: "Different: table public.sponsors: options have in addition fillfactor=70",
  },
  {
    name: "unlogged table",
    sql: `alter table private.badge_errors set unlogged`,
    line: 'Different: table private.badge_errors: persistence is "unlogged"',
  },
  {
    name: "table added",
    sql: `create table public.drift_table (id integer primary key, note text)`,
    line: "Extra: table public.drift_table.",
  },
  {
    name: "definition of a view",
    sql: `do $$ begin execute format('create or replace view private.badge_sources as select * from (%s) v limit 5',
      rtrim(pg_get_viewdef('private.badge_sources'::regclass), ';')); end $$`,
    line: 'Different: view private.badge_sources: line 1 of definition is "SELECT user_id,"',
  },
  {
    name: "rule added",
    sql: `create rule drift_rule as on delete to public.levels do instead nothing`,
    line: "Extra: rule drift_rule of public.levels.",
  },
  {
    name: "increment of a sequence",
    sql: `alter sequence private.exp_rules_id_seq increment 5`,
    line: 'Different: sequence private.exp_rules_id_seq: increment is "5"',
  },
  {
    name: "grant on a schema",
    sql: `grant create on schema api to anon`,
    line: "Different: schema api: grants have in addition create to anon",
  },
  {
    name: "schema added",
    sql: `create schema drift_schema; create table drift_schema.inside (id integer)`,
    line: "Extra: schema drift_schema.",
  },
  {
    name: "default grant changed",
    sql: `alter default privileges for role postgres in schema public grant all on tables to anon`,
    line: "Different: default privileges of postgres on tables in schema public: grants have in addition delete to a",
  },
  {
    name: "default grant added",
    sql: `alter default privileges for role postgres in schema private grant execute on functions to anon`,
    line:
      "Different: default privileges of postgres on functions in schema private: grants have in addition execute to anon",
  },
  {
    name: "publication without a table",
    sql: `alter publication supabase_realtime drop table public.user_badges`,
    line: "Missing: table public.user_badges in publication supabase_realtime.",
  },
  {
    name: "columns of a published table",
    sql: `alter publication supabase_realtime drop table public.admin_notifications;
      alter publication supabase_realtime add table public.admin_notifications (id)`,
    line: 'Different: table public.admin_notifications in publication supabase_realtime: column list is "id"',
  },
  {
    name: "operations of a publication",
    sql: `alter publication supabase_realtime set (publish = 'insert')`,
    line: "Different: publication supabase_realtime: operations lack update, delete, truncate",
  },
  {
    name: "extension added",
    sql: `create extension fuzzystrmatch with schema extensions`,
    line: "Extra: extension fuzzystrmatch.",
  },
  {
    name: "setting of a role",
    sql: `alter role authenticated set statement_timeout = '60s'`,
    line: 'Different: setting statement_timeout of role authenticated: value is "60s"',
  },
  {
    name: "setting of a role missing",
    sql: `alter role authenticator reset pgrst.db_pre_request`,
    line: "Missing: setting pgrst.db_pre_request of role authenticator.",
  },
  {
    name: "setting of the database",
    sql:
      `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    line: "Extra: setting default_transaction_read_only of this database.",
  },
  {
    name: "attribute of a role",
    sql: `alter role anon bypassrls`,
    line: "Different: role anon: attributes have in addition bypassrls",
  },
  {
    name: "membership added",
    sql: `grant service_role to authenticated`,
    line: "Extra: membership of authenticated in service_role.",
  },
  {
    name: "membership revoked",
    sql: `revoke anon from authenticator`,
    line: "Missing: membership of authenticator in anon.",
  },
  {
    name: "schedule of a job",
    sql: `update cron.job set schedule = '0 0 * * *' where jobname = 'purge'`,
    line: 'Different: job purge: schedule is "0 0 * * *"',
  },
  {
    name: "command of a job",
    sql: `update cron.job set command = 'select 1' where jobname = 'sync_stores'`,
    line: 'Different: job sync_stores: command is "select 1"',
  },
  {
    name: "job inactive",
    sql: `update cron.job set active = false where jobname = 'sweep_assets'`,
    line: 'Different: job sweep_assets: active is "no"',
  },
  { name: "job missing", sql: `delete from cron.job where jobname = 'refresh_map'`, line: "Missing: job refresh_map." },
  {
    name: "job extra",
    sql: `insert into cron.job (jobname, schedule, command) values ('drift_job', '* * * * *', 'select 1')`,
    line: "Extra: job drift_job.",
  },
  { name: "queue missing", sql: `select pgmq.drop_queue('mail')`, line: "Missing: queue mail." },
  {
    name: "registry of queues",
    sql: `update private.queues set condition = 'false' where name = 'push-dispatch'`,
    line: 'Different: row of private.queues (name push-dispatch): condition is "false"',
  },
  {
    name: "code missing",
    sql: `delete from public.codes where category_id = 'store' and code = 'ios_store' and lang = 'ja'`,
    line: "Missing: row of public.codes (category_id store, code ios_store, lang ja).",
  },
  {
    name: "template of a notification",
    sql: `update private.notification_templates set title = 'Other' where name = 'review_approved' and lang = 'en'`,
    line: 'Different: row of private.notification_templates (name review_approved, lang en): title is "Other"',
  },
  {
    name: "retention",
    sql: `update private.retentions set every = '9 days' where table_name = 'public.user_notifications'`,
    line: "Different: row of private.retentions (table_name public.user_notifications",
  },
  {
    name: "rate limit",
    sql: `update private.rate_limit_policies set quota = 7 where name = 'upload'`,
    line: 'Different: row of private.rate_limit_policies (name upload): quota is "7"',
  },
  {
    name: "move between states",
    sql: `insert into private.allowed_moves values ('drift', 'a', 'b')`,
    line: "Extra: row of private.allowed_moves (entity drift, from_state a, to_state b).",
  },
  {
    name: "row of a state missing",
    sql: `delete from private.outages where queue = 'mail'`,
    line: "Missing: row of private.outages (queue mail).",
  },
  {
    name: "bucket public",
    sql: `update storage.buckets set public = true where id = 'assets-private'`,
    line: 'Different: bucket assets-private: public is "yes"',
  },
  {
    name: "media types of a bucket",
    sql: `update storage.buckets set allowed_mime_types = allowed_mime_types || '{text/html}' where id = 'assets'`,
    line: "Different: bucket assets: media types have in addition text/html",
  },
];

/** Connected with the rights of the platform, which may change everything. */
function asPlatform(): Sql {
  return postgres(asSuperuser(db.url), { max: 1, onnotice: () => {} });
}

/** The lines for all planted differences. The transaction is rolled back. */
async function linesOfPlanted(): Promise<string[]> {
  const sql = asPlatform();
  let lines: string[] = [];
  const done = new Error("rolled back");
  try {
    await sql.begin("isolation level repeatable read", async (tx) => {
      for (const statements of PREPARATION) await tx.unsafe(statements);
      const before = await readCatalogue(tx);
      await tx`select set_config('search_path', 'public', true)`;
      for (const { name, sql } of PLANTED) {
        await tx.unsafe(sql).catch((error) => assert.fail(`${name}: ${error}`));
      }
      lines = differences(before, await readCatalogue(tx));
      throw done;
    });
  } catch (error) {
    if (error !== done) throw error;
  } finally {
    await sql.end();
  }
  return lines;
}

const printed = await linesOfPlanted();

for (const { name, line } of PLANTED) {
  Deno.test(`drift: ${name}: it is printed with the name of the object`, () => {
    assert.equal(printed.filter((each) => each.startsWith(line)).length, 1, `${line}\nPrinted:\n${printed.join("\n")}`);
  });
}

Deno.test("drift: each planted difference prints one line, and nothing else is printed", () => {
  assert.deepEqual(printed.filter((each) => !PLANTED.some(({ line }) => each.startsWith(line))), []);
  assert.equal(printed.length, PLANTED.length);
});

const expected = await expectedCatalogue({ withManagedRows: true });

Deno.test("drift: two databases with the same migrations are equal, with the rows that administrators change", async () => {
  const actual = await catalogueOf(db.url, { tables: expected.tables, withManagedRows: true });
  assert.deepEqual(drift(expected, actual), []);
  assert.ok(actual.objects.size > 5000, `${actual.objects.size} objects`);
});

Deno.test("drift: rows that functions write are left out by a rule for their table", async () => {
  const functions = await db.sql<{ name: string; body: string }[]>`
    select p.oid::regproc::text as name, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body from pg_proc p
    where p.pronamespace::regnamespace::text in ('api', 'commands', 'private')`;
  const forMigrations = ["private.add_queue"];
  const isWritten = (table: string) =>
    functions.some(({ name, body }) =>
      !forMigrations.includes(name) &&
      new RegExp(`\\b(insert into|update|delete from|merge into)\\s+(only\\s+)?${table}\\b`, "i").test(body)
    );
  assert.deepEqual(expected.tables.filter((table) => isWritten(table) && !RULED_TABLES.includes(table)), []);
  assert.ok(expected.tables.includes("private.places"));
});

async function command(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    // Quiet: the first process of a new clone names the packages that it sets up.
    args: ["run", "--quiet", "-A", join(ROOT, "tools/release/drift.ts"), ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout), errors: decoder.decode(stderr) };
}

/** The address of the database for a new role with these rights, which is dropped afterwards. */
async function asRole(rights: string, run: (address: string) => Promise<void>): Promise<void> {
  const sql = asPlatform();
  const role = `drift_${crypto.randomUUID().replaceAll("-", "")}`;
  const address = new URL(db.url);
  [address.username, address.password] = [role, PASSWORD];
  try {
    await sql.unsafe(`create role ${role} login password '${PASSWORD}' ${rights}`);
    await run(address.href);
  } finally {
    await sql.unsafe(`drop role if exists ${role}`);
    await sql.end();
  }
}

Deno.test("drift: a role that may only read compares; an equal database gives exit code 0 and no output", async () => {
  await asRole("bypassrls in role pg_read_all_data", async (address) => {
    assert.deepEqual(await command(address), { code: 0, output: "", errors: "" });
    await db.sql`drop policy "Everyone reads holidays" on public.holidays`;
    const line = 'Missing: policy "Everyone reads holidays" of public.holidays.\n';
    assert.deepEqual(await command(address), { code: 1, output: line, errors: "" });
  });
});

Deno.test("drift: a role that may not read every row gives exit code 2 and the rights that are missing", async () => {
  for (const rights of ["in role pg_read_all_data", "in role pg_monitor", "bypassrls"]) {
    await asRole(rights, async (address) => {
      const { code, output, errors } = await command(address);
      assert.equal(code, 2, rights);
      assert.equal(output, "");
      assert.match(errors, /^The role may not read everything: .*\n.*bypassrls .*in role pg_read_all_data/);
    });
  }
});

Deno.test("drift: an address without a database, a wrong password and no address give exit code 2", async () => {
  const wrongPassword = new URL(db.url);
  wrongPassword.password = "wrong";
  const absent = new URL(db.url);
  absent.pathname = "/absent";
  for (const address of [wrongPassword.href, absent.href, "postgresql://postgres:x@127.0.0.1:1/postgres"]) {
    const { code, output, errors } = await command(address);
    assert.deepEqual([code, output], [2, ""], address);
    assert.match(errors, /^The database could not be read: .+ Check the address and the password\.$/m);
  }
  for (const args of [[], ["not an address"], ["https://REF.supabase.co"], [db.url, "more"]]) {
    const { code, errors } = await command(...args);
    assert.equal(code, 2);
    assert.match(errors, /^Usage: deno task drift/m);
  }
});
