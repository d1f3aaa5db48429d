// web/: what screens of the console send and sum up.
import assert from "node:assert/strict";
import { healthLines, type Job, type Overview } from "../../apps/web/src/console/screens/health/health.ts";
import { hoursOf } from "../../apps/web/src/console/screens/overview/hours.ts";
import { sumsOf, unitsByDay } from "../../apps/web/src/console/screens/store_sync/daily_sums.ts";
import { requestOf } from "../../apps/web/src/console/screens/user_notifications/notification_request.ts";
import { NewComposedNotification } from "../../supabase/functions/admin/user_notifications.schema.ts";

function form(values: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
}

const REQUIRED = { type: "announcement", title: " Title ", body: "Text", target: "all" };

Deno.test("notification form: fields that are empty are null", () => {
  const request = requestOf(form({ ...REQUIRED, title_en: " ", body_en: "", scheduled_at: "", "segment.plan": "" }));
  assert.deepEqual(request, {
    type: "announcement",
    title: "Title",
    body: "Text",
    title_en: null,
    body_en: null,
    target: "all",
    user_id: null,
    segment: null,
    scheduled_at: null,
  });
  assert.ok(NewComposedNotification.safeParse(request).success);
});

Deno.test("notification form: every field reaches the request, times are those of Japan", () => {
  const request = requestOf(form({
    ...REQUIRED,
    title_en: "T",
    body_en: "B",
    scheduled_at: "2026-09-01T09:30",
    "segment.min_level": "0",
    "segment.last_active_since": "2026-08-01T00:00",
    "segment.plan": "premium_monthly",
    "segment.box.west": "139.5",
    "segment.box.south": "-0.5",
    "segment.box.east": "140",
    "segment.box.north": "0",
  }));
  assert.deepEqual([request.title_en, request.body_en, request.scheduled_at], ["T", "B", "2026-09-01T00:30:00.000Z"]);
  assert.deepEqual(request.segment, {
    min_level: 0,
    last_active_since: "2026-07-31T15:00:00.000Z",
    plan: "premium_monthly",
    box: { west: 139.5, south: -0.5, east: 140, north: 0 },
  });
});

Deno.test("notification form: an id of a user is sent for the target user only, and a box that lacks a side lacks it", () => {
  assert.equal(requestOf(form({ ...REQUIRED, user_id: "1" })).user_id, null);
  assert.equal(requestOf(form({ ...REQUIRED, target: "user", user_id: " 1 " })).user_id, "1");
  assert.deepEqual(requestOf(form({ ...REQUIRED, "segment.box.west": "1" })).segment, { box: { west: 1 } });
});

const sale = (day: string, store: "ios_store" | "android_store", currency: string, units: number) => ({
  sale_date: day,
  store,
  currency,
  units,
  refund_units: 1,
  amount_minor: units * 100,
  refund_minor: 50,
});

Deno.test("daily sales: each store and currency has a sum, and currencies are not added up", () => {
  const items = [
    sale("2026-09-02", "ios_store", "JPY", 3),
    sale("2026-09-01", "ios_store", "JPY", 2),
    sale("2026-09-01", "ios_store", "USD", 5),
    sale("2026-09-01", "android_store", "JPY", 7),
  ];
  assert.deepEqual(
    sumsOf(items).map(({ store, currency, units, refund_units, amount_minor, refund_minor }) =>
      [store, currency, units, refund_units, amount_minor, refund_minor].join(" ")
    ),
    ["ios_store JPY 5 2 500 100", "ios_store USD 5 1 500 50", "android_store JPY 7 1 700 50"],
  );
  assert.deepEqual(unitsByDay(items), [["2026-09-01", 14], ["2026-09-02", 3]]);
  assert.deepEqual([sumsOf([]), unitsByDay([])], [[], []]);
  assert.equal(items[0]!.units, 3, "the sales themselves do not change");
});

Deno.test("deliveries: 24 hours end with that of the figures, with zeros where nothing was sent", () => {
  const hours = hoursOf({
    at: "2026-09-02T10:59:59Z",
    outcomes: [
      { hour: "2026-09-02T10:00:00Z", counts: { delivered: 4, failed: 1, suppressed: 2 } },
      { hour: "2026-09-01T11:00:00Z", counts: { failed: 3 } },
      { hour: "2026-09-01T10:00:00Z", counts: { delivered: 9 } },
    ],
  }, "delivered");
  assert.equal(hours.length, 24);
  assert.deepEqual(hours.at(-1), { hour: Date.parse("2026-09-02T10:00:00Z") / 1000, sent: 4, other: 3 });
  assert.deepEqual(hours[0], { hour: Date.parse("2026-09-01T11:00:00Z") / 1000, sent: 0, other: 3 });
  assert.ok(hours.slice(1, -1).every(({ sent, other }) => sent + other === 0));
});

Deno.test("health: each line has its threshold, and what is over it comes first", () => {
  const at = "2026-09-02T10:00:00Z";
  const overview = {
    message_queues: { at, items: [{ queue: "mail", length: 3, due: 3, oldest_due_at: "2026-09-02T09:40:00Z" }] },
    jobs: { at, active: 9, failed_24h: 1, last_started_at: "2026-09-02T09:59:00Z", failing: ["purge"] },
    dead_messages: { at, count: 0, newest_at: null },
    slow_queries: {
      at,
      reason: null,
      items: [{ query: "select 1", calls: 1, mean_ms: 1500, max_ms: 1500, total_ms: 1500 }],
    },
    push: { trouble: null },
    mail: { trouble: { reason: "credentials", since: "2026-09-02T09:00:00Z", paused_until: at } },
  } as unknown as Overview;
  const jobs = [
    { name: "purge", failed_24h: 1, last_run: { status: "failed", error: "deadlock" } },
    { name: "rank", failed_24h: 0, last_run: { status: "succeeded", error: null } },
  ] as unknown as Job[];
  const lines = healthLines(overview, jobs, new Date(at));
  const wrong = lines.filter(({ isFine }) => !isFine);
  assert.deepEqual(lines.slice(0, wrong.length), wrong);
  assert.deepEqual(
    wrong.map(({ section, subject, value, detail }) => [section, subject, value, detail]),
    [
      ["jobs", "purge", 1, "deadlock"],
      ["queues", "mail", 20, undefined],
      ["providers", "mail", 60, "credentials"],
      ["slow", "select 1", 1500, undefined],
    ],
  );
  assert.deepEqual(lines.filter(({ isFine }) => isFine).map(({ section }) => section), [
    "dead_messages",
    "jobs",
    "providers",
  ]);
});
