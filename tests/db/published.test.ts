// Plans, articles and advertisements: what is out and what is not, in which order, page by page.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`truncate public.subscription_plans, public.articles, public.ads cascade`;

interface Page<Item> {
  readonly items: Item[];
  readonly next_cursor: string | null;
}
interface Ad {
  readonly id: string;
  readonly title: string;
}
const asAnonymous = { role: "anon" } as const;

async function ads(
  { placement = null, seed = null, limit = 100, cursor = null }: {
    placement?: string | null;
    seed?: string | null;
    limit?: number;
    cursor?: string | null;
  } = {},
): Promise<Page<Ad> & { seed: string }> {
  const [row] = await db.as(asAnonymous, (sql) =>
    sql<{ page: Page<Ad> & { seed: string } }[]>`
      select api.list_ads(${placement}, ${seed}, ${limit}, ${cursor}) as page`);
  return row!.page;
}

async function articles(lang = "ja", limit = 100, cursor: string | null = null) {
  const [row] = await db.as(asAnonymous, (sql) =>
    sql<{ page: Page<{ slug: string; locale: string }> }[]>`
      select api.list_articles(${lang}, ${limit}, ${cursor}) as page`);
  return row!.page;
}

async function plans(lang = "ja", limit = 100, cursor: string | null = null) {
  const [row] = await db.as(asAnonymous, (sql) =>
    sql<{ page: Page<Record<string, unknown>> }[]>`
      select api.list_subscription_plans(${lang}, ${limit}, ${cursor}) as page`);
  return row!.page;
}

async function newAd(weight: number, placement = "map", title = `${weight}`): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.ads (placement, title, weight) values (${placement}, ${title}, ${weight}) returning id`;
  return row!.id;
}

Deno.test("published: an advertisement is first as often as its weight, and second as in a draw without replacement", async () => {
  const weights = [500, 300, 150, 50];
  for (const weight of weights) await newAd(weight, "home_top");
  const seeds = 4000;
  const orders = await db.sql<{ first: number; second: number }[]>`
    select o.weights[1] as first, o.weights[2] as second
    from generate_series(1, ${seeds}) as s (seed)
    cross join lateral (
      select array_agg(a.weight order by private.ad_rank(a.id, a.weight, 'draw ' || s.seed)) as weights
      from public.ads a where a.placement = 'home_top'
    ) o`;
  assert.equal(orders.length, seeds);
  const within = (count: number, share: number) => {
    const spread = 5 * Math.sqrt(share * (1 - share) / seeds); // five standard deviations
    assert.ok(Math.abs(count / seeds - share) < spread, `${count / seeds} of ${share}`);
  };
  const total = 1000;
  for (const weight of weights) {
    within(orders.filter(({ first }) => first === weight).length, weight / total);
    const second = weights.filter((other) => other !== weight)
      .reduce((sum, other) => sum + other / total * weight / (total - other), 0);
    within(orders.filter((order) => order.second === weight).length, second);
  }
});

Deno.test("published: the same seed gives the same order, another seed another one; the default seed is the day in Tokyo", async () => {
  for (let n = 0; n < 12; n++) await newAd(100, "article", `ad ${n}`);
  const order = async (seed: string | null) =>
    (await ads({ placement: "article", seed })).items.map(({ id }) => id).join();
  assert.equal(await order("a"), await order("a"));
  assert.notEqual(await order("a"), await order("b"));
  const [today] = await db.sql<{ day: string }[]>`select (now() at time zone 'Asia/Tokyo')::date::text as day`;
  assert.equal((await ads({ placement: "article" })).seed, today!.day);
  assert.equal(await order(null), await order(today!.day));
});

Deno.test("published: pages of advertisements neither repeat nor lose one, also when others come and go between them", async () => {
  const ids = [];
  for (let n = 0; n < 9; n++) ids.push(await newAd(1 + n * 10, "lot_detail"));
  const whole = (await ads({ placement: "lot_detail", seed: "s" })).items.map(({ id }) => id);
  assert.deepEqual(whole.toSorted(), ids.toSorted());
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Ad> = await ads({ placement: "lot_detail", seed: "s", limit: 2, cursor });
    paged.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
    await newAd(1, "lot_detail", "late");
    await db.sql`update public.ads set is_active = false where title = 'late'`;
    if (paged.length === 2) await db.sql`update public.ads set is_active = false where id = ${paged[0]!}`;
  } while (cursor !== null);
  assert.deepEqual(paged, whole);
});

Deno.test("published: a cursor continues with the order of its day after midnight", async () => {
  for (let n = 0; n < 6; n++) await newAd(100, "session_end", `ad ${n}`);
  const day = "2020-01-01";
  const whole = (await ads({ placement: "session_end", seed: day })).items.map(({ id }) => id);
  const [last] = await db.sql<{ cursor: string }[]>`
    select private.cursor_encode(
      jsonb_build_object('list', 'ads', 'placement', 'session_end', 'seed', null),
      jsonb_build_array(${day}::text, private.ad_rank(id, weight, ${day}), id)
    ) as cursor from public.ads where id = ${whole[1]!}`;
  const rest = await ads({ placement: "session_end", cursor: last!.cursor });
  assert.deepEqual([rest.seed, rest.items.map(({ id }) => id)], [day, whole.slice(2)]);
});

Deno.test("published: only advertisements that run now are listed, of all placements or of one", async () => {
  await db.sql`
    insert into public.ads (placement, title, starts_at, ends_at, is_active) values
      ('search_results', 'runs', now() - interval '1 day', now() + interval '1 day', true),
      ('search_results', 'runs on', now(), null, true),
      ('search_results', 'over', now() - interval '2 days', now() - interval '1 second', true),
      ('search_results', 'to come', now() + interval '1 minute', null, true),
      ('search_results', 'stopped', now() - interval '1 day', null, false)`;
  const titles = (page: Page<Ad>) => page.items.map(({ title }) => title).sort();
  assert.deepEqual(titles(await ads({ placement: "search_results" })), ["runs", "runs on"]);
  const all = titles(await ads());
  assert.ok(all.includes("runs") && all.includes("500"));
  assert.ok(!all.includes("over") && !all.includes("to come") && !all.includes("stopped"));
});

Deno.test("published: articles are read from when they are published until they are withdrawn, newest first, by language", async () => {
  await db.sql`
    insert into public.articles (slug, locale, title, body, published_at, withdrawn_at) values
      ('old', 'ja', 'T', 'B', now() - interval '3 days', null),
      ('new', 'ja', 'T', 'B', now() - interval '1 day', now() + interval '1 day'),
      ('new', 'en', 'T', 'B', now() - interval '1 day', null),
      ('draft', 'ja', 'T', 'B', null, null),
      ('to-come', 'ja', 'T', 'B', now() + interval '1 minute', null),
      ('withdrawn', 'ja', 'T', 'B', now() - interval '2 days', now() - interval '1 day')`;
  const slugs = async (lang: string) => (await articles(lang)).items.map(({ slug }) => slug);
  assert.deepEqual(await slugs("ja"), ["new", "old"]);
  assert.deepEqual(await slugs("en"), ["new"]);
  for (const [slug, lang] of [["draft", "ja"], ["to-come", "ja"], ["withdrawn", "ja"], ["old", "en"]] as const) {
    const error = await errorOf(db.as(asAnonymous, (sql) => sql`select api.get_article(${slug}, ${lang})`));
    assert.deepEqual([error.code, error.status, error.param], ["not_found", 404, "slug"], slug);
  }
});

Deno.test("published: pages of articles of one moment are whole, and a cursor belongs to its language", async () => {
  await db.sql`
    insert into public.articles (slug, locale, title, body, published_at)
    select 'same-' || n, 'en', 'T', 'B', timestamptz '2026-01-01T00:00:00.123456Z' from generate_series(1, 7) as n`;
  const whole = (await articles("en")).items.map(({ slug }) => slug);
  assert.equal(whole.length, 8);
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<{ slug: string }> = await articles("en", 3, cursor);
    paged.push(...page.items.map(({ slug }) => slug));
    cursor = page.next_cursor;
    if (cursor !== null) assert.equal((await errorOf(articles("ja", 3, cursor))).param, "cursor");
  } while (cursor !== null);
  assert.deepEqual(paged, whole);
});

Deno.test("published: plans on sale come by place and code, in the language of the request where translated", async () => {
  await db.sql`
    insert into public.subscription_plans
      (code, name, name_en, price_minor, billing_period, features, features_en, sort_order, is_active) values
      ('c', '丙', null, 300, 'year', '{"ai": {"per_minute": 60}}', null, 20, true),
      ('b', '乙', 'B', 200, 'month', '["一"]', '["one"]', 10, true),
      ('a', '甲', 'A', 100, 'week', '[]', null, 20, true),
      ('gone', '旧', 'Old', 1, 'one_time', '[]', null, 0, false)`;
  const facts = async (lang: string) =>
    (await plans(lang)).items.map(({ code, name, features }) => [code, name, features]);
  const ai = { ai: { per_minute: 60 } };
  assert.deepEqual(await facts("ja"), [["b", "乙", ["一"]], ["a", "甲", []], ["c", "丙", ai]]);
  assert.deepEqual(await facts("en"), [["b", "B", ["one"]], ["a", "A", []], ["c", "丙", ai]]);
  const first = await plans("ja", 2);
  const second = await plans("ja", 2, first.next_cursor);
  assert.deepEqual([...first.items, ...second.items].map(({ code }) => code), ["b", "a", "c"]);
  assert.equal(second.next_cursor, null);
});

Deno.test("published: malformed values cannot be stored", async () => {
  const plan = (columns: Record<string, string | number>) =>
    db.sql`
    insert into public.subscription_plans ${
      db.sql({ code: crypto.randomUUID(), name: "P", price_minor: 1, billing_period: "month", ...columns })
    }`;
  assert.equal(await sqlstate(plan({ price_minor: -1 })), "23514");
  assert.equal(await sqlstate(plan({ billing_period: "day" })), "23514");
  assert.equal(await sqlstate(plan({ currency: "yen" })), "23514");
  for (const features of ['"text"', "[1]", '["a", null]', '[["a"]]', "3"]) {
    const insert = db.sql`
      insert into public.subscription_plans (code, name, price_minor, billing_period, features)
      values (${crypto.randomUUID()}, 'P', 1, 'month', ${features}::text::jsonb)`;
    assert.equal(await sqlstate(insert), "23514", features);
  }
  const article = (slug: string, cover: string | null) =>
    db.sql`
      insert into public.articles (slug, locale, title, body, cover_image_url) values (${slug}, 'ja', 'T', 'B', ${cover})`;
  assert.equal(await sqlstate(article("Two Words", null)), "23514");
  assert.equal(await sqlstate(article("cover", "javascript:alert(1)")), "23514");
  assert.equal(await sqlstate(db.sql`insert into public.ads (placement, title) values ('wall', 'T')`), "23514");
  assert.equal(await sqlstate(newAd(0)), "23514");
  // What JSON has no date for would take the whole list away.
  for (const at of ["-infinity", "0044-03-15 00:00:00+00 BC"]) {
    assert.equal(
      await sqlstate(
        db.sql`insert into public.ads (placement, title, starts_at) values ('map', 'T', ${at}::text::timestamptz)`,
      ),
      "23514",
    );
    assert.equal(
      await sqlstate(
        db.sql`insert into public.articles (slug, locale, title, body, published_at) values ('old', 'ja', 'T', 'B', ${at}::text::timestamptz)`,
      ),
      "23514",
    );
  }
  for (const at of ["infinity", "10000-01-01 00:00:00+00"]) {
    assert.equal(
      await sqlstate(
        db.sql`insert into public.ads (placement, title, ends_at) values ('map', 'T', ${at}::text::timestamptz)`,
      ),
      "23514",
    );
  }
});

Deno.test("published: a wrong parameter is rejected and named", async () => {
  const named = async (statement: PromiseLike<unknown>) => {
    const { code, status, param } = await errorOf(statement);
    assert.deepEqual([code, status], ["validation_error", 422]);
    return param;
  };
  assert.equal(await named(ads({ placement: "wall" })), "placement");
  assert.equal(await named(ads({ seed: "" })), "seed");
  assert.equal(await named(ads({ limit: 0 })), "limit");
  assert.equal(await named(ads({ cursor: "x" })), "cursor");
  const { next_cursor } = await ads({ placement: "home_top", seed: "a", limit: 1 });
  assert.ok(next_cursor);
  assert.equal(await named(ads({ placement: "home_top", seed: "b", limit: 1, cursor: next_cursor })), "cursor");
  assert.equal(await named(articles("fr")), "lang");
  assert.equal(await named(plans("fr")), "lang");
  assert.equal(await named(plans("ja", 101)), "limit");
});
