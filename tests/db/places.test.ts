// Places: the data of tools/places in a database, their names, and suggestions.
import assert from "node:assert/strict";
import { parseText, settlePlace } from "../../supabase/functions/_shared/ai_search/rules/index.ts";
import { loadPlaces } from "../../tools/places/load.ts";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot } from "../support/rows.ts";

const db = await database();
const { sql } = db;

interface Place {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly name_en: string | null;
  readonly area: string | null;
  readonly lat: number;
  readonly lng: number;
  readonly radius_m: number;
}

type View = readonly [lat: number, lng: number];

async function suggest(q: string, view?: View, limit = 8, lang = "ja"): Promise<readonly Place[]> {
  const [row] = await db.as({ role: "anon" }, (sql) =>
    sql<{ found: { items: readonly Place[] } }[]>`
      select api.list_places(${q}, ${view?.[0] ?? null}, ${view?.[1] ?? null}, ${limit}, ${lang}) as found`);
  return row!.found.items;
}

const names = async (q: string, view?: View) => (await suggest(q, view)).map(({ name }) => name);
const keyOf = async (name: string) => (await sql<{ key: string }[]>`select private.place_key(${name}) as key`)[0]!.key;

function kilometres(a: View, b: View): number {
  return 111.2 * Math.hypot(a[0] - b[0], (a[1] - b[1]) * Math.cos(a[0] * Math.PI / 180));
}

const TOKYO: View = [35.68, 139.77];
const SAPPORO: View = [43.06, 141.35];
const SHIBUYA: View = [35.67, 139.7];

Deno.test("places: without the data a database knows prefectures and municipalities", async () => {
  assert.equal((await suggest("渋谷"))[0]?.name, "渋谷区");
  assert.equal((await suggest("Shibuya-k", undefined, 8, "en"))[0]?.area, "Tokyo");
  assert.equal((await suggest("とうきょう"))[0]?.name, "東京都");
  assert.deepEqual(await names("浅草"), []);
});

Deno.test("places: loading writes all kinds, and nothing when the version is there", async () => {
  const steps: string[] = [];
  const first = await loadPlaces(sql, (line) => steps.push(line));
  assert.ok(first.isNew && first.places > 130_000, `${first.places}`);
  const [before] = await sql`select max(xmin::text::bigint) as last from private.places`;
  const second = await loadPlaces(sql, (line) => steps.push(line));
  assert.deepEqual(second, { ...first, isNew: false });
  assert.equal(steps.length, 1);
  assert.deepEqual((await sql`select max(xmin::text::bigint) as last from private.places`)[0], before);
});

Deno.test("places: tables and indexes are smaller than 40 MB, and every index is there", async () => {
  const [row] = await sql<{ bytes: string; indexes: string }[]>`
    select pg_total_relation_size('private.places') + pg_total_relation_size('private.place_names') as bytes,
      (select count(*) from pg_index i where i.indrelid = 'private.places'::regclass and i.indisvalid) as indexes`;
  assert.ok(Number(row!.bytes) < 40_000_000, row!.bytes);
  assert.equal(Number(row!.indexes), 6);
});

Deno.test("places: another version writes what changed, and deletes what it lacks", async () => {
  const [count] =
    await sql`select count(*) as places, (select count(*) from private.place_names) as names from private.places`;
  const [kept] = await sql`select ctid::text from private.places where name = '浅草寺'`;
  await sql`update private.place_data set version = 'older'`;
  await sql`insert into private.places (id, kind, name, lat, lng, radius_m, importance)
    values (1, 'station', '廃止駅', 35, 139, 500, 40)`;
  await sql`insert into private.place_names values ('廃止', 1, 40, 0)`;
  await sql`update private.place_names set cell = 0 where key = '渋谷'`;
  await sql`update private.places set name = 'changed' where name = '渋谷駅'`;
  assert.equal((await loadPlaces(sql, () => {})).isNew, true);
  assert.deepEqual(
    (await sql`select count(*) as places, (select count(*) from private.place_names) as names from private.places`)[0],
    count,
  );
  assert.equal((await suggest("渋谷駅"))[0]?.name, "渋谷駅");
  assert.deepEqual([
    ...await sql`select n.key from private.place_names n join private.places p on p.id = n.place_id
      where n.cell <> private.place_cell(p.lat, p.lng)`,
  ], []);
  assert.deepEqual((await sql`select ctid::text from private.places where name = '浅草寺'`)[0], kept);
});

Deno.test("places: spellings of one name have one key", async () => {
  for (
    const spellings of [
      ["霞が関", "霞ヶ関", "霞ケ関", "霞ガ関"],
      ["澁谷", "渋谷"],
      ["廣島", "広島"],
      ["しんばし", "シンバシ", "ｼﾝﾊﾞｼ", "Shimbashi", "shinbashi", "Shin-bashi"],
      ["Tōkyō", "Tokyo", "Tookyoo", "とうきょう", "TOKYO", "Ｔｏｋｙｏ"],
      ["六本木6丁目", "六本木６丁目", "六本木六丁目"],
      ["二十三丁目", "23丁目"],
      ["Aoyama 1-chome", "Aoyama Itchome", "Aoyama-itchome"],
      ["しゃけ", "シャケ", "shake"],
      ["Ohmiya", "Omiya", "おおみや"],
      ["元町・中華街", "元町中華街"],
      ["大字赤坂", "赤坂"],
    ]
  ) {
    const keys = await Promise.all(spellings.map(keyOf));
    assert.deepEqual([...new Set(keys)], [keys[0]], spellings.join());
  }
  assert.notEqual(await keyOf("府中"), await keyOf("府内"));
});

Deno.test("places: every stored key is that of the function", async () => {
  const [row] = await sql`select count(*) as stale from private.places p
    where p.kind = 'town' and (p.key_ja <> private.place_key(p.name) or p.key_en <> private.place_key(p.name_en))`;
  assert.equal(Number(row!["stale"]), 0);
});

Deno.test("places: each place but a prefecture is in a municipality, or a municipality in a prefecture", async () => {
  assert.deepEqual([
    ...await sql`select p.kind, p.name from private.places p
      left join private.places a on a.id = p.parent_id
      where p.kind <> 'prefecture'
        and a.kind is distinct from case when p.kind = 'municipality' then 'prefecture' else 'municipality' end limit 5`,
  ], []);
});

Deno.test("places: landmarks are in their municipality, as far as its towns show", async () => {
  const landmarks = (await Deno.readTextFile(new URL("../../tools/places/data/landmarks.csv", import.meta.url)))
    .trim().split("\n").slice(1).map((line) => line.split(","));
  const list = landmarks.map(([, name, , , prefecture, city, lat, lng]) => ({
    name,
    full: `${prefecture}${city}`,
    lat,
    lng,
  }));
  assert.deepEqual([
    ...await sql`
      select l.name, min(t.km) as km from jsonb_to_recordset(${sql.json(list as never)})
        as l (name text, "full" text, lat double precision, lng double precision)
      left join (
        select t.parent_id, t.lat, t.lng from private.places t where t.kind = 'town'
      ) p on p.parent_id = private.place_id('municipality', l.full)
      cross join lateral (select sqrt(power((p.lat - l.lat) * 111, 2) + power((p.lng - l.lng) * 91, 2)) as km) t
      group by l.name having coalesce(min(t.km), 100) > 6`,
  ], []);
});

Deno.test("places: 100 well-known names in kanji and in Latin letters are found, with the map of their city", async () => {
  const lines = (await Deno.readTextFile(new URL("../cases/places_coverage.csv", import.meta.url))).trim().split("\n");
  const cases = lines.slice(1).map((line) => line.split(","));
  assert.equal(cases.length, 100);
  for (const [column, least] of [[0, 100], [1, 98]] as const) {
    const missed: string[] = [];
    const wrong: string[] = [];
    for (const fields of cases) {
      const at: View = [Number(fields[2]), Number(fields[3])];
      // The middle of a map of the city, not the place itself.
      const found = await suggest(fields[column]!, [Math.round(at[0] * 10) / 10, Math.round(at[1] * 10) / 10]);
      const isNear = found.map(({ lat, lng }) => kilometres(at, [lat, lng]) < 3);
      if (!isNear.includes(true)) missed.push(fields[column]!);
      if (isNear[0] !== true) wrong.push(fields[column]!);
    }
    assert.ok(cases.length - missed.length >= least, `not found: ${missed.join()}`);
    assert.ok(wrong.length <= 3, `another place first: ${wrong.join()}`);
  }
});

Deno.test("places: suggestions begin with the first character, in both scripts", async () => {
  for (const typed of ["渋", "し", "s", "sh", "shib", "しぶ", "シブ", "澁"]) {
    assert.ok((await names(typed, [35.66, 139.7])).includes("渋谷駅"), typed);
  }
});

const TYPED = ["k", "s", "大", "西", "し", "higashi", "nishi", "shimo"];
const MAPS: readonly View[] = [TOKYO, [35, 135.76], [43.77, 142.36], [34.4, 132.46], [36.65, 138.18]];

Deno.test("places: of thousands of names of one beginning the best three of all are suggested, on each map", async () => {
  const missed: string[] = [];
  for (const typed of TYPED) {
    const maps = await sql<{ lat: number; lng: number; best: string[] }[]>`
      with named as (
        select p.id, p.key_ja = k.key or p.key_en = k.key as is_whole
        from private.place_key(${typed}) as k (key) join private.places p on p.key_ja ^@ k.key or p.key_en ^@ k.key
        union all
        select n.place_id, n.key = k.key
        from private.place_key(${typed}) as k (key) join private.place_names n on n.key ^@ k.key
      ), weighed as materialized (
        select p.id, p.lat, p.lng, p.importance + case when bool_or(n.is_whole) then 25 else 0 end as weight
        from named n join private.places p on p.id = n.id
        group by p.id
      )
      select m.lat, m.lng, array(
        select w.id::text from weighed w order by w.weight + private.nearness(w.lat, w.lng, m.lat, m.lng) desc, w.id limit 3
      ) as best
      from unnest(${MAPS.map(([lat]) => lat)}::float8[], ${MAPS.map(([, lng]) => lng)}::float8[]) as m (lat, lng)`;
    assert.equal(maps.length, MAPS.length);
    for (const { lat, lng, best } of maps) {
      assert.equal(best.length, 3);
      const found = new Set((await suggest(typed, [lat, lng])).map(({ id }) => id));
      missed.push(...best.filter((id) => !found.has(id)).map((id) => `${typed} at ${lat},${lng}: ${id}`));
    }
  }
  assert.deepEqual(missed, []);
});

Deno.test("places: a keystroke reads few pages, under a generic plan", async () => {
  const read: [q: string, pages: number][] = [];
  for (const [lat, lng] of [[null, null], ...MAPS]) {
    for (const q of [...TYPED, "asakuas", "東京都港区六本木6", "Fuchu, Hiroshima", "Otaru, Hokkaido"]) {
      const [row] = await sql.begin(async (sql) => {
        await sql`set local plan_cache_mode = force_generic_plan`;
        await sql`select api.list_places(${q}, ${lat!}, ${lng!})`;
        return await sql`explain (analyze, buffers, format json) select api.list_places(${q}, ${lat!}, ${lng!})`;
      });
      const { Plan } = row!["QUERY PLAN"][0];
      read.push([`${q} at ${lat},${lng}`, Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]]);
    }
  }
  assert.deepEqual(read.filter(([, pages]) => pages > 1600), []);
});

Deno.test("places: words for the kind of a place are understood, also while they are typed", async () => {
  for (const q of ["東京駅", "Tokyo Station", "Tokyo Sta.", "tokyo stat", "とうきょうえき"]) {
    assert.equal((await suggest(q))[0]?.name, "東京駅", q);
  }
  assert.equal((await suggest("Minato City", TOKYO))[0]?.name, "港区");
  assert.equal((await suggest("Shinagawa-ku"))[0]?.name, "品川区");
  assert.equal((await suggest("横浜青葉インター"))[0]?.name, "横浜青葉IC");
  assert.equal((await suggest("大宮区"))[0]?.name, "さいたま市大宮区");
});

Deno.test("places: words around a name, other spellings and addresses find the place, first with a map of its city", async () => {
  const cases: Record<string, readonly [place: string, at: View, ...typed: string[]][]> = {
    "words around": [
      [
        "渋谷駅",
        SHIBUYA,
        "near Shibuya",
        "渋谷 駐車場",
        "渋谷のあたり",
        "渋谷駅の近く",
        "渋谷付近",
        "parking near Shibuya Station",
      ],
      ["上野駅", TOKYO, "parking in Ueno", "Ueno parking", "上野 コインパーキング", "月極 上野"],
      ["東京タワー", TOKYO, "parking near Tokyo Tower", "東京タワー周辺 駐車場", "東京タワー🗼"],
      ["日本橋駅", TOKYO, "日本橋 駐車場"],
      ["京王八王子駅", [35.66, 139.34], "京王八王子 駐車場"],
      ["横浜駅", [35.47, 139.62], "横浜駅から徒歩5分", "横浜駅 バイク 駐車場"],
      ["横浜市", [35.47, 139.62], "Yokohama-shi Japan"],
    ],
    "lines and exits": [
      [
        "新宿駅",
        SHIBUYA,
        "JR新宿駅",
        "ＪＲ新宿",
        "小田急線新宿駅",
        "新宿駅東口",
        "Shinjuku station west exit",
        "shinjuku west exit",
      ],
      ["池袋駅", SHIBUYA, "西武池袋", "池袋東口", "池袋駅 西口"],
      ["銀座駅", TOKYO, "地下鉄 銀座駅", "東京メトロ銀座駅", "銀座駅A5出口"],
      ["神保町駅", TOKYO, "都営新宿線 神保町"],
      ["大阪駅", [34.7, 135.5], "大阪駅前", "大阪駅 桜橋口"],
    ],
    addresses: [
      [
        "丸の内1丁目",
        TOKYO,
        "〒100-0005 東京都千代田区丸の内1丁目9-1",
        "1-9-1 Marunouchi, Chiyoda-ku",
        "千代田区丸の内１－９－１",
      ],
      ["梅田3丁目", [34.7, 135.5], "大阪市北区梅田３丁目１−１", "3-1-1 Umeda, Kita Ward, Osaka"],
      ["六本木6丁目", TOKYO, "6 Chome-10-1 Roppongi, Minato City", "港区六本木6丁目10-1 六本木ヒルズ"],
      ["栄3丁目", [35.17, 136.9], "名古屋 栄 3-5-12"],
      ["北五条西2丁目", SAPPORO, "札幌市中央区北5条西2丁目", "札幌市中央区北五条西二丁目"],
      ["南二十二条西7丁目", SAPPORO, "札幌市中央区南22条西7丁目"],
      ["北十条西3丁目", SAPPORO, "北海道札幌市北区北10条西3丁目"],
    ],
    areas: [
      ["横浜市中区", [35.44, 139.64], "横浜 中区", "Naka Ward, Yokohama"],
      ["大阪市北区", [34.7, 135.5], "大阪市北"],
      ["京橋駅", [34.7, 135.53], "大阪府 京橋駅"],
      ["難波駅", [34.67, 135.5], "なんば（大阪）"],
    ],
    spellings: [
      ["御茶ノ水駅", TOKYO, "お茶の水", "御茶の水駅"],
      ["高田馬場駅", SHIBUYA, "高田の馬場", "高田馬馬"],
      ["新宿駅", SHIBUYA, "新塾駅"],
      ["秋葉原駅", TOKYO, "秋葉腹"],
      ["池袋駅", SHIBUYA, "いけぶろく"],
      ["吉祥寺駅", SHIBUYA, "キチジョウシ"],
      ["東京ビッグサイト", TOKYO, "東京ビックサイト"],
    ],
    interchanges: [
      ["海老名JCT", [35.43, 139.38], "海老名JCT", "海老名ジャンクション"],
      ["三郷JCT/IC", [35.83, 139.86], "三郷ジャンクション"],
      ["談合坂SIC", [35.62, 139.04], "談合坂SA", "談合坂サービスエリア"],
    ],
  };
  const wrong: string[] = [];
  for (const [kind, places] of Object.entries(cases)) {
    for (const [place, at, ...typed] of places) {
      for (const q of typed) {
        const found = await names(q, at);
        if (found[0] !== place) wrong.push(`${kind}: ${q}: ${found.slice(0, 3)}`);
        if (!(await names(q)).slice(0, 3).includes(place)) wrong.push(`${kind}: ${q} without a map`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(await names("〒100-0005"), []);
});

Deno.test("places: typing errors are corrected", async () => {
  for (
    const [typed, name] of [
      ["ropongi", "六本木駅"],
      ["asakuas", "浅草駅"],
      ["sibuya", "渋谷駅"],
      ["shinjyuku", "新宿駅"],
      ["ikebukruo", "池袋駅"],
    ] as const
  ) {
    assert.equal((await suggest(typed, TOKYO))[0]?.name, name, typed);
  }
  for (const q of ["asdf", "カレーの作り方", "tell me a joke"]) assert.deepEqual(await names(q), [], q);
});

Deno.test("places: an address is found down to its 丁目", async () => {
  for (const q of ["六本木6丁目", "六本木六丁目10-1", "東京都港区六本木６－１０－１"]) {
    const found = (await suggest(q, TOKYO)).find(({ kind }) => kind === "town");
    assert.deepEqual([found?.name, found?.name_en], ["六本木6丁目", "Roppongi 6-chome"], q);
  }
  // Roppongi has seven.
  assert.equal((await suggest("六本木9丁目")).find(({ kind }) => kind === "town")?.name, "六本木");
  assert.ok((await names("渋谷区恵比寿")).includes("恵比寿駅"));
});

Deno.test("places: equal names differ in their area, and those near the middle of the map come first", async () => {
  for (const [name, least] of [["府中", 2], ["赤坂", 2], ["日本橋", 2], ["丸の内", 2], ["元町", 2]] as const) {
    const stations = (await suggest(name, undefined, 20)).filter(({ kind }) => kind === "station" || kind === "town");
    assert.ok(new Set(stations.map(({ area }) => area)).size >= least, name);
    assert.equal(new Set(stations.map(({ name, area }) => `${name} ${area}`)).size, stations.length, name);
  }
  assert.equal((await suggest("円山公園", SAPPORO))[0]?.area?.startsWith("北海道札幌市中央区"), true);
  assert.equal((await suggest("円山公園", [35, 135.77]))[0]?.area, "京都府京都市東山区");
  assert.match((await suggest("Fuchu, Hiroshima"))[0]?.area ?? "", /^広島県/);
  assert.match((await suggest("京橋 大阪"))[0]?.area ?? "", /^大阪府/);
});

Deno.test("places: a city of wards is a place too, before small stations and after one of many lines, and names an area", async () => {
  const first = async (q: string) =>
    (await suggest(q)).filter(({ kind }) => kind !== "prefecture").slice(0, 2).map(({ name }) => name);
  for (const q of ["札幌", "Sapporo"]) assert.equal((await first(q))[0], "札幌市", q);
  for (const q of ["横浜", "Yokohama"]) assert.deepEqual(await first(q), ["横浜駅", "横浜市"], q);
  assert.deepEqual(await first("名古屋"), ["名古屋駅", "名古屋市"]);
  assert.deepEqual((await suggest("Kawasaki City"))[0]?.name, "川崎市");
  const [city] = await suggest("さいたま市");
  assert.deepEqual([city?.name, city?.name_en, city?.area, city?.radius_m], [
    "さいたま市",
    "Saitama-shi",
    "埼玉県",
    10_000,
  ]);
});

Deno.test("places: without a map the place in the larger city comes first among those of one name", async () => {
  const first: Record<string, string | undefined> = {};
  for (const q of ["府中", "中央区", "Minato-ku", "府中駅", "赤坂駅", "平野駅", "三国駅", "新町駅"]) {
    const [place] = await suggest(q);
    first[q] = `${place?.name} ${place?.area?.split(" ")[0]}`;
  }
  assert.deepEqual(first, {
    府中: "府中市 東京都",
    中央区: "中央区 東京都",
    "Minato-ku": "港区 東京都",
    府中駅: "府中駅 東京都府中市",
    赤坂駅: "赤坂駅 東京都港区",
    平野駅: "平野駅 大阪府大阪市平野区",
    三国駅: "三国駅 大阪府大阪市淀川区",
    新町駅: "新町駅 熊本県熊本市中央区",
  });
});

Deno.test("places: in Latin letters の and a word with う are two words, and both spellings are found", async () => {
  for (
    const [q, name, latin] of [
      ["丸の内IC", "丸の内IC", "Marunouchi IC"],
      ["ikenoue", "池ノ上駅", "Ikenoue Station"],
      ["Ikenoe", "池ノ上駅", "Ikenoue Station"],
      ["hanoura", "羽ノ浦駅", "Hanoura Station"],
      ["Horinouchi Station", "堀ノ内駅", "Horinouchi Station"],
    ] as const
  ) {
    const found = (await suggest(q)).find((place) => place.name === name);
    assert.equal(found?.name_en, latin, q);
  }
  assert.deepEqual([
    ...await sql`select name, name_en from private.places where name ~ '[のノ之]内' and name_en ~* '[aeiou]nochi' limit 5`,
  ], []);
});

Deno.test("places: a public lot is found by the beginning of its name, and read by its id", async () => {
  const id = await newLot(sql, { name: "ぞうさん第一駐車場", lat: 35.1, lng: 136.9 });
  const [lot] = await suggest("ゾウサン");
  assert.deepEqual([lot?.id, lot?.kind, lot?.name], [id, "lot", "ぞうさん第一駐車場"]);
  const read = async (id: string) =>
    (await db.as({ role: "anon" }, (sql) => sql`select api.read_place(${id}) as place`))[0]!["place"];
  assert.deepEqual(await read(id), lot);
  const [station] = await suggest("渋谷駅");
  assert.deepEqual(await read(station!.id), station);
  await sql`update public.parking_lots set status = 'suspended' where id = ${id}`;
  assert.deepEqual((await suggest("ゾウサン")).filter(({ kind }) => kind === "lot"), []);
  assert.equal((await errorOf(read(id))).code, "not_found");
});

Deno.test("places: invalid arguments are rejected by their names", async () => {
  const call = (text: string) => db.as({ role: "anon" }, (sql) => sql.unsafe(`select ${text}`));
  for (
    const [text, param] of [
      ["api.list_places(null)", "q"],
      ["api.list_places('　')", "q"],
      [`api.list_places('${"あ".repeat(101)}')`, "q"],
      ["api.list_places('渋谷', 35)", "lng"],
      ["api.list_places('渋谷', null, 139)", "lat"],
      ["api.list_places('渋谷', 91, 139)", "lat"],
      ["api.list_places('渋谷', 35, 'NaN')", "lng"],
      ["api.list_places('渋谷', p_limit => 21)", "limit"],
      ["api.list_places('渋谷', p_lang => 'fr')", "lang"],
      ["api.read_place('x')", "id"],
      ["api.read_place('1', 'fr')", "lang"],
    ] as const
  ) {
    const error = await errorOf(call(text));
    assert.deepEqual([error.code, error.param], ["validation_error", param], text);
  }
  for (const table of ["places", "place_names", "place_data"]) {
    await assert.rejects(call(`count(*) from private.${table}`), /permission denied/);
  }
});

/** As POST /v1/search/ai does without models and geocoder. */
async function readSentence(text: string, locale: "ja" | "en", view: View | null = null) {
  const options = { locale, now: new Date("2026-11-18T09:00:00+09:00"), timeZone: "Asia/Tokyo" };
  const parsed = parseText(text, options);
  const [row] = await sql`select api.find_place(${parsed.place ?? ""}, null, ${view?.[0] ?? null}, ${view?.[1] ?? null},
    ${[...parsed.other_places]}, ${parsed.is_place_left_over}) as found`;
  const { place, words } = row!["found"] as {
    place: (Place & { area: string; is_ambiguous: boolean }) | null;
    words: string;
  };
  return { place, parsed: settlePlace(parsed, place === null ? null : words, options) };
}

Deno.test("sentences: texts that are no search name no place", async () => {
  const texts: Record<"ja" | "en", readonly string[]> = JSON.parse(
    await Deno.readTextFile(new URL("../cases/not_a_search.json", import.meta.url)),
  );
  const read: string[] = [];
  for (const locale of ["ja", "en"] as const) {
    for (const text of texts[locale]) {
      const { parsed, place } = await readSentence(text, locale);
      if (parsed.status === "parsed") read.push(`${text}: ${place?.name}`);
    }
  }
  assert.deepEqual(read, []);
});

Deno.test("sentences: 100 well-known names are found in sentences, in kanji and in Latin letters, with the map of their city", async () => {
  const lines = (await Deno.readTextFile(new URL("../cases/places_coverage.csv", import.meta.url))).trim().split("\n");
  for (const [column, locale, least] of [[0, "ja", 100], [1, "en", 98]] as const) {
    const missed: string[] = [], elsewhere: string[] = [];
    for (const fields of lines.slice(1).map((line) => line.split(","))) {
      const [name, at]: [string, View] = [fields[column]!, [Number(fields[2]), Number(fields[3])]];
      const text = locale === "ja" ? `明日10時から12時まで${name}の近く` : `near ${name} tomorrow 10:00 to 12:00`;
      const { place } = await readSentence(text, locale, [Math.round(at[0] * 10) / 10, Math.round(at[1] * 10) / 10]);
      if (place === null) missed.push(name);
      else if (kilometres(at, [place.lat, place.lng]) >= 3) elsewhere.push(name);
    }
    assert.ok(100 - missed.length >= least, `not found: ${missed.join()}`);
    assert.ok(missed.length + elsewhere.length <= 3, `another place: ${elsewhere.join()}, none: ${missed.join()}`);
  }
});

Deno.test("sentences: of equal names the one near the map is the place, else the most important, and both are named", async () => {
  for (const [view, area] of [[TOKYO, /^東京都/], [[34.57, 133.24], /^広島県/]] as const) {
    const { place } = await readSentence("府中駅の近く", "ja", view);
    assert.match(place?.area ?? "", area);
    assert.equal(place?.is_ambiguous, true);
  }
  const { place } = await readSentence("日本橋駅の近く", "ja");
  const [most] = await suggest("日本橋駅");
  assert.deepEqual([place?.area, place?.is_ambiguous], [most?.area?.split(" · ")[0], true]);
});

Deno.test("sentences: a stay at an airport is whole", async () => {
  const { place, parsed } = await readSentence("Where can I park at Haneda airport for 3 days?", "en");
  assert.deepEqual([place?.name, parsed.place], ["羽田空港", "Haneda airport"]);
  assert.equal(Date.parse(parsed.exit_at!) - Date.parse(parsed.entry_at!), 3 * 86_400_000);
  assert.deepEqual(parsed.unresolved, []);
});

Deno.test("sentences: a name that no one knows is open and unsure with a condition, and not a search without one", async () => {
  const { place, parsed } = await readSentence("ほげほげ山駅の近く 500m以内 屋根付き", "ja");
  assert.deepEqual([place, parsed.status, parsed.radius_m, parsed.filters], [null, "parsed", 500, ["covered"]]);
  assert.ok(parsed.confidence < 0.5);
  assert.equal((await readSentence("ほげほげ山駅", "ja")).parsed.status, "unparseable");
  assert.equal((await readSentence("水族館 葛西臨海公園", "ja")).place?.name, "葛西臨海公園");
  assert.equal((await readSentence("渋谷のほげほげ屋に車を停めたい", "ja")).place?.name, "渋谷駅");
  assert.equal((await readSentence("東京の天気", "ja")).parsed.status, "unparseable");
});

Deno.test("find_place: with the data a sentence's place is a whole name, never a beginning", async () => {
  const find = async (text: string) => (await sql`select api.find_place(${text}) as found`)[0]!["found"].place;
  assert.deepEqual([(await find("浅草")).name, (await find("Roppongi")).name, (await find("羽田空港")).name], [
    "浅草駅",
    "六本木駅",
    "羽田空港",
  ]);
  assert.equal(await find("愛"), null);
  assert.equal(await find("roponngki"), null);
});

Deno.test.afterAll(() => db.close());
