import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** The actions that the specification names; each domain of the console adds its own. */
const ADMIN_ACTIONS = [
  "user.view_search_presets",
  "user.create_search_preset",
  "user.update_search_preset",
  "user.delete_search_preset",
  "user.set_default_search_preset",
];

/** The lists whose values the specification and the decisions print, in their order. */
const PRINTED: Record<string, string[]> = {
  admin_area: [
    "lots",
    "notifications",
    "reviews",
    "search_presets",
    "store_sync",
    "support",
    "users",
    "rewards",
    "content",
    "admins",
  ],
  app_user_status: ["active", "suspended", "withdrawn"],
  attribute: [
    "covered",
    "open_24h",
    "entry_24h",
    "ev_charging",
    "oversized_ok",
    "motorcycle_ok",
    "wheelchair_accessible",
    "barrier_free",
    "reservable",
    "security_camera",
    "has_max_fee",
    "monthly_available",
    "coin_500_or_less",
    "near_station",
    "low_price",
    "partner_facility",
    "24h",
    "max_fee",
  ],
  cap_type: ["duration", "day", "band", "stay"],
  day_type: ["weekday", "saturday", "sunday", "holiday", "holiday_eve", "all"],
  difficulty: ["easy", "normal", "hard"],
  error_report_status: ["open", "in_review", "resolved", "rejected"],
  fee_line_kind: ["grace", "initial", "rate", "flat", "cap", "published_total"],
  fee_note: [
    "holiday_rates_not_given",
    "cap_repeat_not_given",
    "exceeds_max_duration",
    "only_366_days_priced",
    "holiday_calendar_unknown",
    "prices_changed",
  ],
  fee_surprise: [
    "cap_once",
    "cap_not_on_day",
    "cap_ends_at_midnight",
    "cap_ends_before_exit",
    "special_day_price",
    "other_vehicle_price",
    "stay_too_long",
    "grace_exceeded",
    "next_step_soon",
    "cheaper_if_earlier",
    "cheaper_if_later",
    "closed_at_exit",
  ],
  fee_unknown_reason: ["no_rules", "no_rate", "only_totals", "vehicle_type_not_priced"],
  field_value_state: ["unverified", "confirmed", "disputed", "retired"],
  iap_environment: ["Sandbox", "Production"],
  iap_platform: ["ios", "android"],
  iap_provider: ["ios_store", "android_store"],
  notification_status: ["draft", "scheduled", "sending", "sent", "failed", "cancelled"],
  parking_lot_status: ["draft", "active", "suspended", "closed"],
  pricing_category: ["time_band", "flat", "initial", "grace", "cap", "published_total"],
  rating_value: ["good", "bad"],
  review_status: ["pending", "approved", "rejected", "hidden"],
  search_sort: ["distance", "price", "recommended"],
  session_photo_phase: ["during", "after"],
  session_status: ["parking", "ended", "cancelled"],
  store: ["android_store", "ios_store", "all"],
  store_sync_task: ["sales", "metrics", "reviews", "all"],
  subscription_status: ["active", "grace", "on_hold", "paused", "pending", "expired", "revoked", "unknown"],
  ticket_status: ["open", "answered", "closed"],
  unusable_reason: ["closed_at_entry", "closed_at_exit", "vehicle_does_not_fit", "full", "stay_too_long"],
  upload_category: ["review", "session_photo", "error_report", "support", "avatar", "parking_lot"],
  window_type: ["business", "entry", "exit", "after_hours_exit"],
};

/** Lists that the specification names without printing every value; the values it does print. */
const NAMED: Record<string, string[]> = {
  accessibility: ["wheelchair", "parent_child"],
  ad_placement: [],
  admin_notification_severity: [],
  admin_notification_type: [],
  admin_status: ["active"],
  billing_period: [],
  device_type: [],
  entry_method: [],
  error_report_severity: [],
  error_report_type: [],
  ev_connector_type: [],
  exp_reason: [],
  fee_rule_reason: [],
  notification_target: [],
  field_value_vote: ["confirm", "deny"],
  notification_type: [],
  occupancy_source: ["driver", "operator", "sensor"],
  occupancy_state: [],
  shape_type: [],
  store_sync_status: ["queued"],
  structure: [],
  theme_acquisition_type: [],
  support_message_author: ["user", "support"],
  ticket_category: [],
  user_activity: ["session_end"],
  vehicle_type: ["standard"],
};

/** Constraints that fix a list which no client ever shows. */
const INTERNAL_LISTS: Record<string, string> = {
  "app_users.lang": "the languages of the code master itself",
  "codes.lang": "the languages of the code master itself",
  "articles.locale": "the languages of the code master itself",
  "assets.status": "how far an upload is; only the storage functions read it",
  "store_events.source": "how an event came into the ledger; the contract names the values",
  "store_sync_runs.task": "what a run fetches; the contract names the values",
  "user_subscriptions.announced": "what the user was notified of; only the ledger reads it",
};

interface CodeRow {
  readonly category_id: string;
  readonly code: string;
  readonly lang: string;
  readonly display_label: string;
  readonly sort_order: number;
  readonly metadata: Record<string, unknown> | null;
}

async function listCodes(lang: string | null, role: "anon" | "authenticated" = "anon") {
  const [row] = await db.as({ role }, (sql) =>
    sql<{ codes: { items: CodeRow[]; lang: string } }[]>`
      select api.list_codes(${lang}) as codes`);
  return row!.codes;
}

const masterLists = Map.groupBy((await listCodes("en")).items, (row) => row.category_id);
const codesOf = (category: string) => masterLists.get(category)?.map((row) => row.code) ?? [];

Deno.test("reference: every list that the specification prints is in the code master, complete and in order", () => {
  for (const [category, codes] of Object.entries(PRINTED)) assert.deepEqual(codesOf(category), codes, category);
  assert.deepEqual(codesOf("admin_action").slice(0, 5), ADMIN_ACTIONS);
});

Deno.test("reference: every list named by the specification has codes, including those it mentions", () => {
  for (const [category, codes] of Object.entries(NAMED)) {
    assert.ok(codesOf(category).length > 1, `${category} is empty`);
    assert.deepEqual(codes.filter((code) => !codesOf(category).includes(code)), [], category);
  }
});

Deno.test("reference: the code master has no list outside of the specification and the constraints", () => {
  assert.deepEqual(
    [...masterLists.keys()].sort(),
    [...Object.keys(PRINTED), ...Object.keys(NAMED), "admin_action"].sort(),
  );
});

Deno.test("reference: every list that a table's constraint fixes is a list of the code master", async () => {
  const constraints = await db.sql<{ place: string; list: string[] }[]>`
    select
      c.conrelid::regclass::text || '.' || a.attname as place,
      array(
        select m[1] from regexp_matches(pg_get_constraintdef(c.oid), '''([^'']*)''::text', 'g') as m order by m[1] collate "C"
      ) as list
    from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'c' and c.connamespace = 'public'::regnamespace and cardinality(c.conkey) = 1
      and pg_get_constraintdef(c.oid) ~ '^CHECK \\(\\(\\w+ = ANY \\(ARRAY\\['`;
  assert.ok(constraints.length > 0);
  const lists = new Set([...masterLists.keys()].map((category) => codesOf(category).sort().join()));
  const strangers = constraints.filter(({ place, list }) => !(place in INTERNAL_LISTS) && !lists.has(list.join()));
  assert.deepEqual(strangers.map(({ place }) => place), []);
});

Deno.test("reference: the sample data uses only codes of the code master", async () => {
  const used = await db.sql<{ category: string; code: string }[]>`
    select distinct category, code from (
      select 'structure' as category, structure as code from public.parking_lots
      union all select 'entry_method', entry_method from public.parking_lots
      union all select 'vehicle_type', vehicle_type_max from public.parking_lot_spots
      union all select 'ev_connector_type', ev_connector_type from public.parking_lot_spots
      union all select 'accessibility', accessibility from public.parking_lot_spots
      union all select 'vehicle_type', unnest(vehicle_types) from public.pricing_groups
      union all select 'pricing_category', category from public.pricing_rules
      union all select 'cap_type', cap_type from public.pricing_rules
    ) uses
    where code is not null`;
  assert.equal(new Set(used.map(({ category }) => category)).size, 7, "the sample data uses every one of these lists");
  assert.deepEqual(used.filter(({ category, code }) => !codesOf(category).includes(code)), []);
});

Deno.test("reference: an administrator's areas are the code list of areas", async () => {
  const [row] = await db.sql`select private.admin_areas() as areas`;
  assert.deepEqual(row?.areas, codesOf("admin_area"));
});

Deno.test("reference: every attribute of a search is a tag under the same name in both languages", async () => {
  const tags = await db.sql`select slug, name, name_en from public.tags`;
  for (const [lang, column] of [["ja", "name"], ["en", "name_en"]] as const) {
    const labels = (await listCodes(lang)).items.filter((row) => row.category_id === "attribute");
    for (const { code, display_label } of labels) {
      assert.equal(tags.find((tag) => tag.slug === code)?.[column], display_label, `${code} in ${lang}`);
    }
  }
});

Deno.test("reference: every code is equal in both languages except for its label", async () => {
  const facts = (row: CodeRow) => [row.category_id, row.code, row.sort_order, row.metadata];
  assert.deepEqual((await listCodes("ja")).items.map(facts), (await listCodes("en")).items.map(facts));
});

Deno.test("reference: Japanese labels are Japanese where the list is not one of names and abbreviations", async () => {
  const latin = (await listCodes("ja")).items.filter((row) =>
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(row.display_label)
  );
  const abbreviations = ["device_type", "ev_connector_type", "iap_platform", "iap_provider", "store"];
  assert.deepEqual(latin.filter((row) => !abbreviations.includes(row.category_id)), []);
});

Deno.test("reference: within a list no two codes share a sort order or a label", async () => {
  const shared = await db.sql`
    select category_id, lang from public.codes
    group by category_id, lang
    having count(distinct sort_order) < count(*) or count(distinct display_label) < count(*)`;
  assert.deepEqual([...shared], []);
});

Deno.test("reference: list_codes gives the rows of one language by category, place and code, to every client", async () => {
  for (const role of ["anon", "authenticated"] as const) {
    const { items, lang } = await listCodes("ja", role);
    assert.equal(lang, "ja");
    assert.ok(items.every((row) => row.lang === "ja"));
    assert.deepEqual(
      Object.keys(items[0]!).sort(),
      ["category_id", "code", "display_label", "lang", "metadata", "sort_order"],
    );
    const inOrder = items.toSorted((a, b) =>
      compare(a.category_id, b.category_id) || a.sort_order - b.sort_order || compare(a.code, b.code)
    );
    assert.deepEqual(items, inOrder);
  }
});

Deno.test("reference: an unsupported language is rejected by name", async () => {
  for (const lang of ["fr", "JA", "", null]) {
    const { code, status, param } = await errorOf(listCodes(lang));
    assert.deepEqual({ code, status, param }, { code: "validation_error", status: 422, param: "lang" });
  }
});

Deno.test("reference: a code that is no longer offered is kept but not listed", async () => {
  await db.sql`
    insert into public.codes (category_id, code, lang, display_label, sort_order, is_active)
    values ('structure', 'barge', 'ja', 'はしけ', 900, false), ('structure', 'barge', 'en', 'Barge', 900, false)`;
  assert.ok((await listCodes("ja")).items.every((row) => row.code !== "barge"));
});

Deno.test("reference: a code that is not well formed cannot be stored", async () => {
  const rows = [
    ["structure", "two words", "ja", "label", null],
    ["structure", "", "ja", "label", null],
    ["structure", "surface", "fr", "label", null],
    ["structure", "barn", "ja", "", null],
    ["structure", "barn", "ja", "label", "[]"],
    ["structure", "barn", "ja", "label", '{"color": 5}'],
    ["structure", "barn", "ja", "label", '{"logo_url": {}}'],
    ["structure", "barn", "ja", "label", '{"url": true}'],
  ] as const;
  for (const [category, code, lang, label, metadata] of rows) {
    const insert = db.sql`
      insert into public.codes (category_id, code, lang, display_label, sort_order, metadata)
      values (${category}, ${code}, ${lang}, ${label}, 1, ${metadata}::text::jsonb)`;
    assert.equal(await sqlstate(insert), "23514", JSON.stringify([code, lang, label, metadata]));
  }
});

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
