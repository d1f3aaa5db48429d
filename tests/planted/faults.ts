// Faults that the tests must find: one small change each, of the kind that a careless edit makes. `deno task test:planted`
// plants them one at a time (main.ts); a contract test keeps the list true to the code.

/** What a fault is in. */
export const AREAS = [
  "SQL condition",
  "SQL rights",
  "SQL constraint",
  "function",
  "import",
  "client",
  "web",
  "local platform",
] as const;

interface Named {
  readonly area: typeof AREAS[number];
  /** What is wrong then. */
  readonly change: string;
  /** The tests of the short run that find it. */
  readonly tests: readonly string[];
}

/** A text that is once in its file, and what is there instead. In a schema it is in the body of a function. */
interface Edit extends Named {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A migration after all others. */
interface Migration extends Named {
  readonly sql: string;
}

export type Fault = Edit | Migration;

export function isInSchema(file: string): boolean {
  return file.startsWith("supabase/schemas/");
}

/** The text of the file with the fault. */
export function planted(text: string, { file, from, to }: Edit): string {
  if (text.split(from).length !== 2) {
    throw new Error(`${file} has this text ${text.split(from).length - 1} times: ${from}`);
  }
  return text.replace(from, () => to);
}

/** The migration that replaces the function of a schema by the one with the fault. */
export function migrationOf(text: string, fault: Edit): string {
  const faulty = planted(text, fault);
  const at = text.indexOf(fault.from);
  const start = faulty.lastIndexOf("\ncreate function ", at) + 1;
  const quote = faulty.indexOf("\nas $$", start), first = faulty.indexOf(";\n", start);
  const end = quote >= 0 && quote < first ? faulty.indexOf("\n$$;", quote) + 4 : first + 1;
  if (start === 0 || end <= at) throw new Error(`${fault.file}: this is in no function: ${fault.from}`);
  return `-- A planted fault.\n${faulty.slice(start, end).replace("create function", "create or replace function")}\n`;
}

const schema = (path: string) => `supabase/schemas/${path}.sql`;
const shared = (path: string) => `supabase/functions/_shared/${path}.ts`;
const web = (path: string) => `apps/web/src/${path}`;

export const FAULTS: readonly Fault[] = [
  // ----- SQL conditions
  {
    area: "SQL condition",
    change: "every window of a cap counts as the first one",
    file: schema("fees/walk"),
    from: "is_first := starts = p_entry;",
    to: "is_first := true;",
    tests: ["tests/db/fee_cases.test.ts"],
  },
  {
    area: "SQL condition",
    change: "the first hour of a public holiday costs what its day of the week has",
    file: schema("fees/walk"),
    from: "  v_bits := private.bits_in_force(v_date_bits, v_bits);",
    to: "  v_bits := private.bits_in_force(v_date_bits & ~32, v_bits);",
    tests: ["tests/db/fee_cases.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a fraction of a second begins a unit",
    file: schema("fees/answers"),
    from: "  p_exit := private.priced_exit(p_entry, p_exit);",
    to: "",
    tests: ["tests/db/fee_answers.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a lot is left out by a fraction of a second that costs nothing",
    file: schema("fees/stays"),
    from: "c_stay constant bigint := trunc(extract(epoch from p_exit - p_entry)) * 1000000;",
    to: "c_stay constant bigint := extract(epoch from p_exit - p_entry) * 1000000;",
    tests: ["tests/db/fee_answers.test.ts"],
  },
  {
    area: "SQL condition",
    change: "an exit an hour ahead is accepted",
    file: schema("sessions/sessions"),
    from: "p_exit_at > greatest(now(), (p_session).started_at) + interval '5 minutes'",
    to: "p_exit_at > greatest(now(), (p_session).started_at) + interval '90 minutes'",
    tests: ["tests/db/sessions.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a seventh stay of a day is rewarded",
    file: schema("sessions/sessions"),
    from: "and 6 > (",
    to: "and 7 > (",
    tests: ["tests/db/exp.test.ts", "tests/db/sessions.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a request repeated with its id is a conflict",
    file: schema("sessions/sessions"),
    from: "v_session.status = 'ended' and v_session.finalize_request_id = p_client_request_id",
    to: "v_session.status = 'ended' and v_session.finalize_request_id <> p_client_request_id",
    tests: ["tests/db/sessions.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a user has eleven vehicles",
    file: schema("vehicles/api"),
    from: "v.deleted_at is null) >= 10 then",
    to: "v.deleted_at is null) > 10 then",
    tests: ["tests/api/vehicles.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a page of vehicles repeats the last one",
    file: schema("vehicles/api"),
    from: "and (v.created_at, v.id) > ((v_keys ->> 0)::timestamptz",
    to: "and (v.created_at, v.id) >= ((v_keys ->> 0)::timestamptz",
    tests: ["tests/api/vehicles.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a rating that is taken back is counted once more",
    file: schema("community/ratings"),
    from: "array_agg(case tg_op when 'INSERT' then 1 else -1 end))",
    to: "array_agg(case tg_op when 'INSERT' then 1 else 1 end))",
    tests: ["tests/db/ratings.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a hidden review still counts in the average",
    file: schema("community/reviews"),
    from: "from rows_before b where b.status = 'approved'",
    to: "from rows_before b where b.status = 'hidden'",
    tests: ["tests/db/reviews.test.ts"],
  },
  {
    area: "SQL condition",
    change: "an edited review stays approved",
    file: schema("community/reviews"),
    from: "  new.status := 'pending';",
    to: "  new.status := old.status;",
    tests: ["tests/db/reviews.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a key may be used for another request",
    file: schema("requests/idempotency"),
    from:
      "r.key = p_key and r.fingerprint <> p_fingerprint\n      and r.created_at >= now() - interval '24 hours'\n  ) then",
    to: "r.key = p_key and r.fingerprint is null\n      and r.created_at >= now() - interval '24 hours'\n  ) then",
    tests: ["tests/db/idempotency.test.ts", "tests/api/idempotency.test.ts"],
  },
  {
    area: "SQL condition",
    change: "one request more than the quota is allowed",
    file: schema("requests/rate_limits"),
    from: "'allowed', v_window.taken <= v_quota,",
    to: "'allowed', v_window.taken <= v_quota + 1,",
    tests: ["tests/db/rate_limits.test.ts"],
  },
  {
    area: "SQL condition",
    change: "hours to midnight end at the start of the day",
    file: schema("hours/evaluator"),
    from: "case when r.is_24h or r.close_time > r.open_time then interval '0'",
    to: "case when r.is_24h or r.close_time >= r.open_time then interval '0'",
    tests: ["tests/db/hours_cases.test.ts", "tests/db/hours_random.test.ts"],
  },
  {
    area: "SQL condition",
    change: "hours of a day of the week go before those of the eve of a holiday",
    file: schema("hours/evaluator"),
    from: "when w.day_type = 'holiday_eve' then 8",
    to: "when w.day_type = 'holiday_eve' then 16",
    tests: ["tests/db/hours_cases.test.ts", "tests/db/hours_random.test.ts"],
  },
  {
    area: "SQL condition",
    change: "the lowest price may be above the highest",
    file: schema("search/conditions"),
    from: "elsif (p_query ->> 'price_min')::numeric > (p_query ->> 'price_max')::numeric then",
    to: "elsif (p_query ->> 'price_min')::numeric > 100000 then",
    tests: ["tests/db/search.test.ts", "tests/db/search_conditions.test.ts", "tests/api/search.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a store is not queried about a payment that failed",
    file: schema("purchases/ledger"),
    from: "when p_status in ('grace', 'on_hold', 'paused', 'pending', 'unknown') then",
    to: "when p_status in ('on_hold', 'paused', 'pending', 'unknown') then",
    tests: ["tests/db/subscription_ledger.test.ts"],
  },
  {
    area: "SQL condition",
    change: "the quiet hours over midnight end a day early",
    file: schema("messages/preferences"),
    from: "case when p_from > p_to and v_local::time >= p_from then 1 else 0 end",
    to: "case when p_from > p_to and v_local::time >= p_from then 0 else 0 end",
    tests: ["tests/db/push_rules.test.ts", "tests/db/push.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a level is reached by one point more than it requires",
    file: schema("rewards/exp"),
    from: "where l.required_exp <= p_exp), 1)",
    to: "where l.required_exp < p_exp), 1)",
    tests: ["tests/db/exp.test.ts"],
  },
  {
    area: "SQL condition",
    change: "a list has no limit",
    file: schema("foundation/pages"),
    from: "if (p_limit between 1 and p_max) is not true then",
    to: "if (p_limit >= 1) is not true then",
    tests: ["tests/db/foundation.test.ts", "tests/db/cursors.test.ts", "tests/policies/matrix.test.ts"],
  },
  {
    area: "SQL condition",
    change: "the cursor of one list is valid in another",
    file: schema("foundation/pages"),
    from: "sha256(convert_to(p_filters::text, 'UTF8') || p_keys)",
    to: "sha256(p_keys)",
    tests: ["tests/db/cursors.test.ts"],
  },

  // ----- Rights
  {
    area: "SQL rights",
    change: "users read the lots that others saved",
    sql: `-- A planted fault.
drop policy "Users read the lots that they saved" on public.saved_parking_lots;
create policy "Users read the lots that they saved" on public.saved_parking_lots for select to authenticated using (true);`,
    tests: ["tests/policies/matrix.test.ts"],
  },
  {
    area: "SQL rights",
    change: "users start sessions for others",
    sql: `-- A planted fault.
drop policy "Users start sessions at active lots as themselves" on public.parking_sessions;
create policy "Users start sessions at active lots as themselves" on public.parking_sessions for insert to authenticated
  with check (true);`,
    tests: ["tests/policies/matrix.test.ts"],
  },
  {
    area: "SQL rights",
    change: "everyone reads ratings with their users",
    sql: "-- A planted fault.\nalter table public.parking_lot_ratings disable row level security;",
    tests: ["tests/policies/catalogue.test.ts"],
  },
  {
    area: "SQL rights",
    change: "users read the private schema",
    sql: "-- A planted fault.\ngrant select on private.idempotency_replies to authenticated;",
    tests: ["tests/policies/catalogue.test.ts"],
  },
  {
    area: "SQL rights",
    change: "users write the state of their sessions",
    sql: "-- A planted fault.\ngrant update (status) on public.parking_sessions to authenticated;",
    tests: ["tests/policies/catalogue.test.ts", "tests/policies/matrix.test.ts"],
  },
  {
    area: "SQL rights",
    change: "anonymous clients add counts of requests",
    sql: "-- A planted fault.\ngrant execute on function api.add_request_counts(jsonb) to anon;",
    tests: ["tests/policies/catalogue.test.ts", "tests/policies/reach.test.ts"],
  },
  {
    area: "SQL rights",
    change: "a function with the rights of its owner finds names in the caller's schemas",
    sql: "-- A planted fault.\nalter function private.price_list(uuid) reset search_path;",
    tests: ["tests/db/advisors.test.ts", "tests/policies/catalogue.test.ts"],
  },
  {
    area: "SQL rights",
    change: "a command may be called by anonymous clients",
    sql: "-- A planted fault.\ngrant execute on function commands.add_my_vehicle(jsonb) to anon;",
    tests: ["tests/policies/catalogue.test.ts", "tests/policies/reach.test.ts"],
  },

  // ----- Constraints, triggers and indexes
  {
    area: "SQL constraint",
    change: "a user has two running sessions",
    sql: "-- A planted fault.\ndrop index public.parking_sessions_one_running;",
    tests: ["tests/db/sessions.test.ts", "tests/races/sessions.test.ts"],
  },
  {
    area: "SQL constraint",
    change: "ratings are not counted",
    sql: "-- A planted fault.\nalter table public.parking_lot_ratings disable trigger user;",
    tests: ["tests/db/ratings.test.ts"],
  },
  {
    area: "SQL constraint",
    change: "a user saves a lot twice",
    sql:
      "-- A planted fault.\nalter table public.saved_parking_lots drop constraint saved_parking_lots_one_a_user_and_lot;",
    tests: ["tests/db/saved_parking_lots.test.ts"],
  },
  {
    area: "SQL constraint",
    change: "the oldest saved lots are found by reading all of them",
    sql: "-- A planted fault.\ndrop index public.saved_parking_lots_user_idx;",
    tests: ["tests/db/deep_pages.test.ts", "tests/db/saved_parking_lots.test.ts", "tests/db/large_lists.test.ts"],
  },

  // ----- Functions
  {
    area: "function",
    change: "a token of another audience is valid",
    file: shared("auth/token"),
    from: `        audience: "authenticated",\n`,
    to: "",
    tests: ["tests/contract/tokens.test.ts"],
  },
  {
    area: "function",
    change: "a token of the service is that of a user",
    file: shared("auth/token"),
    from: `payload["role"] !== "authenticated" || `,
    to: "",
    tests: ["tests/contract/tokens.test.ts"],
  },
  {
    area: "function",
    change: "equal bodies with their fields in another order are different requests",
    file: shared("http/idempotency"),
    from: "Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)",
    to: "Object.entries(value)",
    tests: ["tests/contract/requests.test.ts"],
  },
  {
    area: "function",
    change: "the query of a request is no part of its fingerprint",
    file: shared("http/idempotency"),
    from: "new URL(request.url).pathname + searchOf(request.url)",
    to: "new URL(request.url).pathname",
    tests: ["tests/contract/requests.test.ts"],
  },
  {
    area: "function",
    change: "a page cannot read the number of the request",
    file: shared("http/cors"),
    from: `"date, etag, x-request-id, server-timing`,
    to: `"date, etag, server-timing`,
    tests: ["tests/contract/router.test.ts"],
  },
  {
    area: "function",
    change: "a weakened tag is another one",
    file: shared("http/caching"),
    from: `part.trim().replace(/^W\\//, "") === tag`,
    to: "part.trim() === tag",
    tests: ["tests/contract/router.test.ts"],
  },
  {
    area: "function",
    change: "personal responses may be cached by all",
    file: shared("http/caching"),
    from: `if (!cache) return "no-store";`,
    to: `if (!cache) return "public, max-age=60";`,
    tests: ["tests/contract/router.test.ts"],
  },
  {
    area: "function",
    change: "a lease is extended without end",
    file: shared("queue/lease"),
    from: "if (performance.now() >= until) return clearInterval(timer);",
    to: "",
    tests: ["tests/contract/consumer.test.ts"],
  },
  {
    area: "function",
    change: "the first place of a geocoder is taken, whatever its name",
    file: shared("providers/geocoder"),
    from: "places.filter(({ name }) => normalize(name).includes(wanted))",
    to: "places.filter(({ name }) => name !== wanted)",
    tests: ["tests/contract/geocoder.test.ts"],
  },
  {
    area: "function",
    change: "a place north of the pole is a place",
    file: shared("providers/geocoder"),
    from: "Math.abs(lat) <= 90 && ",
    to: "",
    tests: ["tests/contract/geocoder.test.ts"],
  },
  {
    area: "function",
    change: "any file with a brand is HEIC",
    file: shared("storage/image_type"),
    from: ` && HEIC_BRANDS.includes(text(8, 12))`,
    to: "",
    tests: ["tests/contract/picture.test.ts"],
  },
  {
    area: "function",
    change: "a height in another format is rounded up",
    file: shared("formats/parkapi"),
    from: "return Math.floor(Math.round(metres * 10_000) / 100);",
    to: "return Math.ceil(metres * 100);",
    tests: ["tests/contract/formats.test.ts"],
  },

  // ----- Import
  {
    area: "import",
    change: "one comma may be either sign",
    file: shared("import/numbers"),
    from: "|| decimal === undefined && !CLEAR.test(text)",
    to: "",
    tests: ["tests/importer/reading.test.ts", "tests/importer/mapping.test.ts"],
  },
  {
    area: "import",
    change: "seconds of degrees are minutes",
    file: shared("import/numbers"),
    from: "Number(seconds) / 3600",
    to: "Number(seconds) / 60",
    tests: ["tests/importer/reading.test.ts", "tests/importer/mapping.test.ts"],
  },
  {
    area: "import",
    change: "half past is the full hour",
    file: shared("import/hours"),
    from: `half === undefined ? Number(mm ?? m ?? hMinute ?? minute ?? "0") : 30`,
    to: `Number(mm ?? m ?? hMinute ?? minute ?? "0")`,
    tests: ["tests/importer/reading.test.ts", "tests/importer/mapping.test.ts"],
  },
  {
    area: "import",
    change: "an unclear half of the day is guessed",
    file: shared("import/hours"),
    from: " || isUnclear(from, to)) return undefined;",
    to: ") return undefined;",
    tests: ["tests/importer/reading.test.ts", "tests/importer/mapping.test.ts"],
  },
  {
    area: "import",
    change: "the 31st of June is a date",
    file: shared("import/pricing"),
    from: " && new Date(time).toISOString().startsWith(date) ? date",
    to: " ? date",
    tests: ["tests/importer/tariffs.test.ts", "tests/importer/mapping.test.ts"],
  },
  {
    area: "import",
    change: "an outline with its places the wrong way round is another shape",
    file: shared("geometry"),
    from: "{ lng: value.coordinates[0], lat: value.coordinates[1] }",
    to: "{ lng: value.coordinates[1], lat: value.coordinates[0] }",
    tests: ["tests/importer/geometry.test.ts", "tests/importer/formats.test.ts"],
  },

  // ----- Client
  {
    area: "client",
    change: "a POST without a key is sent twice",
    file: "client/src/retry.ts",
    from: '(outcome === "unknown" && (isRead || isKeyed))',
    to: 'outcome === "unknown"',
    tests: ["tests/client/retries.test.ts"],
  },
  {
    area: "client",
    change: "the wait that the service names is not kept",
    file: "client/src/retry.ts",
    from: "if (sent !== null) return",
    to: "if (sent === -1) return",
    tests: ["tests/client/retries.test.ts"],
  },
  {
    area: "client",
    change: "a line without its end is lost",
    file: "client/src/lines.ts",
    from: `  if (rest !== "") yield JSON.parse(rest);\n`,
    to: "",
    tests: ["tests/client/responses.test.ts"],
  },
  {
    area: "client",
    change: "letters of two bytes are broken between two chunks",
    file: "client/src/lines.ts",
    from: "decoder.decode(chunk.value, { stream: !done })",
    to: "decoder.decode(chunk.value)",
    tests: ["tests/client/responses.test.ts"],
  },

  // ----- Web
  {
    area: "web",
    change: "tokens in an address are taken",
    file: web("mail_links.ts"),
    from: `if (values.has("access_token") || values.has("refresh_token")) return { kind: "error", code: "tokens" };`,
    to: "",
    tests: ["tests/web/mail_links.test.ts"],
  },
  {
    area: "web",
    change: "the hour that exists twice is the second one",
    file: web("local_time.ts"),
    from: "!isShown(first) && isShown(last) ? last : first",
    to: "isShown(last) ? last : first",
    tests: ["tests/web/local_time.test.ts"],
  },
  {
    area: "web",
    change: "the cheapest lot is one that cannot be used",
    file: web("pages/map/pins.ts"),
    from: " && usabilityOf(lot).usable_for_stay !== false);\n  return priced",
    to: ");\n  return priced",
    tests: ["tests/web/pins.test.ts"],
  },
  {
    area: "web",
    change: "the time of a response from a cache is learned",
    file: web("service_time.ts"),
    from: ` || !headers.get("cache-control")?.includes("no-store")) return;`,
    to: ") return;",
    tests: ["tests/web/service_time.test.ts"],
  },
  {
    area: "web",
    change: "a change overtakes those that wait",
    file: web("outbox.ts"),
    from: "capturing(id, isWaiting(), ",
    to: "capturing(id, false, ",
    tests: ["tests/browser/explorer_offline.test.ts"],
  },

  // ----- Local platform
  {
    area: "local platform",
    change: "the client names its own address",
    file: "local/gateway/client_address.ts",
    from: '!ADDRESS_HEADERS.has(name));\n  return [...kept, ["cf-connecting-ip", client]',
    to:
      'name !== "cf-connecting-ip");\n  return [...kept, ["cf-connecting-ip", headers.get("cf-connecting-ip") ?? client]',
    tests: ["tests/local/functions.test.ts", "tests/local/odd_clients.test.ts"],
  },
  {
    area: "local platform",
    change: "any verifier exchanges the code of a link",
    file: "local/auth/pkce.ts",
    from: `if (given !== flow["code_challenge"]) {`,
    to: `if (given === "") {`,
    tests: ["tests/local/auth_mail.test.ts"],
  },
  {
    area: "local platform",
    change: "a link leads to any address",
    file: "local/auth/redirects.ts",
    from: "globToPattern(pattern).test(withoutFragment)) ? requested : siteUrl;",
    to: "globToPattern(pattern).test(withoutFragment)) ? requested : requested;",
    tests: ["tests/local/auth_mail.test.ts"],
  },
  {
    area: "local platform",
    change: "an unknown key opens the service",
    file: "local/gateway/keys.ts",
    from: '  if (token === undefined) {\n    return rejected("UNAUTHORIZED_INVALID_API_KEY"',
    to: '  if (token === "") {\n    return rejected("UNAUTHORIZED_INVALID_API_KEY"',
    tests: ["tests/contract/gateway_keys.test.ts"],
  },
  {
    area: "local platform",
    change: "attempts to sign in have no limit",
    file: "local/auth/limits.ts",
    from: "const allowed = recent.length < this.perMinute;",
    to: "const allowed = recent.length <= this.perMinute * 1_000;",
    tests: ["tests/local/dev.test.ts"],
  },
];
