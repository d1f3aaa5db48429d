// The files and requests of the stores' reports: text, numbers and archives as the stores write them, and what is not theirs.
import assert from "node:assert/strict";
import { exportPKCS8 } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { csv, gzip, utf16, zip } from "../../local/providers/store_files.ts";
import { AppStoreConnect } from "../../supabase/functions/_shared/providers/app_store_connect.ts";
import {
  commaSeparated,
  decoded,
  gunzipped,
  millionths,
  minorUnits,
  Table,
  unzipped,
  whole,
} from "../../supabase/functions/_shared/providers/report_files.ts";
import {
  ReportClient,
  ReportError,
  secondsOf,
  StoreWaits,
  textOf,
} from "../../supabase/functions/_shared/providers/store_reports.ts";

const { privateKey } = await generateKeyPair("ES256", { extractable: true });
const key = await exportPKCS8(privateKey);
const utf8 = (text: string) => new TextEncoder().encode(text);
const isUnreadable = (error: unknown) => error instanceof ReportError && error.code === "unreadable";

/** App Store Connect as a function of requests. */
async function connected<Result>(
  answer: (request: Request) => Response | Promise<Response>,
  run: (store: AppStoreConnect, url: string) => Promise<Result>,
): Promise<Result> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  const url = `http://127.0.0.1:${server.addr.port}`;
  const config = {
    issuerId: "issuer",
    keyId: "key",
    privateKey: key,
    vendorNumber: "1",
    url,
    appId: 7,
    bundleId: null,
  };
  try {
    return await run(new AppStoreConnect(config), url);
  } finally {
    await server.shutdown();
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const HEADER =
  "SKU\tTitle\tProduct Type Identifier\tUnits\tDeveloper Proceeds\tCustomer Price\tCustomer Currency\tCountry Code\tCurrency of Proceeds";
const report = async (...lines: string[]) => new Response(await gzip([HEADER, ...lines, ""].join("\n")));

Deno.test("reports: CSV with quotes, commas, line breaks and empty fields is read as it was written", () => {
  const rows = [["a", 'say "yes", please', "two\r\nlines"], ["", "", "x"], ["1", "2", ""]];
  assert.deepEqual(commaSeparated(csv(rows)), rows);
  assert.deepEqual(commaSeparated("a,b\r\n1,\r\n\r\n3,4"), [["a", "b"], ["1", ""], ["3", "4"]]);
  assert.deepEqual(commaSeparated("a,b\n1,"), [["a", "b"], ["1", ""]]);
  assert.deepEqual(commaSeparated(""), []);
  for (const text of ['a,"b', 'a,"b"c', 'a,b"c']) assert.throws(() => commaSeparated(text), isUnreadable, text);
});

Deno.test("reports: UTF-8 and UTF-16 are told by their first bytes; other bytes are unreadable", () => {
  assert.equal(decoded(utf16("日付,😀")), "日付,😀");
  assert.equal(decoded(utf8("\ufeff日付")), "日付");
  assert.equal(decoded(new Uint8Array([0xfe, 0xff, 0x65, 0xe5])), "日");
  assert.throws(() => decoded(new Uint8Array([0x82, 0xa0])), isUnreadable);
});

Deno.test("reports: gzip and zip are unpacked; each byte of them that is cut off or damaged makes them unreadable, not wrong", async () => {
  const text = '日付,金額\n2026-09-01,"4,800"\n'.repeat(40);
  assert.equal(await gunzipped(await gzip(text)), text);
  assert.equal(await gunzipped(utf8(text)), text);
  const archive = await zip("sales.csv", text);
  const [entry] = await unzipped(archive);
  assert.deepEqual([entry!.name, decoded(entry!.bytes)], ["sales.csv", text]);
  for (let length = 0; length < archive.length; length += 3) {
    await assert.rejects(unzipped(archive.slice(0, length)), isUnreadable, `${length} bytes`);
  }
  const content = 30 + "sales.csv".length;
  for (let at = content; at < archive.length - 16 - 46 - "sales.csv".length - 22; at++) {
    const damaged = archive.slice();
    damaged[at] = damaged[at]! ^ 0x10;
    const found = await unzipped(damaged).catch((error) => assert.ok(isUnreadable(error), String(error)));
    // Another way to write the same text is no damage.
    if (found) assert.equal(decoded(found[0]!.bytes), text, `byte ${at}`);
  }
  const packed = await gzip(text);
  for (let length = 2; length < packed.length; length += 3) {
    await assert.rejects(gunzipped(packed.slice(0, length)), isUnreadable);
  }
});

Deno.test("reports: amounts are exact, with commas between thousands, and rounded once, half away from zero", () => {
  const amounts: [text: string, currency: string, minor: number][] = [
    ["4,800", "JPY", 4800],
    ["1,234,567.89", "USD", 123_456_789],
    ["-0.10", "USD", -10],
    [".5", "USD", 50],
    ["408.50", "JPY", 409],
    ["-408.50", "JPY", -409],
    ["408.499999", "JPY", 408],
    ["0.1234", "KWD", 123],
    ["90071992547409.91", "USD", 9_007_199_254_740_991],
  ];
  for (const [text, currency, minor] of amounts) assert.equal(minorUnits(millionths(text), currency), minor, text);
  assert.equal(minorUnits(3n * millionths("0.335"), "USD"), 101);
  for (const text of ["", "-", ".", "1.2.3", "1e3", "N/A", "¥480", "0.0000001"]) {
    assert.throws(() => millionths(text), isUnreadable, text);
  }
  assert.equal(whole("-3.00"), -3);
  assert.throws(() => whole("1.5"), isUnreadable);
});

Deno.test("reports: columns are found by their names in any order; one that is missing is named, a row cut short is unreadable", () => {
  const columns = { day: ["Date"], app: ["Product ID", "Package ID"] };
  const table = new Table("The report", [["Package ID", "More", " Date "], ["app", "x", "2026-09-01"]], columns);
  assert.deepEqual(Object.fromEntries(table.rows[0]!), { day: "2026-09-01", app: "app" });
  assert.throws(
    () => new Table("The report", [["Date"]], columns),
    (error) =>
      error instanceof ReportError && error.code === "column_missing" &&
      /"Product ID" or "Package ID"/.test(error.message),
  );
  assert.throws(() => new Table("The report", [["Date", "Product ID"], ["2026-09-01"]], columns), isUnreadable);
});

Deno.test("reports: Retry-After is seconds, a date, or milliseconds of a UNIX time; text is as Postgres takes it", () => {
  assert.equal(secondsOf("120"), 120);
  for (const text of [String(Date.now() + 90_000), new Date(Date.now() + 90_000).toUTCString()]) {
    assert.ok(Math.abs(secondsOf(text)! - 90) <= 1, text);
  }
  assert.equal(secondsOf("soon"), undefined);
  assert.equal(textOf("a\0b\ud800"), "ab\ufffd");
  assert.equal(textOf("  "), null);
});

Deno.test("reports: a quota that is used up is waited for, also where it is 403; an address that has expired is asked for anew", async () => {
  const quota = {
    error: { code: 403, message: "Quota", errors: [{ reason: "rateLimitExceeded", domain: "usageLimits" }] },
  };
  const answers: [answer: () => Response, token: boolean, code: string, seconds?: number][] = [
    [() => Response.json(quota, { status: 403 }), true, "rate_limited", 60],
    [() => new Response(null, { status: 429, headers: { "retry-after": "90" } }), true, "rate_limited", 90],
    [
      () => new Response("<html>", { status: 429, headers: { "retry-after": String(Date.now() + 90_000) } }),
      true,
      "rate_limited",
      90,
    ],
    [() => Response.json({ error: { message: "No" } }, { status: 403 }), true, "credentials_rejected"],
    [() => new Response(null, { status: 401 }), true, "credentials_rejected"],
    [() => new Response("<Error/>", { status: 403 }), false, "unavailable"],
    [() => new Response(null, { status: 503, headers: { "retry-after": "30" } }), true, "unavailable", 30],
    [() => Response.json(null), true, "unreadable"],
    [() => new Response("<html>"), true, "unreadable"],
  ];
  for (const [answer, hasToken, code, seconds] of answers) {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
    const client = new ReportClient("The store", hasToken ? () => Promise.resolve("token") : null);
    const asked = client.json(`http://127.0.0.1:${server.addr.port}/`);
    await assert.rejects(asked, (error) => {
      assert.ok(error instanceof ReportError || error instanceof StoreWaits, String(error));
      if (error instanceof StoreWaits && seconds !== undefined) {
        assert.ok(Math.abs(error.seconds - seconds) <= 1, `${error.seconds}`);
      }
      return error.code === code;
    }, code);
    await server.shutdown();
  }
});

Deno.test("App Store Connect: refunds have the sign of their units, whatever the sign of their price; rows of a product are one", async () => {
  const lines = [
    "plan\tPlan\tIAY\t3\t408.00\t480.00\tJPY\tJP\tJPY",
    "plan\tPlan\tIAY\t-1\t408.00\t-480.00\tJPY\tJP\tJPY",
    "plan\tPlan\tIAY\t-1\t408.00\t480.00\tJPY\tJP\tJPY",
    "plan\tPlan\tIAY\t2\t2.79\t3.99\tUSD\tUS\tUSD",
  ];
  const [day] = await connected(() => report(...lines), (store) => all(store.sales(["2026-09-01"])));
  const common = { sku: "plan", title: "Plan", product_type: "IAY" };
  assert.deepEqual(day, {
    day: "2026-09-01",
    rowsRead: 4,
    rows: [
      {
        ...common,
        country: "JP",
        currency: "JPY",
        proceeds_currency: "JPY",
        units: 1,
        refund_units: 2,
        amount_minor: 480,
        refund_minor: 960,
        proceeds_minor: 408,
      },
      {
        ...common,
        country: "US",
        currency: "USD",
        proceeds_currency: "USD",
        units: 2,
        refund_units: 0,
        amount_minor: 798,
        refund_minor: 0,
        proceeds_minor: 558,
      },
    ],
  });
});

Deno.test("App Store Connect: where a version must be named, the one that the error names is asked for", async () => {
  const versions: (string | null)[] = [];
  const days = await connected(async (request) => {
    const version = new URL(request.url).searchParams.get("filter[version]");
    versions.push(version);
    if (version === "1_1") return await report("plan\tPlan\tIAY\t1\t408\t480\tJPY\tJP\tJPY");
    const detail = "The version parameter you have specified is invalid. The latest version for this report is 1_1.";
    return Response.json({ errors: [{ detail }] }, { status: 400 });
  }, (store) => all(store.sales(["2026-09-01", "2026-09-02"])));
  assert.deepEqual([days.length, versions], [2, [null, "1_1", "1_1"]]);
});

Deno.test("App Store Connect: the token goes to no other address, whatever a page names as the next", async () => {
  const asked: string[] = [];
  const elsewhere = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    asked.push(request.url);
    return Response.json({ data: [] });
  });
  const next = `http://127.0.0.1:${elsewhere.addr.port}/v1/apps/7/customerReviews`;
  try {
    await connected(() => Response.json({ data: [], links: { next } }), async (store) => {
      await assert.rejects(all(store.reviews(null, null)), isUnreadable);
      await assert.rejects(all(store.reviews(next, null)), isUnreadable);
    });
  } finally {
    await elsewhere.shutdown();
  }
  assert.deepEqual(asked, []);
});

Deno.test("App Store Connect: a page that is not there any more begins the list anew; reading ends at what is known", async () => {
  const review = (id: string, createdDate: string) => ({
    id,
    attributes: { rating: 5, title: "", body: "Good", createdDate },
  });
  const answer = (url: string) => (request: Request) => {
    const cursor = new URL(request.url).searchParams.get("cursor");
    if (cursor === "old") return Response.json({ errors: [{ detail: "The cursor is not valid." }] }, { status: 400 });
    const page = Number(cursor ?? 1);
    return Response.json({
      data: [review(`review-${page}`, `2026-0${9 - page}-01T00:00:00Z`)],
      links: { next: `${url}/v1/apps/7/customerReviews?cursor=${page + 1}` },
    });
  };
  let here = "";
  const pages = await connected((request) => answer(here)(request), (store, url) => {
    here = url;
    return all(store.reviews(`${url}/v1/apps/7/customerReviews?cursor=old`, "2026-07-15T00:00:00Z"));
  });
  assert.deepEqual(pages.map(({ rows, next }) => [rows[0]!.review_id, next === null]), [["review-1", false], [
    "review-2",
    true,
  ]]);
});
