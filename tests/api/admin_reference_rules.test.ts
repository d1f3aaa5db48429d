// What holds for one of plans, codes, tags and holidays in the console: what everyone then reads, and what stays.
import assert from "node:assert/strict";
import { sending } from "./administrators.ts";
import { ask, jsonBody } from "./client.ts";
import { anEditor, codes, holidays, plans, type Row, tags } from "./content.ts";
import { aLot, inDatabase } from "./lots.ts";

const { editor, replied, create, change, remove, actions } = await anEditor();

/** Every item of a list, page by page. */
async function everything(path: string): Promise<Row[]> {
  const items: Row[] = [];
  let cursor = "";
  do {
    const page = await replied(editor.ask(`${path}${path.includes("?") ? "&" : "?"}limit=50${cursor}`));
    items.push(...page.items);
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  return items;
}

Deno.test("admin plans: a plan that is off sale is removed from the public list, and its row and code stay", async () => {
  const plan = await create(plans, { name_en: "Plan", features: { seats: 2 }, features_en: ["Two seats"] });
  const at = `${plans.path}/${plan.id}`;
  const sold = async (lang: string) => {
    const { items } = await replied(ask(`/subscription-plans?limit=100&lang=${lang}`));
    return items.find(({ id }: Row) => id === plan.id);
  };
  assert.deepEqual([(await sold("en")).name, (await sold("en")).features], ["Plan", ["Two seats"]]);
  await change(at, { name_en: null, features_en: null });
  assert.deepEqual([(await sold("en")).name, (await sold("en")).features], [plan.name, { seats: 2 }]);
  await change(at, { is_active: false });
  assert.equal(await sold("ja"), undefined);
  assert.equal((await change(at, { code: "another" }, 422)).error.param, "code");
  await remove(at, 405);
  await change(at, { is_active: true });
  assert.ok(await sold("ja"));
  assert.deepEqual(await actions(plan.id), ["update", "withdraw", "restore"]);
  const again = await replied(editor.ask(plans.path, sending("POST", { ...plans.body(), code: plan.code })), 409);
  assert.deepEqual([again.error.param, again.error.details], ["code", { reason: "already_exists" }]);
});

Deno.test("admin plans: the list is filtered by is_active and billing_period, in the order of the public list", async () => {
  const once = await create(plans, { billing_period: "one_time", is_active: false });
  const listed = await everything(`${plans.path}?billing_period=one_time&is_active=false`);
  assert.ok(listed.some(({ id }) => id === once.id));
  assert.ok(listed.every((row) => row.billing_period === "one_time" && row.is_active === false));
  const sold = await everything(`${plans.path}?is_active=true`);
  const { items } = await replied(ask("/subscription-plans?limit=100"));
  // Other tests sell plans and withdraw them between the two reads.
  const inBoth = (rows: Row[], others: Row[]) =>
    rows.map(({ id }) => id).filter((id) => others.some((other) => other.id === id));
  assert.ok(inBoth(sold, items).length > 1);
  assert.deepEqual(inBoth(sold, items), inBoth(items, sold));
});

const listedCode = async (category: string, code: string, lang: string) => {
  const { items } = await replied(ask(`/codes?lang=${lang}`));
  return items.find((row: Row) => row.category_id === category && row.code === code);
};

Deno.test("admin codes: a code is added to an open list in both languages, changed in both, and withdrawn, not deleted", async () => {
  const code = await create(codes, { metadata: { color: "#123456" } });
  const at = `${codes.path}/structure/${code.code}`;
  for (const lang of ["ja", "en"] as const) {
    const row = await listedCode("structure", code.code, lang);
    assert.equal(row.display_label, code.labels[lang]);
    assert.deepEqual(row.metadata, { color: "#123456", logo_url: null, url: null });
  }
  const before = (await everything(`${codes.path}?category_id=structure`)).map(({ sort_order }) => sort_order);
  assert.equal(Math.max(...before), code.sort_order, "it is the last of its list");
  await change(at, { labels: { ja: "はしけ", en: "Barge" }, metadata: null });
  assert.equal((await listedCode("structure", code.code, "en")).display_label, "Barge");
  assert.equal((await listedCode("structure", code.code, "ja")).metadata, null);
  assert.equal((await change(at, { is_active: false })).is_active, false);
  assert.equal(await listedCode("structure", code.code, "ja"), undefined);
  await remove(at, 405);
  await change(at, { is_active: true });
  assert.deepEqual(await actions(`structure/${code.code}`), ["update", "withdraw", "restore"]);
  const again = await replied(editor.ask(codes.path, sending("POST", { ...codes.body(), code: code.code })), 409);
  assert.deepEqual([again.error.param, again.error.details], ["code", { reason: "already_exists" }]);
});

Deno.test("admin codes: the codes of a fixed list get other labels, and are neither added nor withdrawn", async () => {
  const at = `${codes.path}/review_status/hidden`;
  const code = await replied(editor.ask(at));
  assert.equal(code.is_open, false);
  await change(at, { labels: { ...code.labels, en: "Not shown" } });
  assert.equal((await listedCode("review_status", "hidden", "en")).display_label, "Not shown");
  await change(at, { labels: code.labels, is_active: true });
  const withdrawn = await change(at, { is_active: false }, 409);
  assert.deepEqual([withdrawn.error.param, withdrawn.error.details], ["is_active", { reason: "fixed_list" }]);
  for (const [category_id, status] of [["review_status", 409], ["admin_action", 409], ["no_such_list", 422]] as const) {
    const { error } = await replied(editor.ask(codes.path, sending("POST", { ...codes.body(), category_id })), status);
    assert.equal(error.param, "category_id");
  }
});

Deno.test("admin codes: a list is fixed when a constraint or a function names its codes", async () => {
  const open = await inDatabase((sql) => sql<{ id: string }[]>`select id from public.code_categories where is_open`);
  assert.deepEqual(
    open.map(({ id }) => id).toSorted(),
    ["accessibility", "entry_method", "ev_connector_type", "shape_type", "structure", "vehicle_type"],
  );
});

Deno.test("admin codes: the list has every code once, by list, place and code, and is filtered", async () => {
  const all = await everything(codes.path);
  const [{ count }] = await inDatabase((sql) =>
    sql<{ count: number }[]>`select count(distinct (category_id, code))::integer as count from public.codes`
  ) as unknown as [{ count: number }];
  assert.equal(new Set(all.map((row) => `${row.category_id}/${row.code}`)).size, count);
  assert.equal(all.length, count);
  const keys = all.map((row) => [row.category_id, row.sort_order, row.code] as const);
  const less = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;
  assert.deepEqual(keys, keys.toSorted((a, b) => less(a[0], b[0]) || a[1] - b[1] || less(a[2], b[2])));
  const found = await everything(`${codes.path}?q=${encodeURIComponent("普通車")}&category_id=vehicle_type`);
  assert.deepEqual(found.map(({ code }) => code), ["standard"]);
  assert.ok((await everything(`${codes.path}?is_active=false`)).every((row) => row.is_active === false));
});

Deno.test("admin tags: a withdrawn tag is removed from the master list, and lots that have it still show it", async () => {
  const [tag, lot] = [await create(tags), await aLot()];
  const at = `${tags.path}/${tag.id}`;
  const offered = async (lang: string) => {
    const { items } = await replied(ask(`/tags?limit=100&lang=${lang}`));
    return items.find(({ id }: Row) => id === tag.id)?.name;
  };
  const visible = async () => (await replied(ask(`/parking-lots/${lot}`))).tags.map(({ tag }: Row) => tag.name);
  assert.deepEqual([await offered("ja"), await offered("en"), await visible()], [tag.name, tag.name_en, []]);
  await inDatabase((sql) =>
    sql`insert into public.parking_lot_tags (parking_lot_id, tag_id, state) values (${lot}, ${tag.id}, true)`
  );
  await change(at, { name: "洗車" });
  assert.deepEqual([await offered("ja"), await visible()], ["洗車", ["洗車"]]);
  await change(at, { is_active: false });
  assert.deepEqual([await offered("ja"), await visible()], [undefined, ["洗車"]]);
  assert.deepEqual((await remove(at, 409)).error.details, { reason: "in_use" });
  assert.equal((await change(at, { slug: "other" }, 422)).error.param, "slug");
  await inDatabase((sql) => sql`delete from public.parking_lot_tags where tag_id = ${tag.id}`);
  await remove(at);
  assert.deepEqual(await actions(tag.id), ["update", "withdraw", "delete"]);
});

Deno.test("admin tags: an attribute of searches is renamed, and neither withdrawn nor deleted", async () => {
  const [covered] = await everything(`${tags.path}?q=covered`);
  const at = `${tags.path}/${covered!.id}`;
  const withdrawn = await change(at, { is_active: false }, 409);
  assert.deepEqual([withdrawn.error.param, withdrawn.error.details], ["is_active", { reason: "search_attribute" }]);
  assert.deepEqual((await remove(at, 409)).error.details, { reason: "search_attribute" });
  await change(at, { icon_name: "roof-2" });
  await change(at, { icon_name: covered!.icon_name });
});

Deno.test("admin tags: the list is filtered by category, is_active and words, and a slug is used once", async () => {
  const tag = await create(tags, { category: "console_test", is_active: false });
  assert.deepEqual((await everything(`${tags.path}?category=console_test`)).map(({ id }) => id), [tag.id]);
  assert.deepEqual((await everything(`${tags.path}?category=console_test&is_active=true`)).length, 0);
  assert.deepEqual((await everything(`${tags.path}?q=${tag.slug.toUpperCase()}`)).map(({ id }) => id), [tag.id]);
  const again = await replied(editor.ask(tags.path, sending("POST", { ...tags.body(), slug: tag.slug })), 409);
  assert.deepEqual([again.error.param, again.error.details], ["slug", { reason: "already_exists" }]);
});

Deno.test("admin holidays: a change of a calendar changes fees and hours of its lots at once", async () => {
  const lot = await aLot({ holiday_calendar: "ZZ-T" });
  await inDatabase(async (sql) => {
    for (const [day_type, price] of [["weekday", 100], ["holiday", 700]] as const) {
      await sql`
        insert into public.pricing_rules (parking_lot_id, category, day_type, per_minutes, price_minor)
        values (${lot}, 'time_band', ${day_type}, 60, ${price})`;
    }
    await sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, open_time, close_time)
      values (${lot}, 'business', 'holiday', '10:00', '11:00')`;
    await sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, is_24h)
      values (${lot}, 'business', 'weekday', true)`;
  });
  // A Wednesday.
  const stay = { entry_at: "2030-06-12T14:00:00+09:00", exit_at: "2030-06-12T14:30:00+09:00" };
  const seen = async () => {
    const { total_amount } = await replied(ask(`/parking-lots/${lot}/calc-fee`, { method: "POST", ...jsonBody(stay) }));
    const query = new URLSearchParams(stay);
    const { planned_stay } = await replied(ask(`/parking-lots/${lot}?${query}`));
    return [total_amount, planned_stay.is_open_at_entry];
  };
  assert.deepEqual(await seen(), [100, true]);
  const day = { calendar: "ZZ-T", holiday_date: "2030-06-12" };
  await create(holidays, day);
  assert.deepEqual(await seen(), [700, false]);
  await remove(`${holidays.path}/ZZ-T/2030-06-12`);
  assert.deepEqual(await seen(), [100, true]);
  assert.deepEqual(await actions("ZZ-T/2030-06-12"), ["delete"]);
});

Deno.test("admin holidays: a date is a holiday of a calendar once, and the list is filtered by calendar and dates", async () => {
  const calendar = "ZZ-L";
  for (const holiday_date of ["2031-01-01", "2031-05-05", "2031-12-31"]) {
    await create(holidays, { calendar, holiday_date });
  }
  const body = { ...holidays.body(), calendar, holiday_date: "2031-05-05" };
  const again = await replied(editor.ask(holidays.path, sending("POST", body)), 409);
  assert.deepEqual([again.error.param, again.error.details], ["holiday_date", { reason: "already_exists" }]);
  const dates = async (query: string) => {
    const rows = await everything(`${holidays.path}?calendar=${calendar}${query}`);
    return rows.map(({ holiday_date }) => holiday_date);
  };
  assert.deepEqual(await dates(""), ["2031-01-01", "2031-05-05", "2031-12-31"]);
  assert.deepEqual(await dates("&from=2031-05-05"), ["2031-05-05", "2031-12-31"]);
  assert.deepEqual(await dates("&from=2031-01-02&to=2031-05-05"), ["2031-05-05"]);
  const first = await replied(editor.ask(`${holidays.path}?calendar=${calendar}&limit=2&include=total`));
  assert.equal(first.total, 3);
  const second = await replied(editor.ask(`${holidays.path}?calendar=${calendar}&limit=2&cursor=${first.next_cursor}`));
  assert.deepEqual(second.items.map(({ holiday_date }: Row) => holiday_date), ["2031-12-31"]);
});
