import assert from "node:assert/strict";
import postgres from "postgres";
import { LotDetail } from "../../supabase/functions/_shared/schema/lot_detail.ts";
import { PricingRules } from "../../supabase/functions/_shared/schema/fees.ts";
import { readParkingLot } from "../../supabase/functions/parking-lots/detail.ts";
import { listPricingRules } from "../../supabase/functions/parking-lots/pricing_rules.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { makeVoters, newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, query, replyOf } from "./client.ts";
import { hiddenLots } from "./lots.ts";

const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
Deno.test.afterAll(() => sql.end());

const path = (lot: string, values: Record<string, unknown> = {}) => `/parking-lots/${lot}${query(values)}`;
const detail = async (lot: string, values: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  await replyOf(readParkingLot, await ask(path(lot, values), { headers }), LotDetail);

Deno.test("detail: a lot with only a position has every key, with null for unknown values", async () => {
  const lot = await newLot(sql, { name: "Bare", address: "1-1", lat: 35.5, lng: 139.5 });
  const { created_at, updated_at, ...rest } = await detail(lot);
  assert.equal(created_at, updated_at);
  const unknown = { is_open_now: null, can_enter_now: null, can_exit_now: null };
  const none = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, null]));
  assert.deepEqual(rest, {
    ...none("name_kana", "area", "total_spaces", "structure", "max_height_m", "max_width_m", "max_length_m"),
    ...none("max_weight_t", "min_clearance_cm", "max_tire_width_mm", "max_parking_duration_min", "entry_method"),
    ...none("shape_type", "entry_difficulty", "operator_code", "phone", "website", "source"),
    avg_rating: 0,
    ...none("hour_price", "main_image", "operator", "planned_stay", "fit", "availability", "is_saved", "my_rating"),
    id: lot,
    name: "Bare",
    address: "1-1",
    lat: 35.5,
    lng: 139.5,
    status: "active",
    time_zone: "Asia/Tokyo",
    holiday_calendar: "JP",
    price_fixed_at_entry: false,
    currency: "JPY",
    review_count: 0,
    good_count: 0,
    bad_count: 0,
    pricing_rules: [],
    pricing_groups: [],
    images: [],
    tags: [],
    spots: [],
    date_overrides: [],
    is_open_now: null,
    derived: unknown,
    next_change_at: unknown,
    provenance: none("source", "external_id", "source_url", "licence", "attribution"),
  });
});

Deno.test("detail: the reply has the lot's row, source, operator and attributes, in either language", async () => {
  const area = { type: "Polygon", coordinates: [[[139, 35], [139.1, 35], [139.1, 35.1], [139, 35]]] };
  const [source, external_id] = ["test", crypto.randomUUID()];
  const lot = await newLot(sql, {
    area,
    max_height_m: 2.1,
    total_spaces: 40,
    operator_code: "tsukimi",
    source,
    external_id,
    licence: "CC0-1.0",
    attribution: "The city",
    website: "https://lot.example",
  });
  await sql`
    insert into public.parking_lot_tags (parking_lot_id, tag_id, state)
    select ${lot}, t.id, case t.slug when 'covered' then true when 'low_price' then false end
    from public.tags t where t.slug in ('low_price', 'covered', 'reservable')`;
  const [japanese, english] = [await detail(lot), await detail(lot, { lang: "en" })];
  assert.deepEqual([english.area, english.max_height_m, english.total_spaces], [area, 2.1, 40]);
  assert.deepEqual(english.provenance, {
    source,
    external_id,
    source_url: null,
    licence: "CC0-1.0",
    attribution: "The city",
  });
  assert.deepEqual(english.operator, {
    id: "tsukimi",
    name: "Tsukimi Park 24",
    slug: "tsukimi-park",
    color: "#f2c94c",
  });
  assert.equal(japanese.operator?.name, "月見パーク24");
  const named = ({ tags }: typeof english) => tags.map(({ tag, state }) => [tag?.slug, tag?.name, state]);
  assert.deepEqual(named(english), [
    ["covered", "Covered", true],
    ["reservable", "Reservable", null],
    ["low_price", "Low price", false],
  ]);
  assert.deepEqual(named(japanese).map(([, name]) => name), ["屋根あり", "予約可", "低価格"]);
  assert.ok(english.tags.every(({ tag_id, tag }) => tag?.id === tag_id));
});

Deno.test("detail: images come main one first, with a URL only while they may be shown", async () => {
  const lot = await newLot(sql);
  const folder = `parking_lot/${crypto.randomUUID()}`;
  const assets = [
    { storage_key: `${folder}/main one.jpg`, is_main: true, sort_order: 9 },
    { storage_key: `${folder}/second.jpg`, sort_order: 1 },
    { storage_key: `${folder}/deleted.jpg`, sort_order: 2, deleted_at: new Date() },
    { storage_key: `${folder}/pending.jpg`, sort_order: 3, status: "pending" },
    { storage_key: `${folder}/hidden.jpg`, sort_order: null, is_public: false },
  ];
  for (const { is_main = false, sort_order, ...columns } of assets) {
    const [asset] = await sql`insert into public.assets ${sql(columns)} returning id`;
    await sql`
      insert into public.parking_lot_images (parking_lot_id, asset_id, is_main, sort_order)
      values (${lot}, ${asset!.id}, ${is_main}, ${sort_order})`;
  }
  const { images, main_image } = await detail(lot);
  assert.deepEqual(images.map(({ sort_order }) => sort_order), [9, 1, 2, 3, null]);
  assert.equal(images[0]?.image_url, main_image);
  assert.ok(main_image?.endsWith(`/${folder}/main%20one.jpg`), String(main_image));
  assert.ok(images[1]?.image_url?.endsWith(`/${folder}/second.jpg`));
  assert.deepEqual(images.slice(2).map(({ image_url }) => image_url), [null, null, null]);
});

Deno.test("detail: spots, price lists and their rules are those of the lot", async () => {
  const lot = await newLot(sql);
  await sql`
    insert into public.parking_lot_spots (parking_lot_id, code, is_ev_charger, ev_connector_type)
    values (${lot}, 'B', true, 'chademo'), (${lot}, 'A', false, null)`;
  const [group] = await sql`
    insert into public.pricing_groups (parking_lot_id, code, name, is_default, display_order, vehicle_types)
    values (${lot}, 'kei', 'Kei cars', false, 2, '{kei}') returning id`;
  await sql`
    insert into public.pricing_rules (parking_lot_id, pricing_group_id, category, rule_order, per_minutes, price_minor)
    values (${lot}, ${group!.id}, 'time_band', 2, 30, 100), (${lot}, null, 'time_band', 1, 30, 200)`;
  const { spots, pricing_groups, pricing_rules, hour_price } = await detail(lot);
  assert.deepEqual(spots.map(({ id: _, ...spot }) => spot), [
    {
      code: "A",
      vehicle_type_max: null,
      is_ev_charger: false,
      ev_connector_type: null,
      accessibility: null,
      is_reservable: false,
    },
    {
      code: "B",
      vehicle_type_max: null,
      is_ev_charger: true,
      ev_connector_type: "chademo",
      accessibility: null,
      is_reservable: false,
    },
  ]);
  assert.deepEqual(pricing_groups, [{
    id: group!.id,
    code: "kei",
    name: "Kei cars",
    is_default: false,
    display_order: 2,
    vehicle_types: ["kei"],
    free_while_closed: false,
  }]);
  assert.deepEqual(pricing_rules.map(({ price_minor }) => price_minor), [200, 100]);
  assert.equal(hour_price, 400);
  const listed = await replyOf(listPricingRules, await ask(`/parking-lots/${lot}/pricing-rules`), PricingRules);
  assert.deepEqual(pricing_rules, listed.items);
});

Deno.test("detail: date overrides come by date, with what they replace; times of day are HH:MM for any stored form", async () => {
  const lot = await newLot(sql);
  const kinds = {
    business: [{ open_time: "08:00", close_time: "12:00" }, { open_time: "13:00:00", close_time: "24:00" }],
    entry: [],
    exit: [{ is_24h: true }],
    after_hours_exit: [{ is_closed: true }],
  };
  const pricing = [{ category: "time_band", rule_order: 1, per_minutes: 60, price_minor: 500 }];
  const overrides = [
    { override_date: "2026-12-29", label: "", hours: { is_closed: true }, pricing: null, note: null },
    { override_date: "2026-12-30", label: "Works", hours: kinds, pricing: [], note: "Until noon" },
    { override_date: "2026-12-31", label: "New Year's Eve", hours: null, pricing, note: null },
  ];
  for (const { hours, pricing, label, ...columns } of overrides.toReversed()) {
    await sql`
      insert into public.parking_lot_date_overrides ${
      sql({
        ...columns,
        parking_lot_id: lot,
        label: label || null,
        hours: hours && sql.json(hours),
        pricing: pricing && sql.json(pricing),
      })
    }`;
  }
  kinds.business[1]!.open_time = "13:00";
  const { date_overrides } = await detail(lot);
  assert.deepEqual(date_overrides.map(({ id: _, ...override }) => override), overrides);
});

Deno.test("detail: optional parts are returned only when include names them", async () => {
  const lot = await newLot(sql, { max_height_m: 2.1, source: "test", licence: "CC0-1.0" });
  await sql`insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h) values (${lot}, 'business', true)`;
  await sql`
    insert into public.occupancy_reports (parking_lot_id, source, state, free_spaces, reported_at)
    values (${lot}, 'sensor', 'available', 3, now())`;
  const parts = ["field_value_ids", "hours", "week", "fee_curve", "field_provenance", "occupancy_forecast"] as const;
  const named = (lot: object) => parts.filter((part) => part in lot);
  assert.deepEqual(named(await detail(lot)), []);
  for (const part of parts) assert.deepEqual(named(await detail(lot, { include: part })), [part]);
  const all = await detail(lot, { include: parts.join() });
  assert.deepEqual(named(all), parts);

  assert.deepEqual(Object.keys(all.field_value_ids!).sort(), ["address", "lat", "lng", "max_height_m", "name"]);
  const { field_value_id, ...height } = all.field_provenance!.max_height_m!;
  assert.equal(field_value_id, all.field_value_ids!.max_height_m);
  assert.deepEqual(height, {
    state: "unverified",
    source: "test",
    licence: "CC0-1.0",
    last_verified_at: null,
    confirm_count: 0,
    deny_count: 0,
    my_vote: null,
  });
  assert.deepEqual(all.hours!.windows.map(({ window_type, is_24h }) => [window_type, is_24h]), [["business", true]]);
  assert.deepEqual(all.hours!.legacy_business, [{ day_type: null, open_time: null, close_time: null, is_24h: true }]);
  assert.deepEqual(all.occupancy_forecast!.map(({ sample_size, full_share }) => [sample_size, full_share]), [[1, 0]]);
  assert.deepEqual([all.availability?.state, all.availability?.free_spaces, all.availability?.source], [
    "available",
    3,
    "sensor",
  ]);
});

Deno.test("detail: the confirm endpoint takes a field's id of the detail, and the detail then counts the vote", async () => {
  const [lot, { id: voter, token }] = [await newLot(sql, { max_height_m: 2.1 }), await signUp()];
  await makeVoters(sql, [voter]);
  const id = (await detail(lot, { include: "field_value_ids" })).field_value_ids!.max_height_m;
  const voted = await ask(`/parking-lots/${lot}/field-values/${id}/confirm`, {
    method: "POST",
    headers: bearer(token),
  });
  assert.equal(voted.status, 200, await voted.text());
  const height = async (headers = {}) =>
    (await detail(lot, { include: "field_provenance" }, headers)).field_provenance!.max_height_m!;
  const { field_value_id, confirm_count, my_vote } = await height(bearer(token));
  assert.deepEqual([field_value_id, confirm_count, my_vote], [id, 1, "confirm"]);
  assert.equal((await height(bearer((await signUp()).token))).my_vote, null);
  assert.equal((await height()).my_vote, null);
});

Deno.test("detail: week has seven days of the lot's clock, and at each moment the state that a stay has then", async () => {
  const calendar = "QW";
  const lot = await newLot(sql, { time_zone: "America/New_York", holiday_calendar: calendar });
  await sql`
    insert into public.parking_lot_windows ${
    sql([
      { parking_lot_id: lot, window_type: "business", day_type: null, open_time: "09:00", close_time: "17:00" },
      { parking_lot_id: lot, window_type: "business", day_type: "holiday", open_time: "10:00", close_time: "02:00" },
      { parking_lot_id: lot, window_type: "entry", day_type: null, open_time: "08:00", close_time: "16:00" },
    ])
  }`;
  const days = [
    ...await sql<{ day: string }[]>`
    select ((now() at time zone 'America/New_York')::date + n)::text as day from generate_series(0, 6) n order by n`,
  ];
  const [, second, third] = days.map(({ day }) => day);
  await sql`
    insert into public.holidays (calendar, holiday_date, name, name_en) values (${calendar}, ${second!}, '祝日', 'Holiday')
    on conflict (calendar, holiday_date) do nothing`;
  const [override] = await sql<{ id: string }[]>`
    insert into public.parking_lot_date_overrides (parking_lot_id, override_date, label, hours)
    values (${lot}, ${third!}, 'Inventory', '{"is_closed": true}') returning id`;
  const week = (await detail(lot, { include: "week", lang: "en" })).week!;
  assert.deepEqual(
    week.days.map(({ date, holiday, date_override_id }) => [date, holiday, date_override_id]),
    days.map(({ day }, index) => [day, index === 1 ? "Holiday" : null, index === 2 ? override!.id : null]),
  );
  assert.equal(week.spans[0]!.from, week.days[0]!.starts_at);
  assert.equal(week.spans.at(-1)!.to, week.days.at(-1)!.ends_at);
  for (const [index, { from, to, ...state }] of week.spans.entries()) {
    assert.equal(week.spans[index + 1]?.from ?? to, to);
    for (const at of [Date.parse(from), Date.parse(to) - 1000].map((time) => new Date(time).toISOString())) {
      const stay = (await detail(lot, { entry_at: at, exit_at: at })).planned_stay!;
      assert.deepEqual(
        state,
        { is_open: stay.is_open_at_entry, can_enter: stay.can_enter_at, can_exit: stay.can_exit_at },
        `from ${from}, at ${at}`,
      );
    }
  }
  // Until 02:00 the hours of the holiday run on into the closed day.
  const closed = week.days[2]!;
  const onClosed = week.spans.filter(({ from, to }) => to > closed.starts_at && from < closed.ends_at);
  assert.deepEqual(onClosed.map(({ is_open }) => is_open), [true, false]);
});

Deno.test("detail: fee_curve has the fee of calc-fee before and after each increase; null where it is unknown", async () => {
  const lot = await newLot(sql);
  await sql`
    insert into public.pricing_rules ${
    sql([
      { ...rule(lot, 1), category: "time_band", per_minutes: 45, price_minor: 200 },
      {
        ...rule(lot, 2),
        category: "cap",
        cap_type: "duration",
        cap_duration_hours: 4,
        cap_price_minor: 900,
        cap_repeat: true,
      },
    ])
  }`;
  const entry_at = "2026-11-25T10:00:00+09:00";
  const { fee_curve } = await detail(lot, { include: "fee_curve", entry_at, exit_at: entry_at });
  const fee = async (time: number) => {
    const exit_at = new Date(time).toISOString();
    return (await detail(lot, { entry_at, exit_at })).planned_stay!.fee!.total_amount;
  };
  const increases = fee_curve!.slice(0, -1);
  assert.deepEqual(increases.slice(0, 6).map(({ amount }) => amount), [200, 400, 600, 800, 900, 1100]);
  let before = 0;
  for (const { at, amount } of increases) {
    assert.deepEqual([await fee(Date.parse(at)), await fee(Date.parse(at) + 1000)], [before, amount], at);
    before = amount;
  }
  const end = fee_curve!.at(-1)!;
  assert.deepEqual([Date.parse(end.at) - Date.parse(entry_at), end.amount], [24 * 3_600_000, before]);
  assert.equal((await detail(await newLot(sql), { include: "fee_curve" })).fee_curve, null);
});

const rule = (lot: string, order: number) => ({
  parking_lot_id: lot,
  rule_order: order,
  per_minutes: null,
  price_minor: null,
  cap_type: null,
  cap_duration_hours: null,
  cap_price_minor: null,
  cap_repeat: null,
});

Deno.test("detail: each user gets their own rating and saved state, an anonymous user none", async () => {
  const [lot, user, stranger] = [await newLot(sql), await signUp(), await signUp()];
  await sql`insert into public.saved_parking_lots (user_id, parking_lot_id) values (${user.id}, ${lot})`;
  const rated = await ask(`/parking-lots/${lot}/rating`, {
    method: "PUT",
    ...jsonBody({ value: "good" }, bearer(user.token)),
  });
  assert.equal(rated.status, 200, await rated.text());
  const marks = ({ is_saved, my_rating, good_count }: Awaited<ReturnType<typeof detail>>) => [
    is_saved,
    my_rating,
    good_count,
  ];
  assert.deepEqual(marks(await detail(lot, {}, bearer(user.token))), [true, "good", 1]);
  assert.deepEqual(marks(await detail(lot, {}, bearer(stranger.token))), [false, null, 1]);
  assert.deepEqual(marks(await detail(lot)), [null, null, 1]);
});

Deno.test("detail: fit is true, false or unknown for a vehicle", async () => {
  const lot = await newLot(sql, { max_height_m: 2.1 });
  const fit = async (vehicle: object) => (await detail(lot, { vehicle })).fit;
  assert.equal((await fit({ height_m: 2.1 }))?.fits, true);
  assert.equal((await fit({ height_m: 2.1, width_m: 1.8 }))?.fits, null);
  assert.deepEqual(await fit({ height_m: 2.2 }), {
    fits: false,
    failing: ["height_m"],
    unknown: [],
    limits: { height_m: 2.1 },
  });
  assert.equal(await fit({}), null);
});

Deno.test("detail: a client revalidates each time and gets 304 when nothing changed", async () => {
  const lot = await newLot(sql);
  const first = await ask(path(lot));
  await first.body?.cancel();
  assert.equal(first.headers.get("cache-control"), "private, no-cache");
  assert.match(first.headers.get("vary") ?? "", /Authorization/i);
  const unchanged = { headers: { "if-none-match": first.headers.get("etag") ?? "" } };
  assert.equal((await ask(path(lot), unchanged)).status, 304);
  await sql`update public.parking_lots set name = 'Renamed' where id = ${lot}`;
  const changed = await ask(path(lot), unchanged);
  assert.deepEqual([changed.status, (await changed.json()).name], [200, "Renamed"]);
});

Deno.test("detail: a lot that is not public is 404 for every caller", async () => {
  const { token } = await signUp();
  for (const hidden of Object.values(await hiddenLots())) {
    for (const headers of [{}, bearer(token)]) {
      await assertError(await ask(path(hidden), { headers }), { code: "lot_not_found", param: "id" });
    }
  }
});

Deno.test("detail: a suspended user is rejected, also for public data", async () => {
  const [lot, { id, token }] = [await newLot(sql), await signUp()];
  await sql`update public.app_users set status = 'suspended' where id = ${id}`;
  await assertError(await ask(path(lot), { headers: bearer(token) }), { code: "forbidden" });
});

Deno.test("detail: a wrong parameter is rejected by its name", async () => {
  const lot = await newLot(sql);
  const [noon, later] = ["2026-09-01T12:00:00+09:00", "2026-09-01T13:00:00+09:00"];
  const wrong: [param: string, values: Record<string, unknown>][] = [
    ["include.1", { include: "hours,reviews" }],
    ["include.0", { include: "" }],
    ["entry_at", { exit_at: noon }],
    ["exit_at", { entry_at: noon }],
    ["exit_at", { entry_at: later, exit_at: noon }],
    ["exit_at", { entry_at: noon, exit_at: "2027-09-02T12:00:01+09:00" }],
    ["entry_at", { entry_at: "2026-09-01T12:00:00", exit_at: noon }],
    ["entry_at", { entry_at: "1999-12-31T23:59:59Z", exit_at: noon }],
    ["exit_at", { entry_at: noon, exit_at: "2100-01-01T00:00:00Z" }],
    ["entry_at", { entry_at: "2026-09-01T12:00:00+23:59", exit_at: noon }],
    ["vehicle_type", { entry_at: noon, exit_at: later, vehicle_type: "submarine" }],
    ["vehicle.height_m", { vehicle: { height_m: 0 } }],
    ["vehicle.wings", { vehicle: { wings: 2 } }],
    ["lang", { lang: "de" }],
    ["hours", { hours: true }],
  ];
  for (const [param, values] of wrong) {
    await assertError(await ask(path(lot, values)), { code: "validation_error", param });
  }
  await assertError(await ask("/parking-lots/1"), { code: "validation_error", param: "id" });
});
