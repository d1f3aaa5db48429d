// What the stores report: App Store Connect (sales, reviews, analytics), the reviews of androidpublisher, the Play Developer
// Reporting API and the bucket of Google Play's reports, as strict as the originals, with books of their own (store_books.ts).
//
//   GET  /control/store-reports?books=sales|reviews|metrics
//            {today, requests: {path: times}, most_at_once: {store: requests}, books: rows in plain numbers, in minor units}
//   POST /control/store-reports {reset?: true, seed?, answers?, drop_columns?, sales?, edit_review?, not_ready?, analytics?,
//            quota_left?, latency_ms?, revoke_tokens?}
//   reset          the books of the seed, nothing scripted, nothing counted
//   answers        [{path, times?, status, headers?, body?, html?, delay_ms?, drop?}]: the first whose path is in that of a
//                  request answers in the interface's place
//   drop_columns   {report: names}: reports app_store_sales, play_sales, installs, ratings, and those of analytics by name
//   sales          [{store, day, sku, country, currency, units, amount}]: further lines of the books, refunds below zero
//   edit_review    {store, id, rating, body}: its author changes it now
//   not_ready      days of the App Store whose report is not there yet
//   analytics      active | none | stopped: the request of analytics that exists
//   quota_left     what X-Rate-Limit says is left of the hour
import { exportPKCS8 } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { jwtVerify } from "jose/jwt/verify";
import { z } from "zod";
import { BUNDLE_ID } from "./app_store.ts";
import type { GoogleAccounts } from "./google.ts";
import { brokenOff, GooglePlay } from "./google_play.ts";
import { type BookReview, dayBefore, digitsOf, type Sale, StoreBooks } from "./store_books.ts";
import { type Bytes, csv, decimal, gzip, utf16, without, zip } from "./store_files.ts";

const ISSUER = "57246542-96fe-1a63-e053-0824d011072a";
const KEY_ID = "STANDIN2X9";
const VENDOR = "85000001";
const APP_ID = "1500000001";
const BUCKET = "pubsite_prod_stand-in";
const SEED = "store reports";
const LONGEST_TOKEN_SECONDS = 20 * 60;
const LARGEST_PAGE = 200;
/** Of the bucket: fewer than Google's 1,000, so that there are pages. */
const OBJECTS_A_PAGE = 3;

const ANALYTICS = ["App Downloads Standard", "App Store Installation and Deletion Standard", "App Crashes"];

const SaleOfBooks = z.strictObject({
  store: z.enum(["ios_store", "android_store"]),
  day: z.iso.date(),
  sku: z.string(),
  country: z.string(),
  currency: z.string(),
  units: z.int(),
  amount: z.int(),
});
const ScriptedAnswer = z.strictObject({
  path: z.string(),
  times: z.int().min(1).optional(),
  status: z.int().min(200).max(599),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  html: z.boolean().optional(),
  delay_ms: z.int().min(0).optional(),
  drop: z.boolean().optional(),
});
const Control = z.strictObject({
  reset: z.literal(true).optional(),
  seed: z.string().optional(),
  answers: z.array(ScriptedAnswer).optional(),
  drop_columns: z.record(z.string(), z.array(z.string())).optional(),
  sales: z.array(SaleOfBooks).optional(),
  edit_review: z.strictObject({
    store: z.enum(["ios_store", "android_store"]),
    id: z.string(),
    rating: z.int().min(1).max(5),
    body: z.string(),
  }).optional(),
  not_ready: z.array(z.iso.date()).optional(),
  analytics: z.enum(["active", "none", "stopped"]).optional(),
  quota_left: z.int().min(0).optional(),
  latency_ms: z.int().min(0).optional(),
  revoke_tokens: z.boolean().optional(),
});

interface Scripted {
  readonly answer: z.output<typeof ScriptedAnswer>;
  left: number;
}

type Rows = readonly (readonly string[])[];

export class StoreReports {
  #books = new StoreBooks(SEED);
  #scripted: Scripted[] = [];
  #dropped: Readonly<Record<string, readonly string[]>> = {};
  #notReady: readonly string[] = [];
  #analytics: "active" | "none" | "stopped" = "active";
  #quotaLeft = 3400;
  #latencyMs = 0;
  #requests = new Map<string, number>();
  #atOnce = { apple: 0, google: 0 };
  #mostAtOnce = { apple: 0, google: 0 };

  private constructor(
    readonly accounts: GoogleAccounts,
    readonly url: string,
    readonly publicKey: Awaited<ReturnType<typeof generateKeyPair>>["publicKey"],
    readonly privateKey: string,
  ) {}

  /** `url`: where the stand-ins are, for addresses that App Store Connect gives. */
  static async make(accounts: GoogleAccounts, url: string): Promise<StoreReports> {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    return new StoreReports(accounts, url, publicKey, await exportPKCS8(privateKey));
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      APP_STORE_CONNECT_ISSUER_ID: ISSUER,
      APP_STORE_CONNECT_KEY_ID: KEY_ID,
      APP_STORE_CONNECT_PRIVATE_KEY: this.privateKey,
      APP_STORE_CONNECT_VENDOR_NUMBER: VENDOR,
      APP_STORE_CONNECT_API_URL: `${this.url}/app-store-connect`,
      PLAY_REPORTING_API_URL: `${this.url}/play-reporting`,
      PLAY_STORAGE_API_URL: `${this.url}/play-storage`,
      PLAY_REPORTS_BUCKET: BUCKET,
    };
  }

  async control(request: Request): Promise<Response> {
    if (request.method === "GET") return Response.json(this.#shown(new URL(request.url).searchParams.get("books")));
    const parsed = Control.safeParse(await request.json().catch(() => null));
    if (request.method !== "POST" || !parsed.success) return new Response(parsed.error?.message, { status: 400 });
    const { reset, seed, answers, drop_columns, sales, edit_review, not_ready, analytics, quota_left, latency_ms } =
      parsed.data;
    if (reset || seed !== undefined) {
      this.#books = new StoreBooks(seed ?? SEED);
      this.#scripted = [];
      this.#dropped = {};
      this.#notReady = [];
      this.#analytics = "active";
      this.#quotaLeft = 3400;
      this.#latencyMs = 0;
      this.#requests.clear();
      this.#mostAtOnce = { apple: 0, google: 0 };
    }
    if (answers) this.#scripted = answers.map((answer) => ({ answer, left: answer.times ?? Infinity }));
    if (drop_columns) this.#dropped = drop_columns;
    for (const sale of sales ?? []) {
      const type = sale.store === "ios_store" ? "IAY" : "subscription";
      this.#books.sales.push({
        ...sale,
        title: sale.sku,
        type,
        proceeds: 0,
        proceedsCurrency: sale.currency,
        device: "iPhone",
      });
    }
    if (edit_review) {
      const review = this.#books.reviews.find(({ store, id }) => store === edit_review.store && id === edit_review.id);
      if (review === undefined) return new Response("There is no such review", { status: 404 });
      Object.assign(review, {
        rating: edit_review.rating,
        body: edit_review.body,
        changedAt: Math.floor(Date.now() / 1000) * 1000,
      });
    }
    if (not_ready) this.#notReady = not_ready;
    if (analytics) this.#analytics = analytics;
    if (quota_left !== undefined) this.#quotaLeft = quota_left;
    if (latency_ms !== undefined) this.#latencyMs = latency_ms;
    if (parsed.data.revoke_tokens) this.accounts.revoke();
    return new Response(null, { status: 204 });
  }

  #shown(books: string | null) {
    const { sales, reviews, metrics, today } = { ...this.#books, sales: this.#books.sums(), today: this.#books.today };
    const shown = books === "sales" ? sales : books === "reviews" ? reviews : books === "metrics" ? metrics : null;
    return {
      today,
      requests: Object.fromEntries(this.#requests),
      most_at_once: { ios_store: this.#mostAtOnce.apple, android_store: this.#mostAtOnce.google },
      books: shown,
    };
  }

  /** Counts a request, lets a script answer in the interface's place, and else the interface. */
  async #received(
    request: Request,
    store: "apple" | "google",
    answer: () => Response | Promise<Response>,
  ): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.#requests.set(pathname, (this.#requests.get(pathname) ?? 0) + 1);
    this.#mostAtOnce[store] = Math.max(this.#mostAtOnce[store], ++this.#atOnce[store]);
    try {
      if (this.#latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#latencyMs));
      const script = this.#scripted.find((one) => one.left > 0 && request.url.includes(one.answer.path));
      if (script === undefined) return await answer();
      script.left--;
      const { status, headers = {}, body, html, delay_ms, drop } = script.answer;
      if (delay_ms) await new Promise((resolve) => setTimeout(resolve, delay_ms));
      if (drop) return new Response(brokenOff(), { status });
      if (html) return new Response("<html></html>", { status, headers: { ...headers, "content-type": "text/html" } });
      return body === undefined ? new Response(null, { status, headers }) : Response.json(body, { status, headers });
    } finally {
      this.#atOnce[store]--;
    }
  }

  // ---------------------------------------------------------------------------------------------------------------------
  // App Store Connect
  // ---------------------------------------------------------------------------------------------------------------------

  connect(request: Request, path: string): Promise<Response> {
    return this.#received(request, "apple", async () => {
      if (!await this.#hasToken(request)) {
        return connectError(401, "NOT_AUTHORIZED", "Provide a properly configured and signed bearer token.");
      }
      const answer = await this.#connect(request, path, new URL(request.url).searchParams);
      answer.headers.set("x-rate-limit", `user-hour-lim:3500;user-hour-rem:${this.#quotaLeft};`);
      return answer;
    });
  }

  async #hasToken(request: Request): Promise<boolean> {
    const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    try {
      const { payload, protectedHeader } = await jwtVerify(token ?? "", this.publicKey, {
        algorithms: ["ES256"],
        issuer: ISSUER,
        audience: "appstoreconnect-v1",
        requiredClaims: ["iat", "exp"],
      });
      const { kid, typ } = protectedHeader;
      return kid === KEY_ID && typ === "JWT" && payload.exp! - payload.iat! <= LONGEST_TOKEN_SECONDS;
    } catch {
      return false;
    }
  }

  async #connect(request: Request, path: string, query: URLSearchParams): Promise<Response> {
    if (path === "/v1/analyticsReportRequests" && request.method === "POST") {
      return await this.#requestAnalytics(request);
    }
    if (request.method !== "GET") return connectError(405, "METHOD_NOT_ALLOWED", "The method is not allowed.");
    if (path === "/v1/salesReports") return await this.#salesReport(request, query);
    const limit = Number(query.get("limit") ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE) {
      return connectError(400, "PARAMETER_ERROR.INVALID", "A limit is between 1 and 200.");
    }
    const list = (all: readonly unknown[], included?: (page: readonly never[]) => unknown[]) =>
      this.#listing(path, query, limit, all, included);
    if (path === "/v1/apps") {
      return list(
        query.get("filter[bundleId]") === BUNDLE_ID
          ? [{ type: "apps", id: APP_ID, attributes: { bundleId: BUNDLE_ID, sku: "PARKING" } }]
          : [],
      );
    }
    if (path === `/v1/apps/${APP_ID}/customerReviews`) return this.#customerReviews(query, list);
    if (path === `/v1/apps/${APP_ID}/analyticsReportRequests`) {
      const attributes = { accessType: "ONGOING", stoppedDueToInactivity: this.#analytics === "stopped" };
      return list(this.#analytics === "none" ? [] : [{ type: "analyticsReportRequests", id: "request-1", attributes }]);
    }
    if (path === "/v1/analyticsReportRequests/request-1/reports") {
      return list(
        ANALYTICS.map((name, n) => ({ type: "analyticsReports", id: `r${n}-request-1`, attributes: { name } })),
      );
    }
    const report = /^\/v1\/analyticsReports\/r(\d)-request-1\/instances$/.exec(path)?.[1];
    if (report !== undefined) {
      return list(query.get("filter[granularity]") === "DAILY" ? this.#instances(Number(report)) : []);
    }
    const [, of, day] = /^\/v1\/analyticsReportInstances\/r(\d)-([\d-]{10})\/segments$/.exec(path) ?? [];
    if (of !== undefined) return list(await this.#segments(Number(of), day!));
    return connectError(404, "NOT_FOUND", "The specified resource does not exist.");
  }

  #listing(
    path: string,
    query: URLSearchParams,
    limit: number,
    all: readonly unknown[],
    included?: (page: readonly never[]) => unknown[],
  ): Response {
    const cursor = query.get("cursor");
    if (cursor !== null && !/^\d+$/.test(cursor)) {
      return connectError(400, "PARAMETER_ERROR.INVALID", "The cursor is not valid.");
    }
    const from = Number(cursor ?? 0);
    const data = all.slice(from, from + limit);
    const next = new URLSearchParams(query);
    next.set("cursor", String(from + limit));
    const here = `${this.url}/app-store-connect${path}`;
    return Response.json({
      data,
      ...(included ? { included: included(data as never[]) } : {}),
      links: { self: `${here}?${query}`, ...(from + limit < all.length ? { next: `${here}?${next}` } : {}) },
      meta: { paging: { total: all.length, limit } },
    });
  }

  async #salesReport(request: Request, query: URLSearchParams): Promise<Response> {
    if (request.headers.get("accept") !== "application/a-gzip") {
      return connectError(
        406,
        "NOT_ACCEPTABLE",
        "The provided Accept header is not supported. Allowed: application/a-gzip",
      );
    }
    const wanted = { vendorNumber: VENDOR, reportType: "SALES", reportSubType: "SUMMARY", frequency: "DAILY" };
    for (const [name, value] of Object.entries(wanted)) {
      if (query.get(`filter[${name}]`) !== value) {
        return connectError(400, "PARAMETER_ERROR.INVALID", `filter[${name}] is not valid.`);
      }
    }
    if (
      [...query.keys()].some((name) =>
        !/^filter\[(vendorNumber|reportType|reportSubType|frequency|reportDate|version)\]$/.test(name)
      )
    ) {
      return connectError(400, "PARAMETER_ERROR.ILLEGAL", "There is a parameter that is not allowed.");
    }
    const day = query.get("filter[reportDate]") ?? "";
    if (!/^\d{4}-\d\d-\d\d$/.test(day)) {
      return connectError(400, "PARAMETER_ERROR.INVALID", "filter[reportDate] is not valid.");
    }
    if (day >= this.#books.today || this.#notReady.includes(day)) {
      return connectError(
        404,
        "NOT_FOUND",
        "Report is not available yet. Daily reports for the Americas are available by 5 am Pacific Time.",
      );
    }
    const sales = this.#books.sales.filter((sale) => sale.store === "ios_store" && sale.day === day);
    if (sales.length === 0) return connectError(404, "NOT_FOUND", "There were no sales for the date specified.");
    const rows = this.#dropping("app_store_sales", appStoreRows(sales));
    const file = await gzip(rows.map((row) => `${row.join("\t")}\n`).join(""));
    return new Response(file, { headers: { "content-type": "application/a-gzip" } });
  }

  #customerReviews(
    query: URLSearchParams,
    list: (all: readonly unknown[], included: (page: readonly never[]) => unknown[]) => Response,
  ): Response {
    const sort = query.get("sort");
    if (sort !== null && !/^-?(createdDate|rating)$/.test(sort)) {
      return connectError(400, "PARAMETER_ERROR.INVALID", "The sort is not valid.");
    }
    const isAnswered = query.get("include") === "response";
    const reviews = this.#books.reviews.filter(({ store }) => store === "ios_store").sort((one, other) =>
      other.createdAt - one.createdAt
    );
    const answerOf = (id: string) => `response-${id}`;
    return list(
      reviews.map(({ id, rating, title, body, author, territory, createdAt, response }) => ({
        type: "customerReviews",
        id,
        attributes: {
          rating,
          title,
          body,
          reviewerNickname: author,
          createdDate: new Date(createdAt).toISOString(),
          territory,
        },
        relationships: {
          response: { data: response && isAnswered ? { type: "customerReviewResponses", id: answerOf(id) } : null },
        },
      })),
      (page: readonly { id: string }[]) =>
        reviews.filter(({ id, response }) => isAnswered && response && page.some((one) => one.id === id)).map((
          { id, response, createdAt },
        ) => ({
          type: "customerReviewResponses",
          id: answerOf(id),
          attributes: {
            responseBody: response,
            lastModifiedDate: new Date(createdAt + 86_400_000).toISOString(),
            state: "PUBLISHED",
          },
        })),
    );
  }

  async #requestAnalytics(request: Request): Promise<Response> {
    const body = await request.json().catch(() => null);
    const { type, attributes, relationships } = body?.data ?? {};
    if (
      type !== "analyticsReportRequests" || attributes?.accessType !== "ONGOING" ||
      relationships?.app?.data?.id !== APP_ID
    ) {
      return connectError(422, "ENTITY_ERROR", "The request entity is not valid.");
    }
    if (this.#analytics === "active") return connectError(409, "STATE_ERROR", "There is a request already.");
    this.#analytics = "active";
    return Response.json({ data: { type, id: "request-1", attributes } }, { status: 201 });
  }

  /** Each day's instance has the two days before it: one that is final, and one that the next instance corrects. */
  #instances(report: number) {
    const { today } = this.#books;
    return Array.from({ length: 30 }, (_, back) => dayBefore(today, back)).map((day) => ({
      type: "analyticsReportInstances",
      id: `r${report}-${day}`,
      attributes: { granularity: "DAILY", processingDate: day },
    }));
  }

  async #segments(report: number, day: string) {
    return await Promise.all([0, 1].map(async (part) => ({
      type: "analyticsReportSegments",
      id: `r${report}-${day}-${part}`,
      attributes: {
        sizeInBytes: (await this.#segmentFile(report, day, part)).length,
        url: `${this.url}/analytics-segments/r${report}-${day}-${part}?Signature=stand-in`,
      },
    })));
  }

  segment(request: Request, path: string): Promise<Response> {
    return this.#received(request, "apple", async () => {
      const [, report, day, part] = /^\/r(\d)-([\d-]{10})-(\d)$/.exec(path) ?? [];
      // An address that is signed itself refuses a second kind of authorization.
      const isSigned = new URL(request.url).searchParams.get("Signature") === "stand-in" &&
        !request.headers.has("authorization");
      if (report === undefined || !isSigned) {
        return new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 });
      }
      return new Response(await this.#segmentFile(Number(report), day!, Number(part)));
    });
  }

  /** One segment has the iPhones and one the iPads; the latest day is half of what it will be. */
  #segmentFile(report: number, processingDay: string, part: number): Promise<Bytes> {
    const kinds: readonly (readonly [metric: string, columns: readonly string[]])[][] = [
      [["first_time_downloads", ["First-time download"]], ["redownloads", ["Redownload"]], ["updates", [
        "Auto-update",
      ]]],
      [["installs", ["Install", "First-time download"]], ["uninstalls", ["Delete", ""]]],
      [["crashes", []]],
    ];
    const headers = [["Download Type", "Counts"], ["Event", "Download Type", "Counts"], ["Crashes"]];
    const rows = [["Date", "App Name", "App Apple Identifier", "Device", ...headers[report]!]];
    for (const back of [1, 2]) {
      const date = dayBefore(processingDay, back);
      for (const [metric, columns] of kinds[report]!) {
        const final = this.#books.metrics.find((one) =>
          one.store === "ios_store" && one.day === date && one.metric === metric
        );
        if (final === undefined) continue;
        // The latest instance of all is final here: nothing comes after it.
        const value = back === 1 && processingDay !== this.#books.today ? Math.floor(final.value / 2) : final.value;
        const share = part === 0 ? Math.floor(value / 3) : value - Math.floor(value / 3);
        if (share > 0) rows.push([date, "Parking", APP_ID, part === 0 ? "iPhone" : "iPad", ...columns, String(share)]);
      }
    }
    return gzip(this.#dropping(ANALYTICS[report]!, rows).map((row) => `${row.join("\t")}\n`).join(""));
  }

  // ---------------------------------------------------------------------------------------------------------------------
  // Google Play
  // ---------------------------------------------------------------------------------------------------------------------

  /** androidpublisher v3: reviews. */
  publisher(request: Request, path: string): Promise<Response> {
    return this.#received(request, "google", () => {
      const refused = this.#googleRejection(request, "androidpublisher");
      if (refused) return refused;
      if (path !== `/androidpublisher/v3/applications/${GooglePlay.PACKAGE}/reviews`) {
        return googleError(404, "Package not found.");
      }
      const query = new URL(request.url).searchParams;
      const most = Number(query.get("maxResults") ?? 10);
      const token = query.get("token");
      if (!(most >= 1 && most <= 100) || (token !== null && !/^page-\d+$/.test(token))) {
        return googleError(400, "Invalid Value");
      }
      const from = Number(token?.slice("page-".length) ?? 0);
      const weekAgo = Date.now() - 7 * 86_400_000;
      const reviews = this.#books.reviews.filter(({ store, changedAt }) =>
        store === "android_store" && changedAt > weekAgo
      )
        .sort((one, other) => other.changedAt - one.changedAt);
      const page = reviews.slice(from, from + most);
      return Response.json({
        ...(page.length > 0 ? { reviews: page.map(playReview) } : {}),
        pageInfo: { totalResults: reviews.length, resultPerPage: most, startIndex: from },
        ...(from + most < reviews.length ? { tokenPagination: { nextPageToken: `page-${from + most}` } } : {}),
      });
    });
  }

  /** Play Developer Reporting API v1beta1: crash and ANR rates. */
  reporting(request: Request, path: string): Promise<Response> {
    return this.#received(request, "google", async () => {
      const refused = this.#googleRejection(request, "playdeveloperreporting");
      if (refused) return refused;
      const [, app, set, verb] = /^\/v1beta1\/apps\/([^/]+)\/(crash|anr)RateMetricSet(:query)?$/.exec(path) ?? [];
      if (app !== GooglePlay.PACKAGE) return googleError(403, "The caller does not have permission");
      const end = dayBefore(this.#books.today, 1);
      if (verb === undefined) {
        return Response.json({
          name: path.slice("/v1beta1/".length),
          freshnessInfo: {
            freshnesses: [{
              aggregationPeriod: "DAILY",
              latestEndTime: { ...googleDay(end), timeZone: { id: "America/Los_Angeles" } },
            }],
          },
        });
      }
      const body = await request.json().catch(() => null);
      const { timelineSpec: spec, metrics, pageSize = 1000, pageToken = "0" } = body ?? {};
      const known = [`${set}Rate`, `userPerceived${set === "crash" ? "Crash" : "Anr"}Rate`];
      const isKnown = Array.isArray(metrics) && metrics.length > 0 &&
        metrics.every((metric: string) => known.includes(metric));
      const isInLosAngeles = [spec?.startTime, spec?.endTime].every((time) =>
        time?.timeZone?.id === "America/Los_Angeles"
      );
      if (request.method !== "POST" || spec?.aggregationPeriod !== "DAILY" || !isInLosAngeles || !isKnown) {
        return googleError(400, "Request contains an invalid argument.");
      }
      const days = this.#books.metrics.filter(({ store, metric, day }) =>
        store === "android_store" && metric === `${set}_rate` && day >= isoDay(spec.startTime) &&
        day < isoDay(spec.endTime)
      );
      // Fewer than asked for, as the original may: so that there are pages.
      const [from, most] = [Number(pageToken), Math.min(pageSize, 40)];
      const rows = days.slice(from, from + most).map(({ day }) => ({
        aggregationPeriod: "DAILY",
        startTime: googleDay(day),
        metrics: metrics.map((metric: string) => ({ metric, decimalValue: { value: this.#rate(day, metric) } })),
      }));
      return Response.json({ rows, ...(from + most < days.length ? { nextPageToken: String(from + most) } : {}) });
    });
  }

  #rate(day: string, metric: string): string {
    const name = metric.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const found = this.#books.metrics.find((one) =>
      one.store === "android_store" && one.day === day && one.metric === name
    );
    return String(found!.value);
  }

  /** The bucket, by Google Cloud Storage's JSON interface. */
  storage(request: Request, path: string): Promise<Response> {
    return this.#received(request, "google", async () => {
      const refused = this.#googleRejection(request, "devstorage.read_only");
      if (refused) return refused;
      const { searchParams: query } = new URL(request.url);
      const root = `/storage/v1/b/${BUCKET}/o`;
      const names = this.#objects();
      if (path === root) {
        const found = names.filter((name) => name.startsWith(query.get("prefix") ?? ""));
        const from = Number(query.get("pageToken") ?? 0);
        return Response.json({
          kind: "storage#objects",
          items: found.slice(from, from + OBJECTS_A_PAGE).map((name) => ({
            name,
            updated: `${this.#books.today}T04:00:00.000Z`,
          })),
          ...(from + OBJECTS_A_PAGE < found.length ? { nextPageToken: String(from + OBJECTS_A_PAGE) } : {}),
        });
      }
      const name = decodeURIComponent(path.slice(root.length + 1));
      if (!path.startsWith(`${root}/`) || path.slice(root.length + 1).includes("/") || !names.includes(name)) {
        return googleError(404, "Not Found");
      }
      if (query.get("alt") !== "media") return Response.json({ name });
      return new Response(await this.#object(name));
    });
  }

  #months(): string[] {
    const { today } = this.#books;
    return [
      ...new Set(Array.from({ length: 90 }, (_, back) => dayBefore(today, 90 - back).slice(0, 7).replace("-", ""))),
    ];
  }

  #objects(): string[] {
    const app = GooglePlay.PACKAGE;
    return this.#months().flatMap((month) => [
      `sales/salesreport_${month}.zip`,
      `stats/installs/installs_${app}_${month}_country.csv`,
      `stats/installs/installs_${app}_${month}_overview.csv`,
      `stats/ratings/ratings_${app}_${month}_overview.csv`,
    ]).sort();
  }

  #object(name: string): Bytes | Promise<Bytes> {
    const month = /_(\d{6})[._]/.exec(name)![1]!;
    const isInMonth = (day: string) => day.slice(0, 7).replace("-", "") === month;
    if (name.startsWith("sales/")) {
      const sales = this.#books.sales.filter(({ store, day }) => store === "android_store" && isInMonth(day));
      return zip(`salesreport_${month}.csv`, csv(this.#dropping("play_sales", playRows(sales))));
    }
    const kind = name.startsWith("stats/installs/") ? "installs" : "ratings";
    const metricOf = (day: string, metric: string) =>
      this.#books.metrics.find((one) => one.store === "android_store" && one.day === day && one.metric === metric)
        ?.value;
    const days = [...new Set(this.#books.metrics.map(({ day }) => day))].filter(isInMonth);
    const rows = kind === "installs"
      ? [
        [
          "Date",
          "Package Name",
          "Daily Device Installs",
          "Daily User Installs",
          "Daily User Uninstalls",
          "Active Device Installs",
          "Install events",
        ],
        ...days.map((day) => {
          const [installs, uninstalls, active] = ["installs", "uninstalls", "active_devices"].map((metric) =>
            decimal(metricOf(day, metric)!, 0, true)
          );
          return [day, GooglePlay.PACKAGE, "7", installs!, uninstalls!, active!, "7"];
        }),
      ]
      : [
        ["Date", "Package Name", "Daily Average Rating", "Total Average Rating"],
        ...days.map((
          day,
        ) => [
          day,
          GooglePlay.PACKAGE,
          String(metricOf(day, "daily_average_rating") ?? "NA"),
          String(metricOf(day, "average_rating")),
        ]),
      ];
    return utf16(csv(this.#dropping(kind, rows)));
  }

  #googleRejection(request: Request, scope: string): Response | undefined {
    const access = this.accounts.accepts(request, [`https://www.googleapis.com/auth/${scope}`]);
    if (access === "unauthenticated") return googleError(401, "Request had invalid authentication credentials.");
    return access === "forbidden" ? googleError(403, "Request had insufficient authentication scopes.") : undefined;
  }

  #dropping(report: string, rows: Rows): Rows {
    return without(new Set(this.#dropped[report]), rows);
  }
}

function connectError(status: number, code: string, detail: string): Response {
  return Response.json({ errors: [{ id: crypto.randomUUID(), status: String(status), code, title: code, detail }] }, {
    status,
  });
}

function googleError(code: number, message: string): Response {
  return Response.json({ error: { code, message, errors: [{ message, domain: "global", reason: "error" }] } }, {
    status: code,
  });
}

const googleDay = (day: string) => {
  const [year, month, date] = day.split("-").map(Number);
  return { year, month, day: date };
};

const isoDay = ({ year, month, day }: { year: number; month: number; day: number }) =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

/** The summary of a day. Price and proceeds are of one unit; the price of a refund has a minus as well as its units. */
function appStoreRows(sales: readonly Sale[]): string[][] {
  const header =
    "Provider,Provider Country,SKU,Developer,Title,Version,Product Type Identifier,Units,Developer Proceeds,Begin Date," +
    "End Date,Customer Currency,Country Code,Currency of Proceeds,Apple Identifier,Customer Price,Promo Code,Parent Identifier," +
    "Subscription,Period,Category,CMB,Device,Supported Platforms,Proceeds Reason,Preserved Pricing,Client,Order Type";
  return [
    header.split(","),
    ...sales.map(({ sku, title, type, day, country, currency, units, amount, proceeds, proceedsCurrency, device }) => {
      const [year, month, date] = day.split("-");
      const begin = `${month}/${date}/${year}`;
      const price = units === 0 ? 0 : amount / units;
      return [
        "APPLE",
        "US",
        sku,
        "Stand-in",
        title,
        "",
        type,
        String(units),
        decimal(units === 0 ? 0 : proceeds / units, digitsOf(proceedsCurrency)),
        begin,
        begin,
        currency,
        country,
        proceedsCurrency,
        sku === "PARKING" ? APP_ID : "1500000002",
        decimal(units < 0 ? -price : price, digitsOf(currency)),
        " ",
        sku === "PARKING" ? " " : "PARKING",
        type === "IAY" ? "Renewal" : " ",
        type === "IAY" ? "1 Month" : " ",
        "Navigation",
        " ",
        device,
        "iOS",
        " ",
        " ",
        " ",
        " ",
      ];
    }),
  ];
}

/** An order a row. Amounts of a thousand and more have commas, those of refunds a minus. */
function playRows(sales: readonly Sale[]): string[][] {
  const header =
    "Order Number,Order Charged Date,Order Charged Timestamp,Financial Status,Device Model,Product Title,Product ID,Product Type," +
    "SKU ID,Currency of Sale,Item Price,Taxes Collected,Charged Amount,City of Buyer,State of Buyer,Postal Code of Buyer,Country of Buyer," +
    "Base Plan ID,Offer ID";
  return [
    header.split(","),
    ...sales.map(({ day, sku, title, type, country, currency, units, amount, isForeign }, n) => {
      const status = amount >= 0 ? "Charged" : units === 0 ? "Partial refund" : "Refund";
      const text = decimal(amount, digitsOf(currency), true);
      return [
        `GPA.0000-0000-0000-${String(n).padStart(5, "0")}`,
        day,
        String(Date.parse(`${day}T03:00:00Z`) / 1000),
        status,
        "pixel",
        `${title} (Parking)`,
        isForeign ? "jp.example.other" : GooglePlay.PACKAGE,
        type,
        sku,
        currency,
        text,
        "0",
        text,
        "",
        "",
        "",
        country,
        "",
        "",
      ];
    }),
  ];
}

function playReview({ id, author, title, body, rating, language, changedAt, response }: BookReview) {
  const lastModified = (at: number) => ({ seconds: String(Math.floor(at / 1000)), nanos: 0 });
  return {
    reviewId: id,
    authorName: author,
    comments: [
      {
        userComment: {
          text: title === "" ? body : `${title}\t${body}`,
          lastModified: lastModified(changedAt),
          starRating: rating,
          reviewerLanguage: language,
          appVersionName: "1.2.0",
        },
      },
      ...(response === null
        ? []
        : [{ developerComment: { text: response, lastModified: lastModified(changedAt + 3_600_000) } }]),
    ],
  };
}
