// Typical requests of each function, and the worst ones that its limits allow. A new function needs an entry here.
import type { Sql } from "postgres";
import type { Status } from "../../local/settings.ts";
import { aPlan, aStatement } from "../db/support/subscriptions.ts";
import { loadDevices, sendToAll } from "../recovery/pushes.ts";
import { AppleStore } from "../support/app_store.ts";
import { signUp } from "../support/people.ts";
import { seedLots } from "../db/support/fees.ts";
import { liftRateLimits } from "./lots.ts";

export interface Case {
  readonly words: string;
  /** Sends the requests of one round to a function at this address. */
  send(address: string, round: number): AsyncIterable<Response>;
  /** Rounds at once. */
  readonly together?: number;
  /** Prepares a round, which is not measured. */
  readonly before?: () => Promise<unknown>;
}

export interface Cases {
  readonly typical: Case;
  readonly worst: readonly Case[];
}

const DEVICES = 8_000;
const MAILS = 600;
const STATEMENTS = 600;
const EXPORTED_ROWS = 50_000;
const IMPORTED_LOTS = 1_000;
const STACK_BYTES = 65_000;
const LINES = { accept: "application/x-ndjson" };
const stay = { entry_at: "2026-09-01T10:00:00+09:00", exit_at: "2026-09-01T13:00:00+09:00" };
const month = { entry_at: "2026-09-01T10:00:00+09:00", exit_at: "2026-10-01T10:00:00+09:00" };
const sentence = "渋谷駅の近くで明日の朝9時から夕方6時まで、屋根があって24時間出し入れできる安い駐車場 ";
const rules = [{ category: "time_band", rule_order: 1, per_minutes: 20, price_minor: 200 }] as const;

interface Sending {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** The requests by function. */
export async function casesOf(sql: Sql, status: Status): Promise<Readonly<Record<string, Cases>>> {
  // Consumers are called by this bench alone.
  await sql`delete from vault.secrets`;
  await liftRateLimits(sql);
  const [user, admin, heavy] = [await signUp(), await administrator(sql), await signUp()];
  const lots = await seedLots(sql, Array.from({ length: 20 }, () => ({ rules: [...rules] })));
  const lot = (n: number) => lots[n % lots.length]!;
  await sql`
    insert into private.kept_reviews (review_id, user_id, parking_lot_id, rating, created_at)
    select gen_random_uuid(), ${heavy.id}, gen_random_uuid(), 4, now() - n * interval '1 minute'
    from generate_series(1, ${EXPORTED_ROWS}::integer) as n`;

  const apikey = { apikey: status.PUBLISHABLE_KEY };
  const as = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
  const service = { authorization: `Bearer ${status.SERVICE_ROLE_KEY}` };
  const fetched = (address: string, path: string, { method, headers, body }: Sending) =>
    fetch(`${address}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...apikey, ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  /** One request a round. */
  const one = (words: string, path: string | ((n: number) => string), sending: Sending = {}, together = 1): Case => ({
    words,
    together,
    async *send(address, n) {
      yield await fetched(address, typeof path === "string" ? path : path(n), sending);
    },
  });
  const page = (path: string, sending: Sending = {}) => one(`a page of 100 of ${path}`, `${path}?limit=100`, sending);
  const called = (words: string, path: string) => one(words, path, { method: "POST", headers: service });
  const protocol = { accept: "application/json, text/event-stream", ...as(user) };
  const message = (method: string, params = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
  const tool = (words: string, name: string, args: (n: number) => unknown): Case => ({
    words,
    async *send(address, n) {
      const body = message("tools/call", { name, arguments: args(n) });
      yield await fetched(address, "/mcp", { headers: protocol, body });
    },
  });
  const parked: Case = {
    words: "start and end",
    async *send(address, n) {
      const started = await fetched(address, "/parking-sessions", {
        headers: as(user),
        body: { parking_lot_id: lot(n) },
      });
      const { session_id } = await started.clone().json();
      yield started;
      yield await fetched(address, `/parking-sessions/${session_id}/finalize`, {
        headers: as(user),
        body: { exit_at: new Date().toISOString() },
      });
    },
  };

  const product_id = await aPlan(sql);
  const { subscription, signed_transaction } = await new AppleStore(status.PROVIDERS_URL).buy({ product_id });
  const verified = {
    headers: as(user),
    body: { platform: "ios", receipt: signed_transaction, product_id },
  };
  const { notification } = await new AppleStore(status.PROVIDERS_URL)
    .act(subscription.original_transaction_id, "renew", { send: false });
  const upload = { file_name: "a.png", file_size: 1, mime_type: "image/png", category: "review" };
  const report = { parking_lot_name: "A lot", report_type: "missing" };
  const crash = { device: "Device", app_version: "1.0" };
  const importedLots = Array.from({ length: IMPORTED_LOTS }, (_, n) => ({
    external_id: `bench-${n}`,
    name: `Lot ${n}`,
    lat: 35 + n * 1e-4,
    lng: 139 + n * 1e-4,
    hours: "8:00-20:00",
    tags: { covered: true },
    pricing_rules: [{ category: "time_band", rule_order: 1, per_minutes: 20, price_minor: 200 }],
  }));

  return {
    admin: {
      typical: one("a list of users", "/admin/users?limit=20", { headers: as(admin) }),
      worst: [
        one("a dry run of an import of 1,000 lots", "/admin/parking-lots/import", {
          headers: as(admin),
          body: { source: "bench", dry_run: true, lots: importedLots },
        }),
        one("an export of 50,000 rows of a user", `/admin/users/${heavy.id}/export`, {
          method: "POST",
          headers: as(admin),
        }),
        one("the actions of administrators as NDJSON", "/admin/activity-logs", { headers: { ...as(admin), ...LINES } }),
      ],
    },
    ads: { typical: one("advertisements", "/ads"), worst: [page("/ads")] },
    "ai-search-parse": {
      typical: one("a sentence", "/ai-search-parse", { headers: as(user), body: { query: sentence } }),
      worst: [one("500 characters", "/ai-search-parse", {
        headers: as(user),
        body: { query: sentence.repeat(20).slice(0, 500) },
      })],
    },
    articles: { typical: one("articles", "/articles"), worst: [page("/articles")] },
    codes: { typical: one("codes", "/codes"), worst: [one("50 at once", "/codes", {}, 50)] },
    "error-reports": {
      typical: one("a report", "/error-reports", { headers: as(user), body: { ...report, description: "There" } }),
      worst: [one("a report of 2,000 characters", "/error-reports", {
        headers: as(user),
        body: { ...report, description: "x".repeat(2000) },
      })],
    },
    health: { typical: one("health", "/health"), worst: [one("readiness", "/health/ready")] },
    "mail-dispatch": {
      typical: called("an empty queue", "/mail-dispatch"),
      worst: [{
        ...called("a queue of 600 mails", "/mail-dispatch"),
        before: async () => {
          await sql`
            with users as (
              insert into auth.users (id, email, email_confirmed_at)
              select id, id || '@example.test', now()
              from (select gen_random_uuid() as id from generate_series(1, ${MAILS}::integer)) u returning id
            ) select count(*) from users`;
          await sql`
            insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
            select u.id, 'announcement', false, true, true from public.app_users a join auth.users u on u.id = a.id
            where u.email like '%@example.test'`;
          await sendToAll({ sql });
          // It fills the queue of mails.
          await (await fetched(status.FUNCTIONS_URL, "/push-dispatch", { method: "POST", headers: service })).text();
        },
      }],
    },
    mcp: {
      typical: tool("the fee of a stay", "price_stay", (n) => ({ parking_lot_id: lot(n), ...stay })),
      worst: [
        one("50 lists of tools at once", "/mcp", { headers: protocol, body: message("tools/list") }, 50),
        tool("20 lots of a sentence", "find_parking", () => ({ query: sentence, limit: 20 })),
        tool(
          "ten lots with the fee of a month",
          "compare_lots",
          () => ({ parking_lot_ids: lots.slice(0, 10), ...month }),
        ),
        tool("the lines of the fee of a month", "explain_fee", (n) => ({ parking_lot_id: lot(n), ...month })),
      ],
    },
    me: {
      typical: one("the account", "/me", { headers: as(user) }),
      worst: [
        one("an export of 50,000 rows", "/me/export", { headers: as(heavy) }),
        one("the same as NDJSON", "/me/export", { headers: { ...as(heavy), ...LINES } }),
      ],
    },
    openapi: {
      typical: one("the error codes", "/openapi/errors"),
      worst: [
        one("the contract", "/openapi"),
        one("50 contracts at once", "/openapi", {}, 50),
        one("the overlay", "/openapi/overlay"),
        one("the contract of Realtime", "/openapi/asyncapi"),
      ],
    },
    "parking-lots": {
      typical: one("nearby", (n) => `/parking-lots/nearby?lat=${35.6 + n / 1000}&lng=${139.7 + n / 1000}`),
      worst: [
        one("100 lots with the fee of a month", `/parking-lots?${new URLSearchParams({ ...month, limit: "100" })}`, {
          headers: as(user),
        }),
        one("NDJSON, first response", "/parking-lots", { headers: { ...as(user), ...LINES } }),
        one("NDJSON with fees, first response", `/parking-lots?${new URLSearchParams(stay)}`, {
          headers: { ...as(user), ...LINES },
        }),
      ],
    },
    "parking-sessions": {
      typical: parked,
      worst: [],
    },
    places: {
      typical: one("a station", "/places?q=しんじゅく"),
      worst: [one("one letter", "/places?q=s&limit=20"), one("a typing error", "/places?q=しんじゅきゅう&limit=20")],
    },
    "push-dispatch": {
      typical: called("an empty queue", "/push-dispatch"),
      worst: [{
        ...called("a queue of 8,000 pushes", "/push-dispatch"),
        before: async () => {
          await loadDevices({ status, sql }, DEVICES);
          await sendToAll({ sql });
        },
      }],
    },
    "report-crash": {
      typical: one("a report", "/report-crash", { body: { ...crash, stack: "Error" } }),
      worst: [one("a report of 64 KiB", "/report-crash", { body: { ...crash, stack: "x".repeat(STACK_BYTES) } })],
    },
    search: {
      typical: one("a sentence", "/search/ai", { headers: as(user), body: { query: sentence } }),
      worst: [one("500 characters", "/search/ai", {
        headers: as(user),
        body: { query: sentence.repeat(20).slice(0, 500) },
      })],
    },
    sponsors: {
      typical: one("nearby sponsors", "/sponsors/nearby?lat=35.68&lng=139.76"),
      worst: [page("/sponsors")],
    },
    storage: {
      typical: one("an address for an upload", "/storage/upload-url", { headers: as(user), body: upload }),
      worst: [called("a sweep", "/storage/sweep")],
    },
    "store-notifications": {
      typical: called("an empty queue", "/store-notifications/process"),
      worst: [
        one("a notification of the App Store", "/store-notifications/app-store", { body: notification }),
        {
          ...called("a queue of 600 notifications", "/store-notifications/process"),
          before: () => {
            const statements = Array.from({ length: STATEMENTS }, () => aStatement(product_id));
            return sql`
              select api.receive_store_notification('ios_store', s ->> 'event_id', s)
              from jsonb_array_elements(${sql.json(statements as never)}) as s`;
          },
        },
      ],
    },
    "store-sync": { typical: called("no run", "/store-sync"), worst: [] },
    "subscription-plans": {
      typical: one("plans", "/subscription-plans"),
      worst: [page("/subscription-plans")],
    },
    support: {
      typical: one("tickets", "/support/tickets", { headers: as(user) }),
      worst: [page("/support/tickets", { headers: as(user) })],
    },
    tags: { typical: one("tags", "/tags"), worst: [page("/tags")] },
    "verify-iap": {
      typical: one("a purchase of the App Store", "/verify-iap", verified),
      worst: [one("50 at once", "/verify-iap", verified, 50)],
    },
    "well-known": {
      typical: one("the document of Apple", "/well-known/apple-app-site-association"),
      worst: [one("the document of Google", "/well-known/assetlinks.json")],
    },
  };
}

async function administrator(sql: Sql) {
  const [row] = await sql<{ areas: string[] }[]>`select private.admin_areas() as areas`;
  return await signUp({ appMetadata: { admin: { name: "Bench", areas: row!.areas } } });
}
