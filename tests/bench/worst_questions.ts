/** Questions to the functions of the catalogue: arguments by the names and types of their parameters. */
import type { Random } from "../../tools/seed/random.ts";

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** A function of `api`, or a command, and the least role that may execute it. */
export interface Callable {
  readonly schema: string;
  readonly name: string;
  readonly role: Role;
  /** It writes: pairs of its arguments are not asked. */
  readonly isWriting: boolean;
  readonly parameters: readonly Parameter[];
}

export type Role = "anon" | "authenticated" | "service_role";

/** Arguments by the name of their parameter, as SQL with the ids that `{lot}` and so on stand for. */
export type Arguments = Readonly<Record<string, string>>;

const PAIRS = 60;

/** Functions that are not asked, with the reason. */
export const NOT_ASKED: Readonly<Record<string, string>> = {
  vault_insert_secret: "writes into the vault, whose extension a rollback does not undo everywhere",
};

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
/** The places in it are numbers. */
const json = (value: unknown) => text(JSON.stringify(value).replaceAll(/"(\{(?:lat|lng)2?\})"/g, "$1"));
const unknownList = (count: number) => Array.from({ length: count }, (_, n) => `nobody${n}`);
const operators = (count: number) => Array.from({ length: count }, (_, n) => `bench${n + 1}`);

const CENTRE = { lat: "{lat}", lng: "{lng}" };
/** A dense city whose lots have no price, and places far from all lots. */
const [UNPRICED, LONDON, POLE] = [{ lat: "{lat2}", lng: "{lng2}" }, { lat: 51.5, lng: 0 }, { lat: 90, lng: 0 }];
const WORLD = "'{-180,-85,180,85}'";
const around = (lat: string, lng: string, degrees: number) =>
  `array[{${lng}}-${degrees},{${lat}}-${degrees},{${lng}}+${degrees},{${lat}}+${degrees}]`;

/** Conditions of a search: what all lots have, what many have, what few have, and what none has. */
const CONDITIONS: readonly Readonly<Record<string, unknown>>[] = [
  ...[["covered"], ["reservable"], ["covered", "ev_charging"], ["covered", "open_24h"], ["barrier_free"]].map(
    (attributes) => ({ attributes }),
  ),
  { difficulty: ["hard"] },
  { difficulty: ["easy", "normal", "hard"] },
  ...[1, 4, 8, 50].flatMap((count) => [
    { operator_codes: unknownList(count) },
    { operator_codes: operators(count) },
    { operator_codes: [...operators(Math.ceil(count / 2)), ...unknownList(Math.floor(count / 2))] },
  ]),
  { operator_codes: ["bench51", "bench52", "bench53", "bench54", "bench55", "bench56", "bench57", "bench58"] },
  ...[
    ["lot"],
    ["l"],
    ["block123456"],
    ["7777777"],
    ["block99999"],
    ["kcolb"],
    ["cit1"],
    ["city40"],
    ["lot block city"],
    [
      "東京都",
    ],
    ["丸ノ内"],
    ["駐車場"],
    ["1"],
    ["lot7"],
    ["l", "o", "t"],
    ["l", "o", "t", "lo", "ot", "bl", "ck", "it", "ty", "zq"],
  ].map((
    keywords,
  ) => ({ keywords })),
  { price_max: 0 },
  { price_max: 300 },
  { price_max: 100_000 },
  { price_min: 0 },
  { price_min: 400, price_max: 400 },
  { price_min: 401, price_max: 401 },
  ...[{ height_m: 10 }, { height_m: 3.4 }, { height_m: 1 }, { width_m: 5 }].map((vehicle) => ({ vehicle })),
  { meter_ticket_included: false },
];

const AREAS: readonly { readonly query?: object; readonly p_bbox?: string }[] = [
  {},
  { query: { center: CENTRE, radius_m: 1_000 } },
  { query: { center: CENTRE, radius_m: 50_000 } },
  { query: { center: UNPRICED, radius_m: 2_000 } },
  { query: { center: UNPRICED, radius_m: 20_000 } },
  { query: { center: LONDON } },
  { query: { center: POLE } },
  { p_bbox: around("lat", "lng", 0.03) },
  { p_bbox: around("lat2", "lng2", 0.3) },
  { p_bbox: WORLD },
];

const FILTERS: readonly Readonly<Record<string, unknown>>[] = [
  { entry_at: "2026-12-05T00:00:00+09:00", exit_at: "2027-01-05T00:00:00+09:00" },
  { entry_at: "2026-11-25T10:00:00+09:00", exit_at: "2026-11-26T10:00:00+09:00" },
  { open_now: true },
  ...[0, 300, 700, 20_000].map((max_price) => ({ max_price })),
  { without_surprises: true },
  ...[["covered"], ["reservable"], ["barrier_free"], ["covered", "ev_charging"], ["covered", "open_24h"]].map((
    tags,
  ) => ({
    tags,
  })),
  ...[1, 3.2, 3.4, 100].map((max_height_m) => ({ max_height_m })),
];

/** Values by the name of a parameter, or by "function.parameter"; the first one is sent where it is required. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  p_admin_id: ["'{administrator}'"],
  p_by_admin_id: ["'{administrator}'", "'{unknown}'"],
  p_assigned_to: ["'{administrator}'", "'{unknown}'"],
  p_user_id: ["'{person}'", "'{other}'", "'{unknown}'"],
  p_parking_lot_id: ["'{lot}'", "'{unknown}'"],
  p_field_value_id: ["'{field_value}'", "'{unknown}'"],
  p_plan_id: ["'{plan}'", "'{unknown}'"],
  p_theme_id: ["'{theme}'", "'{unknown}'"],
  p_subscription_id: ["'{subscription}'", "'{unknown}'"],
  p_notification_id: ["'{composed}'", "'{unknown}'"],
  target_badge_id: ["'{badge}'"],
  p_ids: [
    "array(select id from public.user_notifications where user_id = '{person}' limit 100)",
    "array(select gen_random_uuid() from generate_series(1, 100))",
    "array['{unknown}'::uuid]",
  ],
  "search_parking_lots.p_ids": [
    "array(select id from public.parking_lots limit 100)",
    "array(select gen_random_uuid() from generate_series(1, 100))",
  ],
  "export_parking_lots.p_ids": [
    "array(select id from public.parking_lots limit 100)",
    "array(select gen_random_uuid() from generate_series(1, 100))",
  ],
  p_limit: ["100", "1"],
  "export_parking_lots.p_limit": ["500", "100"],
  "search_parking_lots.p_limit": ["1000", "100"],
  "parking_lot_engagement_stats.p_limit": ["10000", "100"],
  "take_due_subscriptions.p_limit": ["1000"],
  "take_push_batches.p_limit": ["10"],
  p_include: ["'{total}'"],
  "list_my_notifications.p_include": ["'{total,unread_count}'"],
  "admin_list_notifications.p_include": ["'{total,unread_count}'"],
  "get_parking_lot.p_include": ["'{field_value_ids,hours,field_provenance,occupancy_forecast}'"],
  "search_parking_lots.p_usable": [],
  "search_parking_lots.p_without_surprises": [],
  p_usable: ["'first'", "'only'"],
  p_status: ["'active'", "'suspended'", "'withdrawn'", "'closed'", "'draft'", "'nothing'"],
  "admin_list_reviews.p_status": ["'approved'", "'pending'", "'rejected'", "'hidden'"],
  "admin_decide_review.p_status": ["'approved'", "'rejected'", "'hidden'"],
  "admin_list_error_reports.p_status": ["'resolved'", "'open'", "'in_review'", "'rejected'"],
  "admin_list_support_tickets.p_status": ["'closed'", "'open'", "'answered'"],
  "admin_update_support_ticket.p_status": ["'closed'"],
  "admin_list_subscriptions.p_status": ["'active'", "'expired'", "'grace'", "'revoked'"],
  "admin_list_user_notifications.p_status": ["'draft'", "'sent'"],
  "list_my_parking_sessions.p_status": ["'ended'", "'parking'", "'cancelled'"],
  p_state: ["'unverified'", "'disputed'", "'retired'"],
  "report_occupancy.p_state": ["'crowded'"],
  p_severity: ["'high'", "'low'", "'critical'"],
  p_category: ["'account'", "'other'", "'nobody'"],
  "create_upload.p_category": ["'support'"],
  p_placement: ["'map'", "'nobody'"],
  p_action: ["'review.approve'", "'review.reject'", "'user.suspend'"],
  p_target_id: ["'{lot}'", "'nobody'"],
  p_activity_type: ["'session_start'", "'lot_save'", "'sponsor_checkin'"],
  p_email: ["'user123456@'", "'example.com'", "'user1'", "'nobody-has-this'", "'11111'"],
  p_display_name: ["'Sato'", "'佐藤'", "'佐藤 陽翔 1234'", "'nobody'"],
  p_premium: ["true", "false"],
  p_q: [
    "'block'",
    "'City 1'",
    "'l'",
    "'ty'",
    "'Lot 42'",
    "'Block 123456'",
    "'cit1'",
    "'7777777'",
    "'東京都'",
    "'nobody has this'",
  ],
  p_operator_code: ["'bench1'", "'bench51'", "'nobody'"],
  p_source: ["'import'", "'nobody'"],
  p_sort: ["'recommended'", "'price'", "'distance'"],
  "admin_list_lot_engagement.p_sort": ["'searches'", "'saves'", "'sessions'", "'name'"],
  "parking_lot_engagement_stats.p_sort": ["'searches'", "'saves'", "'sessions'", "'name'"],
  p_from: ["current_date - 365", "current_date - 30", "current_date - 1"],
  p_to: ["current_date + 1", "current_date - 29"],
  p_days: ["30"],
  p_entry_at: ["'2026-12-05T00:00+09:00'", "'2026-11-25T10:00+09:00'"],
  p_exit_at: ["'2027-01-05T00:00+09:00'", "'2026-11-26T10:00+09:00'"],
  "finalize_parking_session.p_exit_at": ["now()"],
  p_before: ["now()"],
  p_since: ["now() - interval '365 days'", "now()"],
  p_until: ["now() + interval '1 year'"],
  p_updated_since: ["'2020-01-01Z'", "now() - interval '1 hour'"],
  p_lang: ["'ja'", "'en'"],
  p_lat: ["{lat}", "{lat2}", "51.5", "90"],
  p_lng: ["{lng}", "{lng2}", "0"],
  p_radius_m: ["50000", "5000", "1"],
  p_vehicle_type: ["'standard'", "'large'"],
  "nearby_parking_lots.p_vehicle": [json({ height_m: 10, width_m: 5, length_m: 20, weight_t: 50 })],
  "get_parking_lot.p_vehicle": [json({ height_m: 10, width_m: 5 })],
  "add_my_vehicle.p_vehicle": [json({ vehicle_type: "standard" })],
  p_zoom: ["3", "9", "14"],
  p_bbox: [WORLD, around("lat", "lng", 0.05), around("lat2", "lng2", 1)],
  p_notification: [
    undefined,
    { last_active_since: "2025-12-01T00:00:00Z" },
    { last_active_since: "2026-11-01T00:00:00Z" },
    { box: { west: -180, south: -90, east: 180, north: 90 } },
    { min_level: 2, plan: "bench.worst" },
    { min_level: 30 },
  ].map((segment) => json({ type: "announcement", title: "Title", body: "Body", target: "all", segment })),
  p_reason: ["'A reason'"],
  p_message: ["repeat('x', 4000)"],
  p_name: ["'Name'"],
  p_query_json: [json({ v: 1 })],
  "add_search_counts.p_counts": [
    "(select jsonb_object_agg(id, 1) from (select id from public.parking_lots limit 10000) l)",
  ],
  "read_counted.p_function": ["'list_codes'"],
  "call_next_consumer.p_function": ["'mail-dispatch'", "'unknown'"],
  "read_place.p_id": ["'13'", "'{lot}'", "'{unknown}'"],
  "read_counted.p_arguments": [json({ lang: "ja" })],
  "run_command.p_command": ["'rate_parking_lot'", "'mark_my_notifications_read'"],
  "run_command.p_arguments": [json({ parking_lot_id: "{lot}", value: "bad" }), "jsonb_build_object('before', now())"],
  "run_admin_command.p_command": ["'admin_mark_notifications_read'"],
  "run_admin_command.p_arguments": ["jsonb_build_object('p_before', now())"],
  "admin_import_parking_lots.p_lots": [
    `(select jsonb_agg(jsonb_build_object('external_id', 'w' || n, 'name', 'Imported ' || n, 'lat', 35.1, 'lng', 139.1)) from generate_series(1, 1000) n)`,
  ],
  "admin_put_parking_lot_set.p_set": ["'pricing_rules'", "'tags'"],
  "set_my_notification_preferences.p_items": ["'[]'"],
  "evaluate_badge_conditions.metadata": ["'{}'"],
  "evaluate_badge_conditions.conditions": ["'[]'"],
  "find_place.p_text": ["'Tokyo'"],
  "find_place.p_others": ["array['Tokyo', '渋谷', 'asdf', '大', 'a']"],
  p_text: ["'Tokyo'"],
  p_slug: ["'article-1'"],
  p_policy: ["'write'"],
  p_instead: ["'ai_search_refused'"],
  p_address: ["'203.0.113.1'"],
  p_store: ["'app_store'", "'google_play'"],
  p_platform: ["'ios'", "'android'"],
  p_provider: ["'app_store'", "'google_play'", "'manual'"],
  p_external_subscription_id: ["'worst-5'", "'nobody'"],
  p_queue: ["'push-dispatch'"],
  p_code: ["'covered'"],
  p_category_id: ["'attribute'", "'nobody'"],
  p_calendar: ["'jp'"],
  p_holiday_date: ["'2026-01-01'"],
  p_area: ["'lots'"],
  p_areas: ["'{lots}'"],
  "admin_invite_admin.p_email": ["'new@example.test'"],
  p_seed: ["'seed'"],
  p_rating: ["5", "1"],
  p_value: ["'bad'"],
  p_vote: ["'confirm'"],
  p_device_type: ["'ios'"],
  p_fcm_token: ["repeat('t', 200)"],
  p_accuracy_m: ["10"],
  p_yen_per_walk_minute: ["50"],
  p_report_type: ["'price'"],
  p_description: ["repeat('x', 2000)"],
  p_subject: ["'Subject'"],
  p_comment: ["repeat('x', 2000)"],
  p_file_size: ["1000"],
  p_mime_type: ["'image/png'"],
  p_provider_id: ["'openai'"],
  p_api_key: ["repeat('k', 200)"],
  p_phase: ["'entry'"],
  p_task: ["'all'", "'reviews'"],
  p_key: ["gen_random_uuid()::text"],
  p_fingerprint: ["repeat('f', 64)"],
  p_storage_key: ["'private/session_photo/nobody'"],
  p_geocoder: ["'nominatim'"],
  p_event_id: ["gen_random_uuid()::text"],
  p_stack: ["repeat('at line 1 of the app' || chr(10), 3000)"],
  p_device: ["'A device'"],
  p_app_version: ["'1.2.3'"],
  p_part: ["'a part'"],
  p_outcome: ["'gone'", "'suppressed'"],
  "admin_preview_badge.p_conditions": [
    json({ activity: ["session_end"], measure: "streak_days", where: { hours: { from: 22, to: 5 } } }),
    json({ activity: ["session_end", "review_post", "lot_save"], measure: "distinct_lots" }),
  ],
  p_threshold: ["1"],
};

/** Values by type, for parameters without values of their own. Documents that are written are small; empty ones are rejected. */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  "boolean": ["true", "false"],
  "integer": ["1"],
  "bigint": ["1"],
  "numeric": ["0.5"],
  "double precision": ["1"],
  "date": ["current_date"],
  "timestamp with time zone": ["now()"],
  "jsonb": ["'{}'"],
  "uuid": ["'{unknown}'"],
  "uuid[]": ["'{}'"],
  "bigint[]": ["'{}'"],
  "text[]": ["'{}'"],
};

/** The row that p_id names, by the name of the function. */
const IDS: readonly (readonly [RegExp, string])[] = [
  [/user_notification/, "composed"],
  [/user_activity|_user(_|$)|premium/, "person"],
  [/review/, "review"],
  [/error_report/, "report"],
  [/support_ticket/, "ticket"],
  [/field_value/, "field_value"],
  [/subscription_plan/, "plan"],
  [/subscription/, "subscription"],
  [/sponsor/, "sponsor"],
  [/theme/, "theme"],
  [/badge/, "badge"],
  [/(start|cancel|finalize|my)_parking_session|session_photo/, "running"],
];

function valuesOf(f: Callable, { name, type }: Parameter): readonly string[] {
  const own = VALUES[`${f.name}.${name}`];
  if (own !== undefined) return own;
  if (name === "p_id" && type === "uuid") {
    const known = IDS.find(([pattern]) => pattern.test(f.name))?.[1];
    return [...(known === undefined ? [] : [`'{${known}}'`]), "'{unknown}'"];
  }
  return VALUES[name] ?? OF_TYPE[type] ?? [];
}

/** Required parameters for which there is no value: the function cannot be asked. */
export function missingArguments(f: Callable): string[] {
  return f.parameters.filter((one) => one.isRequired && valuesOf(f, one).length === 0).map(({ name }) => name);
}

/** The question with required arguments alone, every value alone, pairs of values, and those of the two searches. */
export function argumentsOf(f: Callable, random: Random): Arguments[] {
  const required = Object.fromEntries(
    f.parameters.filter(({ isRequired }) => isRequired).map((one) => [one.name, valuesOf(f, one)[0]!]),
  );
  const single = f.parameters.flatMap((one) =>
    valuesOf(f, one).slice(one.isRequired ? 1 : 0).map((value): Arguments => ({ [one.name]: value }))
  );
  const pairs = single.flatMap((one, n) =>
    single.slice(n + 1).filter((other) => Object.keys(one)[0] !== Object.keys(other)[0]).map((other) => ({
      ...one,
      ...other,
    }))
  );
  const all = [{}, ...single, ...shuffled(pairs, random).slice(0, f.isWriting ? 0 : PAIRS), ...searchesOf(f, random)];
  return all.map((chosen) => ({ ...required, ...chosen }));
}

/** A question of any number of values. */
export function randomArguments(f: Callable, random: Random): Arguments {
  if (f.name === "search_parking_lots" && random.chance(0.9)) return random.pick(searches(random, 1));
  if (f.name === "nearby_parking_lots" && random.chance(0.9)) return random.pick(nearby(random, 1));
  return Object.fromEntries(
    f.parameters.filter((one) => valuesOf(f, one).length > 0 && (one.isRequired || random.chance(0.4)))
      .map((one) => [one.name, random.pick(valuesOf(f, one))]),
  );
}

function searchesOf(f: Callable, random: Random): Arguments[] {
  if (f.name === "search_parking_lots") return searches(random, 300);
  return f.name === "nearby_parking_lots" ? nearby(random, 150) : [];
}

/** Each condition in each area, pairs and triples of conditions, in each order, counted and as clusters. */
function searches(random: Random, count: number): Arguments[] {
  const each = CONDITIONS.flatMap((condition) => AREAS.map((area) => ({ conditions: [condition], area })));
  const more = Array.from({ length: 2 * CONDITIONS.length * AREAS.length }, () => ({
    conditions: Array.from({ length: random.between(2, 3) }, () => random.pick(CONDITIONS)),
    area: random.pick(AREAS),
  }));
  const chosen = count === 1 ? [random.pick([...each, ...more])] : shuffled([...each, ...more], random).slice(0, count);
  return chosen.flatMap(({ conditions, area }) => {
    const query = Object.assign({}, ...conditions, area.query);
    const sort = random.pick(
      area.query === undefined ? ["price", "recommended"] : ["price", "recommended", "distance"],
    );
    const place = area.p_bbox === undefined ? {} : { p_bbox: area.p_bbox };
    const clusters = area.p_bbox === undefined
      ? []
      : [{ p_query: json(query), ...place, p_zoom: random.pick(["3", "6", "9"]) }];
    return [
      { p_query: json({ ...query, sort }), ...place, p_include: "'{total}'" },
      { p_query: json({ ...query, sort }), ...place, p_limit: random.pick(["20", "100", "1000"]) },
      usableOf({ p_query: json({ ...query, sort }), ...place, p_limit: random.pick(["20", "100"]) }, random),
      ...clusters,
    ];
  });
}

const STAYS = [
  { p_entry_at: "'2026-12-05T03:00+09:00'", p_exit_at: "'2026-12-05T04:00+09:00'" },
  { p_entry_at: "'2026-12-05T00:00+09:00'", p_exit_at: "'2027-01-05T00:00+09:00'" },
  { p_entry_at: "now()", p_exit_at: "now() + interval '3 hours'" },
];

/** A search for lots that can be used for a stay; with the total also those of later pages. */
function usableOf(search: Arguments, random: Random): Arguments {
  const stay = {
    ...random.pick(STAYS),
    p_usable: random.pick(["'first'", "'only'"]),
    ...(random.chance(0.3) ? { p_without_surprises: "true" } : {}),
  };
  return { ...search, ...stay, ...(random.chance(0.3) ? { p_include: "'{total}'" } : {}) };
}

function nearby(random: Random, count: number): Arguments[] {
  const each = FILTERS.map((filter) => [filter]);
  const more = Array.from(
    { length: count },
    () => Array.from({ length: random.between(2, 4) }, () => random.pick(FILTERS)),
  );
  const chosen = count === 1 ? [random.pick([...each, ...more])] : [...each, ...more].slice(0, count);
  return chosen.map((filters) => {
    const [p_lat, p_lng] = random.pick([["{lat}", "{lng}"], ["{lat2}", "{lng2}"]] as const);
    return {
      p_lat,
      p_lng,
      p_radius_m: random.pick(["5000", "20000", "50000"]),
      p_limit: "100",
      p_filters: json(Object.assign({}, ...filters)),
      p_sort: random.pick(["'distance'", "'price'", "'recommended'"]),
      ...(random.chance(0.5) ? { p_usable: random.pick(["'first'", "'only'"]) } : {}),
      ...(random.chance(0.3) ? { p_vehicle: json({ height_m: 2, width_m: 1.9, length_m: 5 }) } : {}),
    };
  });
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list.map((item) => ({ item, key: random.next() })).sort((a, b) => a.key - b.key).map(({ item }) => item);
}
