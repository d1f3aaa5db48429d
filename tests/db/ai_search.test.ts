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
  { others = [], isLeftOver = false }: { others?: string[]; isLeftOver?: boolean } = {},
) {
  const [row] = await sql`
    select api.find_place(${text}, ${geocoder}, ${near[0]}, ${near[1]}, ${others}, ${isLeftOver}) as found`;
  return row!["found"] as {
    place: { name: string; lat: number; lng: number; source: string; is_ambiguous: boolean } | null;
    words: string | null;
    wait_ms: number | null;
    is_busy: boolean;
  };
}

const freeTurn = () => sql`update private.geocoder_turns set next_at = '-infinity'`;

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
  await freeTurn();
  assert.equal((await find("ふしぎ駅", "gsi")).wait_ms, 0);
  await sql`select api.keep_place('ふしぎ駅', 'gsi', 'ふしぎ駅', 35, 139)`;
  await sql`select api.keep_place('ないない駅', 'gsi')`;
  assert.deepEqual((await find("フシギ駅", "gsi")).place, {
    name: "ふしぎ駅",
    lat: 35,
    lng: 139,
    source: "gsi",
    is_ambiguous: false,
  });
  await freeTurn();
  const kept = await find("ないない駅", "gsi");
  assert.deepEqual([kept.place, kept.wait_ms, kept.is_busy], [null, null, false]);
  assert.equal((await find("ふしぎ駅", "nominatim")).wait_ms, 0);
  await freeTurn();
  await sql`update private.geocoded_places set found_at = now() - interval '31 days'`;
  assert.equal((await find("ないない駅", "gsi")).wait_ms, 0);
});

Deno.test("find_place: a geocoder is called at most once a second, and no caller waits for a turn", async () => {
  await freeTurn();
  assert.equal((await find("札幌市", "gsi")).wait_ms, null, "a known place needs no geocoder");
  const first = await find("どこか1番目", "gsi");
  assert.deepEqual([first.wait_ms, first.is_busy], [0, false]);
  await sql`update private.geocoder_turns set next_at = clock_timestamp() + interval '1 hour'`;
  const next = await find("どこか2番目", "gsi");
  assert.deepEqual([next.wait_ms, next.is_busy, next.place], [null, true, null]);
  assert.equal((await find("札幌市", "gsi")).is_busy, false);
  assert.equal((await find("どこか2番目")).is_busy, false, "without a geocoder nobody is before the caller");
  await freeTurn();
});

Deno.test("find_place: other words of the text are the place when no one knows the first ones", async () => {
  const { place, words } = await find("水族館 渋谷区", null, [null, null], { others: ["水族館", "渋谷区", "新宿区"] });
  assert.deepEqual([place?.name, words], ["東京都渋谷区", "渋谷区"]);
  const first = await find("渋谷区", null, [null, null], { others: ["新宿区"] });
  assert.deepEqual([first.place?.name, first.words], ["東京都渋谷区", "渋谷区"]);
});

Deno.test("find_place: one character that remained of a text is looked up among the places only", async () => {
  await newLot(sql, { name: "愛の駐車場", lat: 35.1, lng: 136.9 });
  await freeTurn();
  const { place, wait_ms, is_busy } = await find("愛", "gsi", [null, null], { isLeftOver: true });
  assert.deepEqual([place, wait_ms, is_busy], [null, null, false]);
});

Deno.test("take_request_instead: a refused request is counted under another policy, until that quota is used up", async () => {
  const user = await newUser(sql);
  const taken = async (policy: string) => {
    const [row] = await sql`select w.taken, w.day_taken from private.rate_limit_windows w
      where w.policy = ${policy} and w.subject = ${user}`;
    return row ? [row["taken"], row["day_taken"]] : null;
  };
  const refuse = async () => {
    await sql`select private.count_request('ai_search', ${user})`;
    await sql`select api.take_request_instead('ai_search_refused', 'ai_search', ${user})`;
  };
  for (let n = 0; n < 60; n++) await refuse();
  assert.deepEqual([await taken("ai_search"), await taken("ai_search_refused")], [[0, 0], [60, 60]]);
  for (let n = 0; n < 10; n++) await refuse();
  assert.deepEqual(await taken("ai_search"), [10, 10]);
  const [row] = await sql`select private.count_request('ai_search', ${user}) -> 'allowed' as allowed`;
  assert.equal(row!["allowed"], false);
  const address = "198.51.100.7";
  await sql`select api.take_anonymous_request('ai_search_guest', ${address})`;
  await sql`select api.take_request_instead('ai_search_refused', 'ai_search_guest', p_address => ${address})`;
  const [guest] = await sql`select w.taken from private.rate_limit_windows w
    where w.policy = 'ai_search_guest' and w.subject = private.network_hash(${address})`;
  assert.equal(guest!["taken"], 0);
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
  await sql`select private.empty_account(${user})`;
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
