// The consumer of store sync by itself: what it tells the database of a store that is not configured, of a lease that is lost,
// and when its time is up; and what it reads of Google Play's orders.
import assert from "node:assert/strict";
import { exportPKCS8 } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { csv, zip } from "../../local/providers/store_files.ts";
import type { Config } from "../../supabase/functions/_shared/config.ts";
import type { Database } from "../../supabase/functions/_shared/db/client.ts";
import { PlayReports } from "../../supabase/functions/_shared/providers/play_reports.ts";
import { storeReports } from "../../supabase/functions/_shared/providers/store_report_sources.ts";
import type { StoreReports, StoreReportSources } from "../../supabase/functions/_shared/providers/store_reports.ts";
import { sync } from "../../supabase/functions/store-sync/sync.ts";

const DAYS = ["2026-09-01", "2026-09-02", "2026-09-03"];

/** A database with one run; `held` says for each write whether the lease is still ours. */
function database(held: (write: number) => boolean = () => true) {
  const calls: [name: string, args: Record<string, unknown>][] = [];
  let turns = 0;
  let writes = 0;
  const turn = {
    run_id: "run",
    lease_id: "lease",
    store: "ios_store",
    task: "sales",
    days: DAYS,
    parts: [],
    next_page: null,
  };
  const db: Database = {
    rpc: <T>(name: string, args: Record<string, unknown> = {}) => {
      calls.push([name, args]);
      if (name === "take_store_sync_run") return Promise.resolve((turns++ === 0 ? turn : null) as T);
      return Promise.resolve((name.startsWith("write_") ? held(writes++) : true) as T);
    },
  };
  return { db, names: () => calls.map(([name]) => name), calls };
}

/** A store that sold nothing on any day, and is asked only for what is wanted. */
function quietStore(asked: string[]): StoreReportSources {
  const reports: StoreReports = {
    sales: async function* (days) {
      for (const day of days) {
        asked.push(day);
        yield { day, rows: [], rowsRead: 0 };
      }
    },
    reviews: async function* () {},
    metrics: async function* () {},
  };
  return { of: () => reports };
}

Deno.test("store-sync: a store without its settings fails the run, and the message names them", async () => {
  const nothing = { providers: { appStoreConnect: null, play: null } } as Config;
  const { db, calls } = database();
  assert.deepEqual(await sync(db, storeReports(() => nothing)), { succeeded: 0, failed: 1, postponed: 0 });
  const [name, args] = calls[1]!;
  assert.deepEqual([name, args["code"]], ["fail_store_sync_run", "not_configured"]);
  assert.match(String(args["message"]), /APP_STORE_CONNECT_ISSUER_ID/);
});

Deno.test("store-sync: a consumer whose lease is lost writes nothing more and does not end the run", async () => {
  const asked: string[] = [];
  const { db, names } = database((write) => write < 1);
  assert.deepEqual(await sync(db, quietStore(asked)), { succeeded: 0, failed: 0, postponed: 0 });
  assert.deepEqual(names(), ["take_store_sync_run", "write_store_sales", "write_store_sales", "take_store_sync_run"]);
  assert.deepEqual(asked, DAYS.slice(0, 2));
});

Deno.test("store-sync: when its time is up it puts the run off after the part that it has fetched", async () => {
  const asked: string[] = [];
  const { db, names } = database();
  // The budget is over before the first part is.
  const slow: Database = {
    rpc: async (name, args) => {
      if (name === "write_store_sales") await new Promise((resolve) => setTimeout(resolve, 350));
      return await db.rpc(name, args);
    },
  };
  assert.deepEqual(await sync(slow, quietStore(asked), 300), { succeeded: 0, failed: 0, postponed: 1 });
  assert.deepEqual(names(), ["take_store_sync_run", "write_store_sales", "postpone_store_sync_run"]);
  assert.deepEqual(asked, DAYS.slice(0, 1));
});

const ORDERS = [
  [
    "Order Charged Date",
    "Financial Status",
    "Product Title",
    "Package ID",
    "Product Type",
    "SKU ID",
    "Currency of Sale",
    "Charged Amount",
    "Country of Buyer",
  ],
  ...[
    ["Charged", "app", "4,800"],
    ["Refund", "app", "4,800"],
    ["Refund", "app", "-4,800"],
    ["Partial refund", "app", "1,200"],
    ["Charged", "another", "9,999"],
  ].map((
    [status, app, amount],
  ) => ["2026-09-01", status!, "Premium", app!, "subscription", "plan", "JPY", amount!, ""]),
];

async function playSales(file: BodyInit): Promise<unknown[]> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/token") return Response.json({ access_token: "token", expires_in: 3600 });
    if (searchParams.get("alt") === "media") return new Response(file);
    return Response.json({ items: [{ name: "sales/salesreport_202609.zip" }] });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const addresses = { apiUrl: url, reportingApiUrl: url, storageApiUrl: url };
  const play = new PlayReports({
    ...addresses,
    packageName: "app",
    reportsBucket: "bucket",
    account: {
      clientEmail: "a@b.test",
      privateKey: await exportPKCS8(privateKey),
      privateKeyId: null,
      tokenUri: `${url}/token`,
    },
  });
  const days: unknown[] = [];
  try {
    for await (const day of play.sales([...DAYS, "2026-10-01"])) days.push(day);
  } finally {
    await server.shutdown();
  }
  return days;
}

Deno.test("Google Play: refunds are below zero with a minus and without, a partial refund refunds no unit, other apps are left out", async () => {
  const row = {
    sku: "plan",
    title: "Premium",
    product_type: "subscription",
    country: "ZZ",
    currency: "JPY",
    units: -1,
    refund_units: 2,
    amount_minor: -6000,
    refund_minor: 10_800,
    proceeds_currency: "JPY",
    proceeds_minor: null,
  };
  // October's file is not there: its day is not one without sales.
  assert.deepEqual(await playSales(await zip("salesreport_202609.csv", csv(ORDERS))), [
    { day: "2026-09-01", rows: [row], rowsRead: 4 },
    { day: "2026-09-02", rows: [], rowsRead: 0 },
    { day: "2026-09-03", rows: [], rowsRead: 0 },
  ]);
});

Deno.test("Google Play: an archive without CSV, and a financial status that is not known, are unreadable", async () => {
  await assert.rejects(zip("readme.txt", "Nothing").then(playSales), /has no CSV file/);
  const unknown = ORDERS.map((order) => order.map((field) => field === "Partial refund" ? "Chargeback" : field));
  await assert.rejects(zip("sales.csv", csv(unknown)).then(playSales), /"Chargeback" is no financial status/);
});
