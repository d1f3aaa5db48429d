// Wrong requests, through the real gateway and the real database: each gets its status, the envelope and a request id,
// and none a 500. Of the bad tokens a route is sent one over HTTP, each route the next one, and all in this process.
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { limitOf } from "../../supabase/functions/_shared/http/route.ts";
import { anAdministrator } from "./administrators.ts";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { signUp } from "../support/people.ts";
import { assertError, type ExpectedError, type WrongRequest, wrongRequests } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { badAuthorizations } from "../support/tokens.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { inDatabase } from "./lots.ts";

const user = await signUp();
/** Who may do nothing but read that they may not. */
const outcasts = { suspended: await signUp(), withdrawn: await signUp() };
await inDatabase(async (sql) => {
  for (const [status, { id }] of Object.entries(outcasts)) {
    await sql`update public.app_users set status = ${status} where id = ${id}`;
  }
});
const requests: WrongRequest[] = [];
const responses: Promise<Response>[] = [];
const mine = bearer(user.token);
const forged = badAuthorizations(user.id, stack().jwtSecret);
const kinds = Object.keys(forged);
const service = bearer(stack().serviceRoleKey);
const monitor = bearer(stack().metricsToken);
const receipt = { platform: "android", receipt: "token", product_id: "premium_monthly" };
/** What a route needs beyond its own path to be a good request; named by path, or by method and path. */
const goodQuery: Record<string, { query?: string; path?: string; body?: Record<string, unknown> }> = {
  "POST /search/ai": { body: { query: "渋谷駅" } },
  "POST /ai-search-parse": { body: { query: "渋谷駅" } },
  "/admin/tariff-text": { body: { text: "30分200円" } },
  "/parking-lots/export": { query: "format=jsonld" },
  "/parking-lots/nearby": { query: "lat=35.68&lng=139.76" },
  "/parking-lots/{id}/calc-fee": { body: { entry_at: "2026-09-01T10:00:00Z", exit_at: "2026-09-01T11:00:00Z" } },
  "/parking-lots/{id}/reviews": { body: { rating: 5 } },
  "/parking-lots/{id}/rating": { body: { value: "good" } },
  "/parking-lots/occupancy-reports": { body: { source: "sensor", reports: [{ parking_lot_id: user.id }] } },
  "/parking-sessions": { body: { parking_lot_id: user.id } },
  "/parking-sessions/{id}/finalize": { body: { exit_at: "2026-09-01T11:00:00Z" } },
  "/me/parking-sessions/{id}/photos/{phase}/{slot}": {
    path: `/me/parking-sessions/${user.id}/photos/during/1`,
    body: { asset_id: user.id },
  },
  "/me/vehicles": { body: { vehicle_type: "standard" } },
  "/me/search-presets": { body: { name: "Near work", query_json: {} } },
  "/me/search-preferences": { body: { yen_per_walk_minute: 30 } },
  "/me/saved-parking-lots": { body: { parking_lot_id: user.id } },
  "/me/notifications/mark-read": { body: { ids: [user.id] } },
  "/me/notification-preferences": {
    body: { items: [{ notif_type: "campaign", push_enabled: true, in_app_enabled: true, email_enabled: true }] },
  },
  "/me/push-tokens": { body: { fcm_token: "token", device_type: "ios" } },
  "/verify-iap": { body: receipt },
  "/me/subscription/verify-iap": { body: receipt },
  "/me/subscription/refresh-iap": { body: receipt },
  "/storage/upload-url": {
    body: { file_name: "a.png", file_size: 1, mime_type: "image/png", category: "review" },
  },
  "/error-reports": {
    body: { parking_lot_name: "A lot", report_type: "missing", description: "It is there" },
  },
  "/support/tickets": { body: { category: "other", subject: "Subject", message: "Message" } },
  "/support/tickets/{id}/messages": { body: { message: "Message" } },
  "/places": { query: "q=a&lat=35.68&lng=139.76" },
  "/places/{id}": {},
  "/sponsors/nearby": { query: "lat=35.68&lng=139.76" },
  "/sponsors/{id}/checkin": { body: { lat: 35.68, lng: 139.76, accuracy_m: 10 } },
  "GET /admin/user-search-presets": { query: `user_id=${user.id}` },
  "/admin/user-search-presets": { body: { user_id: user.id, name: "Near work", query_json: {} } },
  "/admin/holidays/{calendar}/{holiday_date}": { path: "/admin/holidays/JP/2020-01-01" },
  "/admin/users/{id}/suspend": { body: { reason: "Spam" } },
  "/admin/users/{id}/reactivate": { body: { reason: "No spam" } },
  "/admin/users/{id}/premium": { body: { until: null, reason: "Asked for" } },
  "/admin/users/{id}/withdraw": { body: { reason: "Asked for" } },
  "/admin/levels/{level}": { path: "/admin/levels/9999" },
  "/admin/exp-rules/{id}": { path: "/admin/exp-rules/999999" },
  "/report-crash": { body: { stack: "Error", device: "Device", app_version: "1.0" } },
  "/openapi/errors/{code}": { path: "/openapi/errors/forbidden" },
};

const ADMIN_AREAS =
  (await inDatabase((sql) => sql<{ areas: string[] }[]>`select private.admin_areas() as areas`))[0]!.areas;

/** Callers who have used up every quota. */
const busy = { user: await signUp(), admin: await anAdministrator(...ADMIN_AREAS) };
const useUpQuotas = () =>
  inDatabase((sql) =>
    sql`
      insert into private.rate_limit_windows (policy, subject, taken)
      select name, subject, quota from private.rate_limit_policies, unnest(${[
      busy.user.id,
      busy.admin.id,
    ]}::text[]) as subject
      on conflict (policy, subject) do update set started_at = now(), taken = excluded.taken`
  );
/** Wrong requests count too: so many routes may be called by one user within a quota. */
const LIMITED_A_PERSON = 8;
let limited = 0;
let limitedOfAdmins = 0;
let writer = mine;
let administrator = bearer(busy.admin.token);

const anyId = crypto.randomUUID();
const routes = groups.flatMap((group) => group.routes);
const environment: Record<string, string> = {
  SUPABASE_URL: "http://127.0.0.1:1", // what needs the database fails
  SUPABASE_ANON_KEY: stack().anonKey,
  SUPABASE_SERVICE_ROLE_KEY: stack().serviceRoleKey,
  JWT_SECRET: stack().jwtSecret,
  JWKS_URL: `${stack().apiUrl}/auth/v1/.well-known/jwks.json`,
  METRICS_TOKEN: stack().metricsToken,
};
const inProcess = createApp(routes, { config: () => readConfig((name) => environment[name]), log: () => {} });
for (const [nth, route] of routes.entries()) {
  const path = route.path.replaceAll(/\{\w+\}/g, anyId);
  const taken = routes.filter((other) => other.path === route.path).map(({ method }) => method);
  const otherMethod = (["DELETE", "PUT", "PATCH", "POST"] as const).find((method) => !taken.includes(method));
  if (otherMethod === undefined) throw new Error(`${route.path} takes every method`);
  const policy = limitOf(route);
  if (route.access === "admin" && limitedOfAdmins++ % LIMITED_A_PERSON === 0) {
    administrator = bearer((await anAdministrator(...ADMIN_AREAS)).token);
  } else if (policy !== undefined && limited++ % LIMITED_A_PERSON === 0) {
    writer = bearer((await signUp()).token);
  }
  const known = { service, monitor, admin: administrator, user: writer, optional: writer, public: writer };
  const { authorization } = known[route.access];
  const userAuthorization = mine.authorization;
  const kind = kinds[nth % kinds.length]!;
  const usual = { badAuthorizations: { [kind]: forged[kind]! }, path, otherMethod, authorization, userAuthorization };
  const needs = { ...usual, ...(goodQuery[`${route.method} ${route.path}`] ?? goodQuery[route.path]) };
  for (const wrong of wrongRequests(route, needs)) refuses(wrong);
  if (route.access !== "public") {
    Deno.test(`wrong requests: ${route.method} ${route.path} refuses every bad token, without the database`, async () => {
      for (const [name, authorization] of Object.entries(forged)) {
        const init = route.body ? jsonBody({}, { authorization }) : { headers: { authorization } };
        const address = `http://service${needs.path}${needs.query ? `?${needs.query}` : ""}`;
        const response = await inProcess.fetch(new Request(address, { method: route.method, ...init }));
        await assertError(response, { code: "unauthorized" }).catch((cause) => {
          throw new Error(name, { cause });
        });
      }
    });
  }
  for (
    const [status, { token }] of route.access === "user" && route.name !== "readMe" ? Object.entries(outcasts) : []
  ) {
    const auth = bearer(token);
    const sent = route.body ? jsonBody(needs.body ?? {}, auth) : { headers: auth };
    refuses({
      name: `${route.method} ${route.path} refuses a ${status} caller`,
      path: needs.query ? `${needs.path}?${needs.query}` : needs.path,
      init: { method: route.method, ...sent },
      expected: { code: "forbidden" },
    });
  }
  if (policy !== undefined && route.access !== "public") {
    Deno.test(`wrong requests: ${route.method} ${route.path} rejects a caller beyond the quota of ${policy}`, async () => {
      await useUpQuotas();
      const response = await ask(path, {
        method: route.method,
        headers: bearer(busy[route.access === "admin" ? "admin" : "user"].token),
      });
      await assertError(response, { code: "rate_limited" });
    });
  }
}

const near = "/parking-lots/nearby";
const point = "lat=35.68&lng=139.76";
const noon = "2026-09-01T12:00:00Z";
const stay = (entry_at: string | null, exit_at: string | null) =>
  JSON.stringify({ ...(entry_at && { entry_at }), ...(exit_at && { exit_at }) });
const patch = (body: unknown) => ({ method: "PATCH", ...jsonBody(body, mine) });
const raw = (body: BodyInit, headers: Record<string, string> = {}) => ({
  method: "PATCH",
  body,
  headers: { ...mine, "content-type": "application/json", ...headers },
});

/** Path, request, then the expected error: its code, or the field and its error. */
const wrong: [path: string, init: RequestInit, code: ExpectedError["code"], param?: string | null, field?: string][] = [
  ["/codes/nothing", {}, "not_found"],
  ["/codes/", {}, "not_found"],
  ["/me/..%2Fcodes", {}, "not_found"],
  ["/openapi/errors/nothing", {}, "not_found", "code"],
  ["/openapi/errors/toString", {}, "not_found", "code"],
  ["/openapi/errors/%00", {}, "validation_error", "code", "invalid_text"],
  ["/codes", { method: "POST" }, "method_not_allowed"],
  [near, { method: "PUT" }, "method_not_allowed"],
  ["/codes?lang=fr", {}, "validation_error", "lang", "invalid_value"],
  ["/codes?lang=", {}, "validation_error", "lang", "invalid_value"],
  ["/codes?lang=JA", {}, "validation_error", "lang", "invalid_value"],
  ["/codes?lang=ja&lang=en", {}, "validation_error", "lang", "duplicate"],
  ["/codes?lang=ja%00", {}, "validation_error", "lang", "invalid_text"],
  [near, {}, "validation_error", "lat", "required"],
  [`${near}?lat=35.68`, {}, "validation_error", "lng", "required"],
  [`${near}?lat=&lng=139.76`, {}, "validation_error", "lat", "invalid_type"],
  [`${near}?lat=north&lng=139.76`, {}, "validation_error", "lat", "invalid_type"],
  [`${near}?lat=NaN&lng=139.76`, {}, "validation_error", "lat", "invalid_type"],
  [`${near}?lat=3.5e&lng=139.76`, {}, "validation_error", "lat", "invalid_type"],
  [`${near}?lat=%2035&lng=139.76`, {}, "validation_error", "lat", "invalid_type"],
  [`${near}?lat=0x23&lng=139.76`, {}, "validation_error", "lat", "invalid_type"],
  [`${near}?lat=90.01&lng=139.76`, {}, "validation_error", "lat", "too_big"],
  [`${near}?lat=35.68&lng=-180.01`, {}, "validation_error", "lng", "too_small"],
  [`${near}?lat=35.68&lat=35.68&lng=139.76`, {}, "validation_error", "lat", "duplicate"],
  [`${near}?${point}&radius_m=0`, {}, "validation_error", "radius_m", "too_small"],
  [`${near}?${point}&radius_m=50001`, {}, "validation_error", "radius_m", "too_big"],
  [`${near}?${point}&radius_m=99999999999999999999`, {}, "validation_error", "radius_m", "too_big"],
  [`${near}?${point}&radius_m=500.5`, {}, "validation_error", "radius_m", "invalid_type"],
  [`${near}?${point}&limit=0`, {}, "validation_error", "limit", "too_small"],
  [`${near}?${point}&limit=101`, {}, "validation_error", "limit", "too_big"],
  [`${near}?${point}&limit=-1`, {}, "validation_error", "limit", "too_small"],
  [`${near}?${point}&sort=name`, {}, "validation_error", "sort", "invalid_value"],
  [`${near}?${point}&filters=covered`, {}, "validation_error", "filters", "invalid_type"],
  [`${near}?${point}&filters={`, {}, "validation_error", "filters", "invalid_type"],
  [`${near}?${point}&filters=[]`, {}, "validation_error", "filters", "invalid_type"],
  [`${near}?${point}&filters={"max_height_m":"2"}`, {}, "validation_error", "filters.max_height_m", "invalid_type"],
  [`${near}?${point}&filters={"max_height_m":-1}`, {}, "validation_error", "filters.max_height_m", "too_small"],
  [`${near}?${point}&filters={"max_height_m":1e400}`, {}, "validation_error", "filters.max_height_m", "invalid_type"],
  [`${near}?${point}&filters={"tags":"covered"}`, {}, "validation_error", "filters.tags", "invalid_type"],
  [`${near}?${point}&filters={"tags":["covered",""]}`, {}, "validation_error", "filters.tags.1", "too_small"],
  [`${near}?${point}&filters={"tags":["%5Cu0000"]}`, {}, "validation_error", "filters.tags.0", "invalid_text"],
  [`${near}?${point}&filters={"colour":1}`, {}, "validation_error", "filters.colour", "unknown_key"],
  [`${near}?${point}&filters={"open_now":"yes"}`, {}, "validation_error", "filters.open_now", "invalid_type"],
  [`${near}?${point}&filters={"max_price":-1}`, {}, "validation_error", "filters.max_price", "too_small"],
  [`${near}?${point}&filters={"max_price":100001}`, {}, "validation_error", "filters.max_price", "too_big"],
  [`${near}?${point}&filters=${stay(null, noon)}`, {}, "validation_error", "filters.entry_at"],
  [`${near}?${point}&filters=${stay(noon, null)}`, {}, "validation_error", "filters.exit_at"],
  [`${near}?${point}&filters=${stay(noon, "2026-09-01T11:59:59Z")}`, {}, "validation_error", "filters.exit_at"],
  [`${near}?${point}&filters=${stay(noon, "2027-09-02T12:00:01Z")}`, {}, "validation_error", "filters.exit_at"],
  [`${near}?${point}&filters=${stay("1999-12-31T23:59:59Z", noon)}`, {}, "validation_error", "filters.entry_at"],
  [`${near}?${point}&filters=${stay(noon, "2100-01-01T00:00:00Z")}`, {}, "validation_error", "filters.exit_at"],
  [`${near}?${point}&vehicle=big`, {}, "validation_error", "vehicle", "invalid_type"],
  [`${near}?${point}&vehicle={"height_m":0}`, {}, "validation_error", "vehicle.height_m", "too_small"],
  [`${near}?${point}&vehicle={"tire_width_mm":1.5}`, {}, "validation_error", "vehicle.tire_width_mm", "invalid_type"],
  [`${near}?${point}&vehicle={"colour":1}`, {}, "validation_error", "vehicle.colour", "unknown_key"],
  [
    `${near}?${point}&filters={"entry_at":"2026-09-01T10:00:00"}`,
    {},
    "validation_error",
    "filters.entry_at",
    "invalid_format",
  ],
  ["/subscription-plans?lang=fr", {}, "validation_error", "lang", "invalid_value"],
  ["/subscription-plans?limit=0", {}, "validation_error", "limit", "too_small"],
  ["/subscription-plans?cursor=abc", {}, "validation_error", "cursor"],
  ["/articles?lang=fr", {}, "validation_error", "lang", "invalid_value"],
  ["/articles?limit=101", {}, "validation_error", "limit", "too_big"],
  ["/articles?cursor=AAAAAAAAAAAAAAAA", {}, "validation_error", "cursor"],
  ["/articles/no-such-article", {}, "not_found", "slug"],
  ["/articles/how-maximum-fees-work?lang=fr", {}, "validation_error", "lang", "invalid_value"],
  ["/ads?placement=wall", {}, "validation_error", "placement", "invalid_value"],
  ["/ads?seed=", {}, "validation_error", "seed", "too_small"],
  [`/ads?seed=${"s".repeat(65)}`, {}, "validation_error", "seed", "too_big"],
  ["/ads?cursor=AAAAAAAAAAAAAAAA", {}, "validation_error", "cursor"],
  ["/well-known/security.txt", {}, "not_found"],
  ["/me", patch({ display_name: "" }), "validation_error", "display_name", "too_small"],
  ["/me", patch({ display_name: "a".repeat(101) }), "validation_error", "display_name", "too_big"],
  ["/me", patch({ display_name: null }), "validation_error", "display_name", "invalid_type"],
  ["/me", patch({ display_name: 5 }), "validation_error", "display_name", "invalid_type"],
  ["/me", patch({ display_name: ["a"] }), "validation_error", "display_name", "invalid_type"],
  ["/me", patch({ display_name: "a\0b" }), "validation_error", "display_name", "invalid_text"],
  ["/me", patch({ status: "active" }), "validation_error", "status", "unknown_key"],
  ["/me", patch({ display_name: "a", user_id: user.id }), "validation_error", "user_id", "unknown_key"],
  ["/me", patch("text"), "validation_error", null, "invalid_type"],
  ["/me", patch(null), "validation_error", null, "invalid_type"],
  ["/me", raw('{"display_name":"\\ud800"}'), "validation_error", "display_name", "invalid_text"],
  ["/me", raw('{"display_name":"a",}'), "validation_error", null, "malformed"],
  ["/me", raw("{}", { "content-type": "application/x-www-form-urlencoded" }), "unsupported_media_type"],
  ["/me", raw("{}", { "content-type": "application/json; charset=utf-16" }), "unsupported_media_type"],
  ["/me", raw("{}", { "content-encoding": "gzip" }), "unsupported_media_type"],
  ["/me", raw(streamOf(2 * 1024 * 1024)), "payload_too_large"],
  ["/me", raw(`{"display_name":"${"a".repeat(1024 * 1024)}"}`), "payload_too_large"],
];
for (const [path, init, code, param, field] of wrong) {
  const what = typeof init.body === "string" ? ` ${init.body.slice(0, 60)}` : "";
  const name = `${init.method ?? "GET"} ${path.slice(0, 90)}${what} is ${code}${field ? ` (${field})` : ""}`;
  const expected = { code, ...(param === undefined ? {} : { param }), ...(field === undefined ? {} : { field }) };
  refuses({ name, path, init, expected });
}

function refuses(request: WrongRequest): void {
  const place = requests.push(request) - 1;
  Deno.test(request.name, async () => {
    // The next ones are under way meanwhile.
    for (let next = place; next < Math.min(place + 4, requests.length); next++) {
      responses[next] ??= sent(requests[next]!);
    }
    await assertError(await responses[place]!, request.expected);
  });
}

function sent({ path, init }: WrongRequest): Promise<Response> {
  const response = ask(path, init);
  response.catch(() => {}); // the test fails that awaits it
  return response;
}

/** A body without Content-Length. */
function streamOf(bytes: number): ReadableStream<Uint8Array> {
  return new Blob([" ".repeat(bytes)]).stream();
}
