// The content in the console, in SQL: what the back office may send by hand, and two administrators at once.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const service = { role: "service_role" } as const;
type Row = Record<string, unknown>;

async function newAdmin(...areas: string[]): Promise<string> {
  const id = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${id}, ${`${id}@example.test`}, ${db.sql.json({ admin: { name: "Editor", areas } })})`;
  return id;
}

const [one, other] = [await newAdmin("content"), await newAdmin("content")];

/** Calls a function of the console in a transaction of its own. */
async function call(name: string, args: Row, admin = one): Promise<Row> {
  return await db.as(service, (sql) => callIn(sql, name, args, admin));
}

async function callIn(sql: TransactionSql, name: string, args: Row, admin = one): Promise<Row> {
  const given = Object.entries(args);
  const text = given.map(([key], n) => `p_${key} => $${n + 2}`).join(", ");
  const [row] = await sql.unsafe(`select api.admin_${name}(p_admin_id => $1, ${text}) as reply`, [
    admin,
    ...given.map(([, value]) => value),
  ] as never[]);
  return row!["reply"] as Row;
}

const actsOn = async (target: string) => {
  const rows = await db.sql<{ action: string }[]>`
    select action from public.admin_activity_logs where target_id = ${target} order by created_at`;
  return rows.map(({ action }) => action);
};

const ad = (fields: Row = {}) => call("create_ad", { ad: { placement: "map", title: "Ad", ...fields } });
const article = (fields: Row = {}) =>
  call("create_article", {
    article: { slug: `a-${crypto.randomUUID()}`, locale: "ja", title: "T", body: "B", ...fields },
  });

const values: [type: string, good: unknown[], bad: unknown[]][] = [
  ["text", ["", "駐"], [1, true, [], {}]],
  ["boolean", [true, false], ["true", 1, {}]],
  ["integer", [0, -1, 2147483647], [2147483648, 0.5, "1", true]],
  ["double precision", [0, 1.5, -1e10], ["1.5", "NaN", "Infinity"]],
  ["uuid", [crypto.randomUUID()], ["", "x", 1]],
  ["date", ["2026-02-28"], ["2026-02-30", "20260228", "today", 1]],
  ["text[]", [[], ["a"]], [["a", null], [1], [["a"]], "a", {}]],
  ["timestamp with time zone", ["2026-09-01T09:30:00+09:00", "2026-09-01T00:30:00.123Z"], [
    "2026-09-01T09:30:00",
    "2026-09-01",
    "now",
    "infinity",
    "2026-13-01T00:00:00Z",
    "2026-09-01T09:30:00Asia/Tokyo",
    1,
  ]],
  ["jsonb", [{}, [], "a", 1], []],
  ["no_such_type", [], ["a", 1]],
];
for (const [type, good, bad] of values) {
  Deno.test(`private.is_field_value: accepts only what a column of the type ${type} can hold`, async () => {
    for (const [list, expected] of [[good, true], [bad, false]] as const) {
      for (const value of list) {
        const [row] = await db.sql`
          select private.is_field_value(${JSON.stringify(value)}::text::jsonb, ${type}) as fits`;
        assert.equal(row!["fits"], expected, JSON.stringify(value));
      }
    }
  });
}

Deno.test("admin content: a body that is not an object is rejected, as is null", async () => {
  for (const value of ["[]", '"title"', "5", "null"]) {
    for (const name of ["create_ad", "create_code"]) {
      const argument = name === "create_ad" ? "ad" : "code";
      const attempt = db.as(
        service,
        (sql) => sql.unsafe(`select api.admin_${name}('${one}', p_${argument} => '${value}'::jsonb)`),
      );
      const { code, status, param } = await errorOf(attempt);
      assert.deepEqual([code, status, param], ["validation_error", 422, null], `${name} ${value}`);
    }
  }
  const attempt = db.as(service, (sql) => sql`select api.admin_create_tag(${one}, null)`);
  assert.equal((await errorOf(attempt)).code, "validation_error");
});

Deno.test("admin content: the first absent required field is named", async () => {
  const named = async (name: string, argument: string, value: Row) =>
    (await errorOf(call(name, { [argument]: value }))).param;
  assert.equal(await named("create_article", "article", { slug: "a" }), "body");
  assert.equal(await named("create_ad", "ad", { title: "Ad" }), "placement");
  assert.equal(await named("create_sponsor", "sponsor", { name: "S", lat: 1 }), "lng");
  assert.equal(await named("create_code", "code", { category_id: "structure", code: "a" }), "labels");
  assert.equal(await named("create_holiday", "holiday", { calendar: "JP", name: "H" }), "holiday_date");
});

Deno.test("admin content: an unknown state in a filter is rejected and named", async () => {
  const filters = [["articles", "status"], ["articles", "lang"], ["ads", "placement"], ["sponsors", "status"]] as const;
  for (const [list, filter] of filters) {
    const { code, param } = await errorOf(call(`list_${list}`, { [filter]: "none" }));
    assert.deepEqual([code, param], ["validation_error", filter]);
  }
});

Deno.test("admin content: of two administrators who change the same version one succeeds, the other gets 412", async () => {
  const { id, updated_at } = await ad();
  const change = (admin: string, weight: number) =>
    call("update_ad", { id, changes: { weight }, if_match: `"${updated_at}"` }, admin);
  const outcomes = await Promise.allSettled([change(one, 200), change(other, 300)]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const failed = outcomes.find((each) => each.status === "rejected")!;
  const { code, status } = await errorOf(Promise.reject(failed.reason));
  assert.deepEqual([code, status], ["precondition_failed", 412]);
  assert.deepEqual(await actsOn(String(id)), ["ad.create", "ad.update"]);
});

Deno.test("admin content: of concurrent creations of the same row one succeeds, the others get 409", async () => {
  const creations: (() => Promise<Row>)[] = [
    () => article({ slug: "at-once" }),
    () => call("create_tag", { tag: { slug: "at_once", name: "Tag" } }),
    () => call("create_holiday", { holiday: { calendar: "XX", holiday_date: "2030-01-01", name: "Day" } }),
    () => call("create_code", { code: { category_id: "structure", code: "once", labels: { ja: "一", en: "Once" } } }),
    () =>
      call("create_subscription_plan", { plan: { code: "once", name: "P", price_minor: 1, billing_period: "month" } }),
  ];
  for (const create of creations) {
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(create));
    const failures = outcomes.filter((each) => each.status === "rejected");
    assert.equal(failures.length, 3);
    for (const { reason } of failures) {
      const { code, details } = await errorOf(Promise.reject(reason));
      assert.deepEqual([code, details], ["conflict", { reason: "already_exists" }]);
    }
  }
});

Deno.test("admin tags: a tag cannot be deleted while it is added to a lot, nor added while it is deleted", async () => {
  const lot = await newLot(db.sql);
  const give = (sql: TransactionSql, tag: unknown) =>
    sql`insert into public.parking_lot_tags (parking_lot_id, tag_id, state) values (${lot}, ${tag as string}, true)`;
  const newTag = (slug: string) => call("create_tag", { tag: { slug, name: "Tag" } });
  /** Runs the second while the first, which has done its part, has not committed yet. */
  async function meanwhile(first: (sql: TransactionSql) => Promise<unknown>, second: () => Promise<unknown>) {
    let outcome: Promise<unknown> | undefined;
    await db.as(service, async (sql) => {
      await first(sql);
      outcome = second();
      outcome.catch(() => {});
      await eventually(async () => {
        const rows = await db.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return rows[0];
      });
    });
    return outcome!;
  }
  const given = await newTag("being_given");
  const deletion = meanwhile((sql) => give(sql, given["id"]), () => call("delete_tag", { id: given["id"] }));
  const { code, details } = await errorOf(deletion);
  assert.deepEqual([code, details], ["conflict", { reason: "in_use" }]);
  const deleted = await newTag("being_deleted");
  const gift = meanwhile(
    (sql) => callIn(sql, "delete_tag", { id: deleted["id"] }),
    () => db.as(service, (sql) => give(sql, deleted["id"])),
  );
  assert.equal(await sqlstate(gift), "23503");
});

Deno.test("admin content: an act that is rolled back leaves neither the row nor its record", async () => {
  const undo = new Error("undo");
  let id: unknown;
  const attempt = db.as(service, async (sql) => {
    id = (await callIn(sql, "create_ad", { ad: { placement: "map", title: "Undone" } }))["id"];
    throw undo;
  });
  await assert.rejects(attempt, undo);
  assert.deepEqual(await actsOn(String(id)), []);
  assert.equal(await errorOf(call("get_ad", { id })).then(({ status }) => status), 404);
});

Deno.test("ads, sponsors: was_shown is set by every change of a row that was shown, and of no other", async () => {
  for (const table of ["ads", "sponsors"] as const) {
    const extra = table === "ads" ? { placement: "map", title: "Ad" } : { name: "Shop", lat: -20, lng: 57 };
    const wasShown = async (columns: Row) => {
      const [row] = await db.sql<{ id: string }[]>`
        insert into public.${db.sql(table)} ${db.sql({ ...extra, ...columns } as never)} returning id`;
      const [after] = await db.sql<{ was_shown: boolean }[]>`
        update public.${db.sql(table)} set is_active = false where id = ${row!.id} returning was_shown`;
      return after!.was_shown;
    };
    const future = new Date(Date.now() + 86_400_000);
    assert.equal(await wasShown({}), true);
    assert.equal(await wasShown({ starts_at: future }), false);
    assert.equal(await wasShown({ is_active: false }), false);
  }
});

Deno.test("admin codes: both languages stay equal except for the label, and a missing language is added", async () => {
  await db.sql`
    insert into public.codes (category_id, code, lang, display_label, sort_order)
    values ('structure', 'one_language', 'ja', '一', 700)`;
  await call("update_code", {
    category_id: "structure",
    code: "one_language",
    changes: { labels: { ja: "一つ", en: "One" }, metadata: { url: "https://example.com/" }, sort_order: 701 },
  });
  const rows = await db.sql`
    select lang, display_label, sort_order, metadata ->> 'url' as url, metadata ->> 'color' as color, is_active
    from public.codes where category_id = 'structure' and code = 'one_language' order by lang`;
  const facts = { sort_order: 701, url: "https://example.com/", color: null, is_active: true };
  assert.deepEqual(rows.map((row) => ({ ...row })), [
    { lang: "en", display_label: "One", ...facts },
    { lang: "ja", display_label: "一つ", ...facts },
  ]);
});

Deno.test("admin content: % and _ in search words are matched literally", async () => {
  await ad({ title: "100% off_" });
  const titles = async (q: string) =>
    ((await call("list_ads", { q }))["items"] as Row[]).map(({ title }) => title).filter((title) => title !== "Ad");
  assert.deepEqual(await titles("0% OFF_"), ["100% off_"]);
  assert.deepEqual(await titles("%%%"), []);
  assert.deepEqual(await titles("__"), []);
});

Deno.test("articles: an article can be withdrawn only after it was published", async () => {
  const insert = (published: string | null) =>
    db.sql`
      insert into public.articles (slug, locale, title, body, published_at, withdrawn_at)
      values (${crypto.randomUUID()}, 'ja', 'T', 'B', ${published}::text::timestamptz, '2026-01-01T00:00:00Z')`;
  assert.equal(await sqlstate(insert(null)), "23514");
  assert.equal(await sqlstate(insert("2026-01-02T00:00:00Z")), "23514");
  await insert("2025-12-31T00:00:00Z");
});
