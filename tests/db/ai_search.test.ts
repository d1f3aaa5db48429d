// What AI search keeps: places, users' own keys, the log, quotas.
import assert from "node:assert/strict";
import { VEHICLE_TYPES } from "../../supabase/functions/_shared/ai_search/prompt.ts";
import { ATTRIBUTES } from "../../supabase/functions/_shared/ai_search/reply.ts";
import { database } from "../support/database.ts";
import { newLot, newUser, purge } from "../support/rows.ts";
import { errorOf } from "../support/database_errors.ts";

const db = await database();
const { sql } = db;

async function find(
  text: string,
  geocoder: string | null = null,
  near: [number, number] | [null, null] = [null, null],
) {
  const [row] = await sql`select api.find_place(${text}, ${geocoder}, ${near[0]}, ${near[1]}) as found`;
  return row!["found"] as {
    place: { name: string; lat: number; lng: number; source: string; is_ambiguous: boolean } | null;
    wait_ms: number | null;
  };
}

Deno.test("ai search: the vehicle types of the prompt and the names in replies are those of the reference data", async () => {
  const types = await sql<{ code: string }[]>`
    select distinct code from public.codes where category_id = 'vehicle_type' order by code`;
  assert.deepEqual(types.map(({ code }) => code), [...VEHICLE_TYPES].sort());
  const tags = await sql<{ slug: string; name: string; name_en: string }[]>`
    select slug, name, name_en from public.tags where slug = any (${Object.keys(ATTRIBUTES)})`;
  assert.equal(tags.length, Object.keys(ATTRIBUTES).length);
  for (const { slug, name, name_en } of tags) {
    const [ja, en] = ATTRIBUTES[slug as keyof typeof ATTRIBUTES];
    assert.deepEqual([ja, en.toLowerCase()], [name, name_en.toLowerCase()]);
  }
});

Deno.test("find_place: a municipality is found by its name, without its suffix, in kana and in Latin letters", async () => {
  for (
    const text of [
      "渋谷区",
      "渋谷",
      "東京都渋谷区",
      "しぶやく",
      "Shibuya",
      "shibuya-ku",
      "SHIBUYA city",
      "ｓｈｉｂｕｙａ",
    ]
  ) {
    const { place } = await find(text);
    assert.deepEqual([place?.name, place?.source], ["東京都渋谷区", "places"], text);
    assert.ok(Math.abs(place!.lat - 35.66) < 0.02 && Math.abs(place!.lng - 139.7) < 0.02);
  }
  assert.equal((await find("京都府")).place?.name, "京都府");
  assert.equal((await find("Nowhereville")).place, null);
  assert.equal((await find("   ")).place, null);
});

Deno.test("find_place: of places with one name the nearest to the device is chosen, and marked as ambiguous", async () => {
  const near = await find("中央区", null, [43.06, 141.35]);
  assert.deepEqual([near.place?.name, near.place?.is_ambiguous], ["北海道札幌市中央区", true]);
  const far = await find("中央区", null, [33.59, 130.4]);
  assert.equal(far.place?.name, "福岡県福岡市中央区");
});

Deno.test("find_place: a place outside of the lists is found by the names of lots", async () => {
  for (const n of [0, 1, 2]) {
    await newLot(sql, { name: `ぞうの公園前パーキング${n}`, lat: 35.1 + n / 1000, lng: 136.9 });
  }
  const { place } = await find("ぞうの公園");
  assert.equal(place?.source, "lots");
  assert.ok(Math.abs(place!.lat - 35.101) < 0.001);
});

Deno.test("keep_place: a result is kept for 30 days, also an empty one", async () => {
  assert.equal(typeof (await find("ふしぎ駅", "gsi")).wait_ms, "number");
  await sql`select api.keep_place('ふしぎ駅', 'gsi', 'ふしぎ駅', 35, 139)`;
  await sql`select api.keep_place('ないない駅', 'gsi')`;
  assert.deepEqual((await find("フシギ駅", "gsi")).place, {
    name: "ふしぎ駅",
    lat: 35,
    lng: 139,
    source: "gsi",
    is_ambiguous: false,
  });
  assert.deepEqual(await find("ないない駅", "gsi"), { place: null, wait_ms: null });
  assert.equal(typeof (await find("ふしぎ駅", "nominatim")).wait_ms, "number");
  await sql`update private.geocoded_places set found_at = now() - interval '31 days'`;
  assert.equal(typeof (await find("ないない駅", "gsi")).wait_ms, "number");
});

Deno.test("find_place: a geocoder is called at most once a second, and not by a request that would wait longer than two seconds", async () => {
  await sql`update private.geocoder_turns set next_at = '-infinity'`;
  const waits = [];
  for (const n of [1, 2, 3, 4, 5]) waits.push((await find(`どこか${n}番目`, "gsi")).wait_ms);
  assert.equal(waits[0], 0);
  assert.ok(waits[1]! > 0 && waits[1]! <= 1000 && waits[2]! > waits[1]!, `${waits}`);
  assert.deepEqual(waits.slice(3).filter((wait) => wait !== null), []);
});

const as = (user: string) => ({ role: "authenticated", sub: user } as const);

async function keysOf(user: string) {
  const [row] = await sql`select api.read_ai_keys(${user}) as keys`;
  return row!["keys"] as Record<string, string>;
}

const secrets = () => sql<{ id: string }[]>`select id from vault.secrets where name like 'ai_key:%'`;

Deno.test("register_ai_key: a key is replaced, deleted, and deleted with the account, also in the vault", async () => {
  const before = (await secrets()).length;
  const user = await newUser(sql);
  const register = (provider: string, key: string) =>
    db.as(as(user), (sql) => sql`select commands.register_ai_key(${provider}, ${key})`);
  await register("openai", "sk-first-key");
  await register("openai", "sk-second-key");
  await register("anthropic", "sk-third-key");
  assert.deepEqual(await keysOf(user), { openai: "sk-second-key", anthropic: "sk-third-key" });
  assert.equal((await secrets()).length, before + 2);
  const listed = await db.as(as(user), (sql) => sql`select api.list_my_ai_keys() as keys`);
  assert.ok(!JSON.stringify(listed).includes("sk-"));
  await db.as(as(user), (sql) => sql`select commands.delete_ai_key('openai')`);
  assert.deepEqual(Object.keys(await keysOf(user)), ["anthropic"]);
  const { code, param } = await errorOf(db.as(as(user), (sql) => sql`select commands.delete_ai_key('openai')`));
  assert.deepEqual([code, param], ["not_found", "provider_id"]);
  await sql`update public.app_users set status = 'withdrawn' where id = ${user}`;
  assert.equal((await secrets()).length, before);
});

Deno.test("ai keys: no client can read them, and keys of other users are not found", async () => {
  const [owner, other] = [await newUser(sql), await newUser(sql)];
  await db.as(as(owner), (sql) => sql`select commands.register_ai_key('openai', 'sk-secret-key')`);
  for (const caller of [as(owner), as(other), { role: "anon" } as const]) {
    await assert.rejects(db.as(caller, (sql) => sql`select api.read_ai_keys(${owner})`), /permission denied/);
    await assert.rejects(db.as(caller, (sql) => sql`select * from private.ai_keys`), /permission denied/);
  }
  assert.deepEqual(await keysOf(other), {});
});

Deno.test("register_ai_key: no row of the database has the key in the clear", async () => {
  const user = await newUser(sql);
  const key = `sk-${crypto.randomUUID()}`;
  await db.as(
    as(user),
    (sql) =>
      sql`select api.run_command('register_ai_key', ${sql.json({ p_provider_id: "openai", p_api_key: key })}, 'key', ${
        "0".repeat(64)
      })`,
  );
  assert.equal((await keysOf(user))["openai"], key);
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`;
  assert.ok(tables.length > 50);
  for (const { name } of tables) {
    const found = await sql.unsafe(`select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`, [key]);
    assert.equal(found.length, 0, name);
  }
});

Deno.test("ai_search: premium members have a separate quota", async () => {
  const [free, premium] = [await newUser(sql), await newUser(sql)];
  await sql`update public.app_users set premium_ends_at = 'infinity' where id = ${premium}`;
  const quotas = [];
  for (const user of [free, premium]) {
    const [row] = await sql`select private.count_request('ai_search', ${user}) -> 'quota' as quota`;
    quotas.push(row!["quota"]);
  }
  assert.deepEqual(quotas, [10, 60]);
});

Deno.test("ai_requests: texts are deleted after 30 days, rows after 90", async () => {
  const user = await newUser(sql);
  const request = {
    form: "query",
    lang: "ja",
    text_length: 3,
    text: "渋谷駅",
    outcome: "answered",
    parser: "rules",
    confidence: 0.9,
    latency_ms: 3,
  };
  await sql`select api.log_ai_request(${user}, ${sql.json(request)})`;
  const logged = () => sql`select text from private.ai_requests where user_id = ${user}`;
  assert.equal((await logged())[0]!["text"], "渋谷駅");
  await sql`update private.ai_requests set created_at = now() - interval '31 days'`;
  await purge(sql);
  assert.equal((await logged())[0]!["text"], null);
  await sql`update private.ai_requests set created_at = now() - interval '91 days'`;
  await purge(sql);
  assert.equal((await logged()).length, 0);
});

Deno.test.afterAll(() => db.close());
