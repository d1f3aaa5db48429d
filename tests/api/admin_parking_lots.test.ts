// Lots as administrators keep them: every status, each field and set, by version, on record; and what search, nearby and
// calc-fee answer at once after each change.
import assert from "node:assert/strict";
import {
  AdminParkingLot,
  AdminParkingLots,
  DeletedParkingLot,
} from "../../supabase/functions/admin/parking_lots.schema.ts";
import { AdminActivityLogs } from "../../supabase/functions/admin/activity_logs.schema.ts";
import { Fee } from "../../supabase/functions/_shared/schema/fees.ts";
import { Upload } from "../../supabase/functions/storage/storage.schema.ts";
import {
  createParkingLot,
  deleteParkingLot,
  listLotsOfAllStatuses,
  listParkingLotHistory,
  previewParkingLotFee,
  readLotOfAnyStatus,
  replaceLotImages,
  replaceSpots,
  updateParkingLot,
} from "../../supabase/functions/admin/parking_lots.ts";
import { createUpload } from "../../supabase/functions/storage/uploads.ts";
import { eventually } from "../support/eventually.ts";
import { picture, put as putFile } from "../support/files.ts";
import { MENDED, NORMAL, REFUSED, REFUSED_ON_READING } from "../support/geometries.ts";
import { assertError } from "../support/api_errors.ts";
import { signUp } from "../support/people.ts";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { type Administrator, anAdministrator, sending } from "./administrators.ts";
import { ask, bearer, jsonBody, query, replyOf, tagOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";

const PATH = "/admin/parking-lots";
const console = await anAdministrator("lots");

type Body = Record<string, unknown>;

const create = async (body: Body) =>
  await replyOf(createParkingLot, await console.ask(PATH, sending("POST", body)), AdminParkingLot);
const read = async (id: string) =>
  await replyOf(readLotOfAnyStatus, await console.ask(`${PATH}/${id}`), AdminParkingLot);
const patch = (id: string, body: Body, headers = {}) => console.ask(`${PATH}/${id}`, sending("PATCH", body, headers));
const patched = async (id: string, body: Body) =>
  await replyOf(updateParkingLot, await patch(id, body), AdminParkingLot);
const put = (id: string, set: string, items: unknown, headers = {}) =>
  console.ask(`${PATH}/${id}/${set.replaceAll("_", "-")}`, sending("PUT", { [set]: items }, headers));
// All sets have one reply.
const replaced = async (id: string, set: string, items: unknown) =>
  await replyOf(replaceSpots, await put(id, set, items), AdminParkingLot);
const list = async (filters: Body) =>
  await replyOf(listLotsOfAllStatuses, await console.ask(PATH + query(filters)), AdminParkingLots);
const history = async (id: string, filters: Body = {}) =>
  await replyOf(listParkingLotHistory, await console.ask(`${PATH}/${id}/history${query(filters)}`), AdminActivityLogs);

/** A place where no other lot is. */
let places = 0;
const somewhere = () => ({ lat: -40 - places / 1000, lng: 20 + places++ / 1000 });
const draft = (more: Body = {}) => create({ name: "Console lot", ...somewhere(), ...more });

// deno-lint-ignore no-explicit-any -- what the public routes answer, of which a few fields are read
async function json(path: string, init?: RequestInit): Promise<any> {
  const answer = await ask(path, init);
  const body = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  return body;
}

const nearby = async ({ lat, lng }: { lat: number; lng: number }, filters: Body = {}) =>
  await json(`/parking-lots/nearby${query({ lat, lng, radius_m: 50, filters })}`);
const found = async (search: Body): Promise<string[]> =>
  (await json(`/parking-lots${query({ query: search })}`)).items.map(({ id }: { id: string }) => id);
const stay = { entry_at: "2026-06-03T12:00:00+09:00", exit_at: "2026-06-03T14:00:00+09:00" };
const fee = (id: string, more: Body = {}) =>
  ask(`/parking-lots/${id}/calc-fee`, { method: "POST", ...jsonBody({ ...stay, ...more }) });

Deno.test("POST admin/parking-lots: a draft is not public, and is recorded once per key", async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const body = { name: "New lot", ...somewhere(), address: "1-1", max_height_m: 2.1, operator_code: null };
  const first = await console.ask(PATH, sending("POST", body, headers));
  const lot = await replyOf(createParkingLot, first, AdminParkingLot);
  const again = await console.ask(PATH, sending("POST", body, headers));
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(await again.json(), lot);
  assert.equal(lot.status, "draft");
  assert.deepEqual([lot.time_zone, lot.currency, lot.holiday_calendar], ["Asia/Tokyo", "JPY", "JP"]);
  assert.deepEqual(lot.allowed_statuses, ["active", "closed"]);
  await assertError(await ask(`/parking-lots/${lot.id}`), { code: "lot_not_found" });
  assert.deepEqual(await nearby(body), []);
  const { items } = await history(lot.id);
  assert.equal(items.length, 1);
  const { action, admin_id, target_type, target_id, user_id, changes, request_id } = items[0]!;
  assert.deepEqual([action, admin_id, target_type, target_id, user_id], [
    "parking_lot.create",
    console.id,
    "parking_lot",
    lot.id,
    null,
  ]);
  assert.equal(request_id, first.headers.get("x-request-id"));
  assert.deepEqual(changes["max_height_m"], { old: null, new: 2.1 });
  assert.ok(!("operator_code" in changes) && !("updated_at" in changes));
});

Deno.test("POST admin/parking-lots: an active lot is found at once; wrong fields are named", async () => {
  const at = somewhere();
  const lot = await create({ name: "Activelot", ...at, status: "active", source: "console", external_id: "1" });
  assert.deepEqual((await nearby(at)).map(({ id }: { id: string }) => id), [lot.id]);
  assert.deepEqual(await found({ keywords: ["Activelot"] }), [lot.id]);
  const wrong: [Body, number, string][] = [
    [{ ...at }, 422, "name"],
    [{ name: "x", lat: 1 }, 422, "lng"],
    [{ name: "x", ...at, lat: 91 }, 422, "lat"],
    [{ name: "x", ...at, hour_price: 1 }, 422, "hour_price"],
    [{ name: "x", ...at, structure: "cave" }, 422, "structure"],
    [{ name: "x", ...at, operator_code: "nobody" }, 422, "operator_code"],
    [{ name: "x", ...at, time_zone: "Asia/Nowhere" }, 422, "time_zone"],
    [{ name: "x", ...at, status: "closed" }, 409, "status"],
    [{ name: "x", ...at, source: "console", external_id: "1" }, 409, "external_id"],
  ];
  for (const [body, status, param] of wrong) {
    const answer = await console.ask(PATH, sending("POST", body));
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.param], [status, param], JSON.stringify(error));
  }
});

Deno.test("GET admin/parking-lots/{id}: lots of every status, with their version as ETag", async () => {
  for (const status of ["draft", "active", "suspended", "closed"]) {
    const id = await aLot({ status });
    const answer = await console.ask(`${PATH}/${id}`);
    const lot = await replyOf(readLotOfAnyStatus, answer, AdminParkingLot);
    assert.equal(lot.status, status);
    assert.equal(tagOf(answer), `"${lot.updated_at}"`);
  }
  await assertError(await console.ask(`${PATH}/${crypto.randomUUID()}`), { code: "lot_not_found" });
});

Deno.test("PATCH admin/parking-lots/{id}: the fields that are given, their difference recorded, search updated at once", async () => {
  const lot = await draft({ status: "active", name: "Beforename", phone: "1" });
  const after = await patched(lot.id, { name: "Aftername", phone: null, max_height_m: 2.3, total_spaces: null });
  assert.deepEqual([after.name, after.phone, after.max_height_m, after.address], ["Aftername", null, 2.3, null]);
  assert.ok(after.updated_at > lot.updated_at);
  const [act] = (await history(lot.id)).items;
  assert.equal(act!.action, "parking_lot.update");
  assert.deepEqual(act!.changes, {
    name: { old: "Beforename", new: "Aftername" },
    phone: { old: "1", new: null },
    max_height_m: { old: null, new: 2.3 },
  });
  assert.deepEqual(await found({ keywords: ["Aftername"] }), [lot.id]);
  assert.deepEqual(await found({ keywords: ["Beforename"] }), []);
  assert.equal((await nearby(lot, { max_height_m: 2.2 })).length, 1);
  assert.equal((await nearby(lot, { max_height_m: 2.4 })).length, 0);
  const same = await patched(lot.id, { name: "Aftername" });
  assert.equal(same.updated_at, after.updated_at);
  assert.equal((await history(lot.id)).items.length, 2);
});

Deno.test("PATCH admin/parking-lots/{id}: an outline is stored in its normal form, and what is none is 422 with the reason", async () => {
  const lot = await draft();
  for (const [geometry] of Object.values(NORMAL)) {
    assert.deepEqual((await patched(lot.id, { area: geometry })).area, geometry);
  }
  for (const [geometry, stored] of Object.values(MENDED)) {
    assert.deepEqual((await patched(lot.id, { area: geometry })).area, stored);
  }
  const [, last] = Object.values(MENDED).at(-1)!;
  for (const [name, [area]] of Object.entries({ ...REFUSED, ...REFUSED_ON_READING })) {
    const answer = await patch(lot.id, { area });
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.code], [422, "validation_error"], name);
    assert.match(error.param, /^area\b/, name);
  }
  assert.deepEqual((await read(lot.id)).area, last);
  assert.equal((await patched(lot.id, { area: null })).area, null);
});

Deno.test("PATCH admin/parking-lots/{id}: only allowed status transitions succeed, and search follows them", async () => {
  const lot = await draft();
  const rejection = await patch(lot.id, { status: "suspended", name: "Not stored" });
  const { error } = await rejection.json();
  assert.deepEqual([rejection.status, error.code, error.details.allowed], [409, "conflict", ["active", "closed"]]);
  assert.equal((await read(lot.id)).name, lot.name);
  assert.equal((await history(lot.id)).items.length, 1);
  for (
    const [status, seen] of [["active", 1], ["suspended", 0], ["active", 1], ["closed", 0], ["active", 1]] as const
  ) {
    const moved = await patched(lot.id, { status });
    assert.equal(moved.status, status);
    assert.equal((await nearby(lot)).length, seen, status);
  }
});

Deno.test("PATCH and PUT: a stale version is 412 for every change", async () => {
  const lot = await draft();
  const stale = { "If-Match": `"${lot.updated_at}"` };
  const first = await patch(lot.id, { name: "Second" }, stale);
  assert.equal(first.status, 200);
  const now = { "If-Match": tagOf(first)! };
  await first.body?.cancel();
  const sets = ["spots", "pricing_groups", "pricing_rules", "windows", "date_overrides", "tags", "images"];
  for (
    const rejection of [
      await patch(lot.id, { name: "Third" }, stale),
      ...await Promise.all(sets.map((set) => put(lot.id, set, [], stale))),
    ]
  ) {
    const { error } = await rejection.json();
    assert.deepEqual([rejection.status, error.code, error.param], [412, "precondition_failed", "If-Match"]);
  }
  const second = await put(lot.id, "spots", [{ code: "A" }], now);
  assert.equal(second.status, 200);
  assert.notEqual(tagOf(second), now["If-Match"]);
  await second.body?.cancel();
  assert.equal((await history(lot.id)).items.length, 3);
});

Deno.test("PATCH: of two administrators who change the same version at once, one gets 200 and the other 412, fifty times", async () => {
  const [one, other] = [await anAdministrator("lots"), await anAdministrator("lots")];
  const lot = await draft();
  let version = lot.updated_at;
  for (let round = 0; round < 50; round++) {
    const change = (who: Administrator, name: string) =>
      who.ask(`${PATH}/${lot.id}`, sending("PATCH", { name }, { "If-Match": `"${version}"` }));
    const answers = await Promise.all([change(one, `One ${round}`), change(other, `Other ${round}`)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    version = bodies.find((body) => "updated_at" in body).updated_at;
    assert.equal((await read(lot.id)).updated_at, version);
  }
  assert.equal((await history(lot.id, { include: "total", limit: 1 })).total, 51);
});

Deno.test("PUT …/pricing-groups and …/pricing-rules: calc-fee, nearby and the detail use them at once", async () => {
  const lot = await draft({ status: "active" });
  assert.equal((await (await fee(lot.id)).json()).error.code, "fee_unknown");
  const { pricing_groups: [bus] } = await replaced(lot.id, "pricing_groups", [
    { code: "bus", name: "Bus", vehicle_types: ["bus"] },
  ]);
  const { pricing_rules, hour_price } = await replaced(lot.id, "pricing_rules", [
    { category: "time_band", per_minutes: 30, price_minor: 100 },
    { category: "cap", cap_type: "day", cap_price_minor: 300 },
    { category: "flat", price_minor: 5000, pricing_group_id: bus!.id },
  ]);
  assert.deepEqual(pricing_rules.map(({ rule_order }) => rule_order), [1, 2, 3]);
  assert.equal(hour_price, 200);
  assert.equal((await (await fee(lot.id)).json()).total_amount, 300);
  assert.equal((await (await fee(lot.id, { vehicle_type: "bus" })).json()).total_amount, 5000);
  const [near] = await nearby(lot, stay);
  assert.equal(near.estimated_fee, 300);
  assert.ok((await found({ attributes: ["has_max_fee"], keywords: ["Console lot"] })).includes(lot.id));
  const detail = await json(`/parking-lots/${lot.id}`);
  assert.deepEqual(detail.pricing_rules, pricing_rules.map((rule) => ({ ...rule, parking_lot_id: lot.id })));
  await replaced(lot.id, "date_overrides", [
    { override_date: "2026-06-03", pricing: [{ category: "flat", price_minor: 42 }] },
  ]);
  assert.equal((await (await fee(lot.id)).json()).total_amount, 42);
  const stored = (await history(lot.id)).items[0]!.changes["date_overrides"] as { old: unknown[]; new: Body[] };
  assert.deepEqual([stored.old, stored.new.length, stored.new[0]!["override_date"]], [[], 1, "2026-06-03"]);
});

Deno.test("PUT …/windows, …/spots and …/tags: hours and attributes follow at once", async () => {
  const at = somewhere();
  const lot = await create({ name: "Setslot", ...at, status: "active" });
  const has = async (attribute: string) =>
    (await found({ keywords: ["Setslot"], attributes: [attribute] })).includes(lot.id);
  assert.equal(await has("open_24h"), false);
  const { windows } = await replaced(lot.id, "windows", [{ window_type: "business", is_24h: true }]);
  assert.equal(await has("open_24h"), true);
  assert.equal((await json(`/parking-lots/${lot.id}`)).is_open_now, true);
  assert.equal((await nearby(at, { open_now: true })).length, 1);
  await replaced(lot.id, "windows", [{ id: windows[0]!.id, window_type: "business", is_closed: true }]);
  assert.equal(await has("open_24h"), false);
  assert.equal((await nearby(at, { open_now: true })).length, 0);
  assert.equal(await has("ev_charging"), false);
  await replaced(lot.id, "spots", [{ code: "EV", is_ev_charger: true, accessibility: "wheelchair" }]);
  assert.equal(await has("ev_charging"), true);
  assert.equal(await has("wheelchair_accessible"), true);
  const [tag] = await inDatabase((sql) => sql<{ id: string }[]>`select id from public.tags where slug = 'covered'`);
  const { tags } = await replaced(lot.id, "tags", [{ tag_id: tag!.id }]);
  assert.deepEqual(tags.map(({ slug, state }) => [slug, state]), [["covered", true]]);
  assert.equal(await has("covered"), true);
  assert.equal((await nearby(at, { tags: ["covered"] })).length, 1);
  await replaced(lot.id, "tags", [{ tag_id: tag!.id, state: null }]);
  assert.equal(await has("covered"), false);
});

Deno.test("PUT …: an invalid item of a set is named by its index, by the route and by the database", async () => {
  const lot = await draft();
  const wrong: [set: string, items: unknown, param: string][] = [
    [
      "pricing_rules",
      [{ category: "flat", price_minor: 1 }, { category: "flat", price_minor: -1 }],
      "pricing_rules.1.price_minor",
    ],
    [
      "pricing_rules",
      [{ category: "time_band", per_minutes: 30, price_minor: 1, time_start: "25:00" }],
      "pricing_rules.0.time_start",
    ],
    [
      "pricing_rules",
      [{ category: "time_band", per_minutes: 30, price_minor: 1, time_start: "08:00" }],
      "pricing_rules.0.time_end",
    ],
    [
      "pricing_rules",
      [{ category: "flat", price_minor: 1, pricing_group_id: lot.id }],
      "pricing_rules.0.pricing_group_id",
    ],
    ["windows", [{ window_type: "business", open_time: "08:00" }], "windows.0.close_time"],
    ["spots", [{ code: "A" }, { code: "A" }], "spots.1.code"],
    ["spots", [{ code: "A", parking_lot_id: lot.id }], "spots.0.parking_lot_id"],
    ["tags", [{ tag_id: lot.id }], "tags.0.tag_id"],
    ["images", [{ asset_id: lot.id }], "images.0.asset_id"],
  ];
  for (const [set, items, param] of wrong) {
    const answer = await put(lot.id, set, items);
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.code, error.param], [422, "validation_error", param], JSON.stringify(error));
  }
  const unknown = await put(crypto.randomUUID(), "spots", []);
  await assertError(unknown, { code: "lot_not_found" });
  assert.equal((await history(lot.id)).items.length, 1);
});

async function upload(is_public: boolean, who = console): Promise<{ id: string; publicUrl: string | null }> {
  const bytes = picture("image/png");
  const said = {
    file_name: "a.png",
    file_size: bytes.length,
    mime_type: "image/png",
    category: "parking_lot",
    is_public,
  };
  const answer = await ask("/storage/upload-url", { method: "POST", ...jsonBody(said, bearer(who.token)) });
  const { upload_url, asset_id, public_url } = await replyOf(createUpload, answer, Upload);
  assert.equal(await putFile(upload_url, bytes, "image/png"), 200);
  return { id: asset_id, publicUrl: public_url };
}

async function status(url: string): Promise<number> {
  const answer = await fetch(url);
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("PUT …/images: uploads become public pictures; those that are left out are deleted", async () => {
  const lot = await draft({ status: "active" });
  const [one, two] = [await upload(true), await upload(true)];
  const answer = await put(lot.id, "images", [{ asset_id: one.id, is_main: true }, {
    asset_id: two.id,
    sort_order: 1,
  }]);
  const { images } = await replyOf(replaceLotImages, answer, AdminParkingLot);
  assert.deepEqual(images.map(({ asset_id, image_url }) => [asset_id, image_url]), [
    [one.id, one.publicUrl],
    [two.id, two.publicUrl],
  ]);
  assert.equal(await status(one.publicUrl!), 200);
  assert.equal((await nearby(lot))[0].main_image, one.publicUrl);
  assert.equal((await json(`/parking-lots/${lot.id}`)).images.length, 2);
  const main = await put(lot.id, "images", [{ asset_id: two.id, is_main: true }]);
  const left = await replyOf(replaceLotImages, main, AdminParkingLot);
  assert.deepEqual(left.images.map(({ id, is_main }) => [id, is_main]), [[images[1]!.id, true]]);
  assert.equal((await nearby(lot))[0].main_image, two.publicUrl);
  const [removed] = await inDatabase((sql) => sql`select deleted_at from public.assets where id = ${one.id}`);
  assert.ok(removed === undefined || removed["deleted_at"] !== null);
  // Not in other use, not private, not another's, not of another category.
  const elsewhere = await draft();
  const colleague = await anAdministrator("lots");
  const user = await signUp();
  const review = await ask("/storage/upload-url", {
    method: "POST",
    ...jsonBody({ file_name: "a.png", file_size: 1, mime_type: "image/png", category: "review" }, bearer(user.token)),
  });
  const others = [
    two.id,
    one.id,
    (await upload(false)).id,
    (await upload(true, colleague)).id,
    (await review.json()).asset_id,
  ];
  for (const asset_id of others) {
    const rejection = await put(elsewhere.id, "images", [{ asset_id }]);
    const { error } = await rejection.json();
    assert.deepEqual([rejection.status, error.param], [422, "images.0.asset_id"]);
  }
});

Deno.test("POST …/preview-fee: returns what calc-fee would return for rules that are not stored, also of a draft; nothing is stored", async () => {
  const lot = await draft();
  const group = crypto.randomUUID();
  const rule = {
    id: crypto.randomUUID(),
    category: "time_band",
    per_minutes: 60,
    price_minor: 250,
    pricing_group_id: group,
  };
  const pricing_groups = [{ id: group, code: "all", name: "All", is_default: true }];
  const body = { ...stay, pricing_groups, pricing_rules: [rule] };
  const preview = (more: Body = {}) =>
    console.ask(`${PATH}/${lot.id}/preview-fee`, sending("POST", { ...body, ...more }));
  const answer = await replyOf(previewParkingLotFee, await preview(), Fee);
  assert.equal(answer.total_amount, 500);
  assert.deepEqual(await read(lot.id), lot);
  assert.equal((await history(lot.id)).items.length, 1);
  const unknown = await (await preview({ pricing_rules: [] })).json();
  assert.deepEqual([unknown.error.code, unknown.error.details.reason], ["fee_unknown", "no_rules"]);
  const wrong = await (await preview({ pricing_rules: [{ category: "time_band", price_minor: 1 }] })).json();
  assert.deepEqual([wrong.error.code, wrong.error.param], ["validation_error", "pricing_rules.0.per_minutes"]);
  for (
    const [more, param] of [[{ exit_at: "2026-06-03T11:00:00+09:00" }, "exit_at"], [
      { vehicle_type: "ufo" },
      "vehicle_type",
    ]] as const
  ) {
    const { error } = await (await preview(more)).json();
    assert.deepEqual([error.code, error.param], ["validation_error", param]);
  }
  await replaced(lot.id, "pricing_groups", pricing_groups);
  await replaced(lot.id, "pricing_rules", [rule]);
  await patched(lot.id, { status: "active" });
  assert.deepEqual(await (await fee(lot.id)).json(), answer);
  await assertError(await console.ask(`${PATH}/${crypto.randomUUID()}/preview-fee`, sending("POST", body)), {
    code: "lot_not_found",
  });
});

Deno.test("GET admin/parking-lots: every status, by each filter, the newest change first, page by page", async () => {
  const source = crypto.randomUUID();
  const operator = `op-${source.slice(0, 8)}`;
  await inDatabase((sql) =>
    sql`insert into public.operators (id, name, slug) values (${operator}, 'Operator', ${operator})`
  );
  const ids: string[] = [];
  for (const status of ["draft", "active", "suspended", "closed", "active"]) {
    ids.push(await aLot({ status, source, name: `パーキング ${source} ${status}`, operator_code: operator }));
  }
  await patched(ids[1]!, { name: `Touched ${source}`, address: "東京都千代田区丸の内" });
  const newest = [ids[1]!, ids[4]!, ids[3]!, ids[2]!, ids[0]!];
  const of = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
  const whole = await list({ source, include: "total" });
  assert.deepEqual(of(whole), newest);
  assert.equal(whole.total, 5);
  assert.deepEqual(of(await list({ operator_code: operator })), newest);
  assert.deepEqual(of(await list({ source, status: "active" })), [ids[1], ids[4]]);
  assert.deepEqual(of(await list({ source, status: "draft" })), [ids[0]]);
  // Letters as search compares them; drafts and closed lots, too.
  assert.deepEqual(of(await list({ q: source.toUpperCase() })), newest);
  assert.deepEqual(of(await list({ q: `ぱーきんぐ ${source}` })), newest.slice(1));
  assert.deepEqual(of(await list({ q: `${source} DRAFT` })), [ids[0]]);
  assert.deepEqual(of(await list({ q: "丸", source })), [ids[1]]);
  const counted = await list({ q: source, status: "closed", include: "total" });
  assert.deepEqual([of(counted), counted.total], [[ids[3]], 1]);
  const pages: string[] = [];
  for (const filters of [{ source }, { q: source }]) {
    pages.length = 0;
    let cursor: string | null = null;
    do {
      const page: { items: { id: string }[]; next_cursor: string | null } = await list({
        ...filters,
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      });
      pages.push(...of(page));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(pages, newest);
  }
  for (
    const [filters, param] of [[{ status: "open" }, "status"], [{ q: " " }, "q"], [{ city: "x" }, "city"], [{
      cursor: "x",
    }, "cursor"]] as const
  ) {
    const answer = await console.ask(PATH + query(filters));
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.param], [422, param]);
  }
});

Deno.test("GET …/history: acts of this lot only, newest first, page by page, also after its deletion", async () => {
  const [lot, other] = [await draft(), await draft()];
  for (const name of ["A", "B", "C"]) await patched(lot.id, { name });
  await patched(other.id, { name: "D" });
  const { items, total } = await history(lot.id, { include: "total" });
  assert.equal(total, 4);
  assert.deepEqual(items.map(({ changes }) => (changes["name"] as { new: string }).new), [
    "C",
    "B",
    "A",
    "Console lot",
  ]);
  const first = await history(lot.id, { limit: 3 });
  const rest = await history(lot.id, { limit: 3, cursor: first.next_cursor });
  assert.deepEqual([...first.items, ...rest.items], items);
  await assertError(await console.ask(`${PATH}/${other.id}/history${query({ cursor: first.next_cursor })}`), {
    code: "validation_error",
  });
  await replyOf(
    deleteParkingLot,
    await console.ask(`${PATH}/${lot.id}`, sending("DELETE")),
    DeletedParkingLot,
  );
  assert.equal((await history(lot.id)).items[0]!.action, "parking_lot.delete");
});

Deno.test("DELETE admin/parking-lots/{id}: a lot without sessions is deleted with its rows, and leaves a tombstone", async () => {
  const lot = await draft({ status: "active" });
  await replaced(lot.id, "spots", [{ code: "A" }]);
  await replaced(lot.id, "pricing_rules", [{ category: "flat", price_minor: 1 }]);
  await replaced(lot.id, "windows", [{ window_type: "business", is_24h: true }]);
  const user = await signUp();
  for (
    const [path, method, body] of [
      [`/parking-lots/${lot.id}/reviews`, "POST", { rating: 4 }],
      [`/parking-lots/${lot.id}/rating`, "PUT", { value: "good" }],
      ["/me/saved-parking-lots", "POST", { parking_lot_id: lot.id }],
      ["/error-reports", "POST", { parking_lot_id: lot.id, report_type: "missing", description: "It is gone" }],
    ] as const
  ) {
    const written = await ask(path, { method, ...jsonBody(body, bearer(user.token)) });
    assert.ok(written.ok, await written.text());
  }
  const { id: asset } = await upload(true);
  await (await put(lot.id, "images", [{ asset_id: asset }])).body?.cancel();
  const answer = await console.ask(`${PATH}/${lot.id}`, sending("DELETE"));
  assert.deepEqual(await replyOf(deleteParkingLot, answer, DeletedParkingLot), {
    id: lot.id,
    deleted: true,
    status: null,
  });
  await assertError(await console.ask(`${PATH}/${lot.id}`), { code: "lot_not_found" });
  await assertError(await console.ask(`${PATH}/${lot.id}`, sending("DELETE")), { code: "lot_not_found" });
  assert.deepEqual(await nearby(lot), []);
  const [act] = (await history(lot.id)).items;
  assert.deepEqual([act!.action, act!.changes["name"]], ["parking_lot.delete", { old: "Console lot", new: null }]);
  const [file] = await inDatabase((sql) => sql`select deleted_at from public.assets where id = ${asset}`);
  assert.ok(file === undefined || file["deleted_at"] !== null);
  // Other transactions of the platform may hold changes up for a while.
  let page = { items: [] as Body[], has_more: true, next_cursor: "" };
  const isGone = await eventually(async () => {
    const more = page.next_cursor === "" ? {} : { cursor: page.next_cursor };
    page = await json(`/parking-lots${query({ updated_since: lot.created_at, limit: 100, ...more })}`);
    return page.items.some(({ id, deleted }) => id === lot.id && deleted === true) || undefined;
  });
  assert.ok(isGone);
});

Deno.test("DELETE admin/parking-lots/{id}: a lot with sessions is closed, and recorded once", async () => {
  const lot = await draft({ status: "active" });
  const appUser = await signUp();
  const started = await ask("/parking-sessions", {
    method: "POST",
    ...jsonBody({ parking_lot_id: lot.id }, bearer(appUser.token)),
  });
  assert.equal(started.status, 201, await started.text());
  for (let time = 0; time < 2; time++) {
    const answer = await console.ask(`${PATH}/${lot.id}`, sending("DELETE"));
    assert.deepEqual(await replyOf(deleteParkingLot, answer, DeletedParkingLot), {
      id: lot.id,
      deleted: false,
      status: "closed",
    });
  }
  assert.equal((await read(lot.id)).status, "closed");
  const { items } = await history(lot.id);
  assert.deepEqual(items.map(({ action, changes }) => [action, changes["status"]]), [
    ["parking_lot.close", { old: "active", new: "closed" }],
    ["parking_lot.create", { old: null, new: "active" }],
  ]);
  const current = await ask("/me/parking-sessions/current", { headers: bearer(appUser.token) });
  assert.equal(current.status, 200);
  await current.body?.cancel();
});

Deno.test("admin/parking-lots: without the area lots every request is 403 with the scope, and a rejected act is not recorded", async () => {
  const lot = await draft();
  const stranger = await anAdministrator("reviews");
  const requests: [path: string, init?: RequestInit][] = [
    [""],
    ["", sending("POST", { name: "x" })],
    [`/${lot.id}`],
    [`/${lot.id}`, sending("PATCH", { name: "x" })],
    [`/${crypto.randomUUID()}`, sending("PATCH", { nonsense: 1 })],
    [`/${lot.id}`, sending("DELETE")],
    [`/${lot.id}/history`],
    [`/${lot.id}/preview-fee`, sending("POST", {})],
    [`/${lot.id}/spots`, sending("PUT", { spots: [] })],
    [`/${lot.id}/images`, sending("PUT", { images: [{ asset_id: "x" }] })],
  ];
  for (const [path, init] of requests) {
    const answer = await stranger.ask(PATH + path, init);
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.code, error.details], [403, "forbidden", { scope: "admin:lots" }], path);
  }
  assert.equal((await history(lot.id)).items.length, 1);
});

Deno.test("admin/parking-lots: the back office calls the same functions, with the same checks and record", async () => {
  const { apiUrl, secretKey } = stack();
  const lot = await inDatabase((sql) => newLot(sql));
  const call = (name: string, body: Body) =>
    fetch(`${apiUrl}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const by = { p_admin_id: console.id, p_parking_lot_id: lot };
  const changed = await call("admin_update_parking_lot", { ...by, p_changes: { name: "By the back office" } });
  assert.equal(changed.status, 200, await changed.text());
  const wrong = await call("admin_update_parking_lot", { ...by, p_changes: { max_height_m: -1 } });
  assert.equal(wrong.status, 422);
  assert.equal(JSON.parse((await wrong.json()).details).param, "max_height_m");
  const spots = await call("admin_put_parking_lot_set", {
    ...by,
    p_set: "spots",
    p_items: [{ code: "A" }],
    p_if_match: '"1"',
  });
  assert.equal(spots.status, 412);
  await spots.body?.cancel();
  const unknown = await call("admin_put_parking_lot_set", { ...by, p_set: "nonsense", p_items: [] });
  assert.equal(unknown.status, 422);
  await unknown.body?.cancel();
  const forbidden = await call("admin_get_parking_lot", { ...by, p_admin_id: crypto.randomUUID() });
  assert.equal(forbidden.status, 403);
  await forbidden.body?.cancel();
  const { items } = await history(lot);
  assert.deepEqual(items.map(({ action, admin_id }) => [action, admin_id]), [["parking_lot.update", console.id]]);
});

Deno.test("PUT …: sending a set back as it was read changes nothing", async () => {
  const lot = await draft();
  const sets: Record<string, Body[]> = {
    spots: [{ code: "A", is_ev_charger: true, ev_connector_type: "chademo" }],
    pricing_groups: [{ code: "a", name: "A", vehicle_types: ["standard"] }],
    pricing_rules: [{
      category: "time_band",
      per_minutes: 30,
      price_minor: 100,
      time_start: "08:00",
      time_end: "24:00",
    }],
    windows: [{ window_type: "business", open_time: "08:00", close_time: "22:30", effective_from: "2026-01-01" }],
    date_overrides: [{
      override_date: "2026-12-31",
      hours: { business: [{ open_time: "09:00", close_time: "24:00" }] },
      pricing: [{ id: crypto.randomUUID(), category: "flat", price_minor: 1 }],
    }],
  };
  for (const [set, items] of Object.entries(sets)) await replaced(lot.id, set, items);
  const before = await read(lot.id);
  for (const set of Object.keys(sets)) {
    assert.deepEqual(await replaced(lot.id, set, before[set as "spots"]), before, set);
  }
});
