/** App Store Connect: sales reports, customer reviews and analytics. Each needs a team key with its role. */
import type { AppStoreConnectConfig } from "../provider_settings.ts";
import { ProviderDown, Refused } from "./calls/errors.ts";
import type { Answer } from "./calls/request.ts";
import { appleTokens } from "./calls/tokens.ts";
import { absolute, codeOf, gunzipped, millionths, SalesSums, tabbed, Table, whole } from "./report_files.ts";
import {
  errorMessageOf,
  type MetricReport,
  type MetricRow,
  ReportClient,
  type ReviewPage,
  type ReviewRow,
  type SalesDay,
  type SalesRow,
  storableText,
  type StoreReports,
} from "./store_reports.ts";

/** Part of the hourly quota is left for other users of the same key. */
const RESERVED_REQUESTS = 20;
const QUOTA_WAIT_SECONDS = 600;
const PAGE = 200;
/** How far back analytics instances are read. */
const INSTANCE_DAYS = 100;

interface Resource {
  readonly id: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: { readonly response?: { readonly data?: { readonly id: string } | null } };
}

interface Listing {
  readonly data: readonly Resource[];
  readonly included?: readonly Resource[];
  readonly links?: { readonly next?: string };
}

/** The columns of an analytics report to read, and the weight of a row. */
interface Analytics {
  readonly name: string;
  readonly metrics: readonly string[];
  readonly columns: Readonly<Record<string, readonly string[]>>;
  metricOf(row: ReadonlyMap<string, string>): string | undefined;
}

const ANALYTICS: readonly Analytics[] = [
  {
    name: "App Downloads Standard",
    metrics: ["first_time_downloads", "redownloads", "updates"],
    columns: { date: ["Date"], kind: ["Download Type"], count: ["Counts"] },
    metricOf(row) {
      const kind = row.get("kind")!.toLowerCase();
      if (kind.startsWith("first")) return "first_time_downloads";
      if (/^re-?download/.test(kind)) return "redownloads";
      return kind.includes("update") ? "updates" : undefined;
    },
  },
  {
    name: "App Store Installation and Deletion Standard",
    metrics: ["installs", "uninstalls"],
    columns: { date: ["Date"], kind: ["Event"], count: ["Counts"] },
    metricOf(row) {
      const kind = row.get("kind")!.toLowerCase();
      return kind.startsWith("install") ? "installs" : kind.startsWith("delet") ? "uninstalls" : undefined;
    },
  },
  {
    name: "App Crashes",
    metrics: ["crashes"],
    columns: { date: ["Date"], count: ["Crashes"] },
    metricOf: () => "crashes",
  },
];

export class AppStoreConnect implements StoreReports {
  readonly #config: AppStoreConnectConfig;
  readonly #client: ReportClient;
  /** Segment URLs are presigned. */
  readonly #segments = new ReportClient("The address of an analytics segment", null);
  #app: string | undefined;
  #version: string | undefined;
  #isQuotaUsed = false;

  constructor(config: AppStoreConnectConfig) {
    this.#config = config;
    this.#client = new ReportClient("App Store Connect", appleTokens(config));
  }

  async *sales(days: readonly string[]): AsyncGenerator<SalesDay> {
    for (const day of days) {
      const answer = await this.#report(day);
      if (answer.status === 404) {
        const reason = errorMessageOf(answer);
        if (/not available/i.test(reason)) continue;
        if (!/no sales/i.test(reason)) throw this.#client.rejection(answer);
        yield { day, rows: [], rowsRead: 0 };
        continue;
      }
      if (answer.status !== 200) throw this.#client.rejection(answer);
      yield { day, ...salesOf(day, await gunzipped(answer.bytes)) };
    }
  }

  async *reviews(page: string | null, until: string | null): AsyncGenerator<ReviewPage> {
    const app = await this.#appId();
    const first = `${this.#config.url}/v1/apps/${app}/customerReviews?sort=-createdDate&limit=${PAGE}&include=response`;
    let url: string | null = page === null ? first : this.#requireOwnUrl(page);
    let isFirst = true;
    while (url !== null) {
      const answer: Answer = await this.#ask(url);
      // The page of an earlier run may no longer exist.
      const isGone = answer.status === 400 && page !== null && isFirst;
      isFirst = false;
      if (isGone) {
        url = first;
        continue;
      }
      const listing: Listing = this.#client.read<Listing>(answer);
      const rows = listing.data.map((review) => reviewOf(review, listing.included ?? []));
      const isPast = until !== null && rows.every(({ reviewed_at }) => Date.parse(reviewed_at) < Date.parse(until));
      const next: string | null = listing.links?.next && !isPast ? this.#requireOwnUrl(listing.links.next) : null;
      yield { rows, next };
      url = next;
    }
  }

  async *metrics(parts: ReadonlySet<string>): AsyncGenerator<MetricReport> {
    const request = await this.#analyticsRequest();
    if (request === undefined) return;
    const reports = await this.#all(`/v1/analyticsReportRequests/${request}/reports?limit=${PAGE}`);
    if (reports.length === 0) return;
    const earliest = new Date(Date.now() - INSTANCE_DAYS * 86_400_000).toISOString().slice(0, 10);
    const instances: { readonly id: string; readonly date: string; readonly analytics: Analytics }[] = [];
    for (const analytics of ANALYTICS) {
      const report = reports.find(({ attributes }) => attributes?.["name"] === analytics.name);
      if (report === undefined) {
        throw new Refused("report_missing", `App Store Connect does not offer the report "${analytics.name}".`);
      }
      const found = await this.#all(
        `/v1/analyticsReports/${report.id}/instances?filter[granularity]=DAILY&limit=${PAGE}`,
      );
      for (const { id, attributes } of found) {
        const date = String(attributes?.["processingDate"]);
        if (date >= earliest && !parts.has(`instance/${id}`)) instances.push({ id, date, analytics });
      }
    }
    instances.sort((one, other) => one.date < other.date ? -1 : one.date > other.date ? 1 : 0);
    for (const { id, date, analytics } of instances) {
      const texts: string[] = [];
      for (const { attributes } of await this.#all(`/v1/analyticsReportInstances/${id}/segments?limit=${PAGE}`)) {
        texts.push(await this.#segment(attributes ?? {}));
      }
      yield { part: `instance/${id}`, reportedOn: date, ...countsOf(analytics, texts) };
    }
  }

  async #report(day: string): Promise<Answer> {
    const query = new URLSearchParams({
      "filter[vendorNumber]": this.#config.vendorNumber,
      "filter[reportType]": "SALES",
      "filter[reportSubType]": "SUMMARY",
      "filter[frequency]": "DAILY",
      "filter[reportDate]": day,
      ...(this.#version === undefined ? {} : { "filter[version]": this.#version }),
    });
    const answer = await this.#ask(`${this.#config.url}/v1/salesReports?${query}`, "application/a-gzip");
    if (answer.status !== 400 || this.#version !== undefined) return answer;
    // If a version is required, the error message contains the latest one.
    this.#version = /latest version for this report is (\d+_\d+)/.exec(errorMessageOf(answer))?.[1];
    return this.#version === undefined ? answer : await this.#report(day);
  }

  /**
   * The ongoing report request. It is created if it does not exist. Then its first reports are available after a day or
   * two.
   */
  async #analyticsRequest(): Promise<string | undefined> {
    const app = await this.#appId();
    const requests = await this.#all(
      `/v1/apps/${app}/analyticsReportRequests?filter[accessType]=ONGOING&limit=${PAGE}`,
    );
    const active = requests.find(({ attributes }) => attributes?.["stoppedDueToInactivity"] !== true);
    if (active !== undefined) return active.id;
    const answer = await this.#client.request(`${this.#config.url}/v1/analyticsReportRequests`, {
      method: "POST",
      body: {
        data: {
          type: "analyticsReportRequests",
          attributes: { accessType: "ONGOING" },
          relationships: { app: { data: { type: "apps", id: app } } },
        },
      },
    });
    // Another process has just created it.
    if (answer.status !== 409) this.#client.read(answer);
    return undefined;
  }

  async #segment({ url, sizeInBytes }: Readonly<Record<string, unknown>>): Promise<string> {
    if (typeof url !== "string" || !URL.canParse(url)) {
      throw new Refused("unreadable", "An analytics segment has no address.");
    }
    const answer = await this.#segments.request(url, { accept: "*/*" });
    if (answer.status !== 200) throw this.#segments.rejection(answer);
    if (typeof sizeInBytes === "number" && sizeInBytes !== answer.bytes.length && answer.bytes[0] === 0x1f) {
      throw new ProviderDown("An analytics segment is incomplete.");
    }
    return await gunzipped(answer.bytes);
  }

  async #appId(): Promise<string> {
    const { appId, bundleId, url } = this.#config;
    if (appId !== null) return String(appId);
    if (bundleId === null) {
      throw new Refused("not_configured", "Neither APP_STORE_APP_ID nor APP_STORE_BUNDLE_ID is set.");
    }
    if (this.#app === undefined) {
      const query = new URLSearchParams({ "filter[bundleId]": bundleId, limit: "1" });
      const { data } = this.#client.read<Listing>(await this.#ask(`${url}/v1/apps?${query}`));
      this.#app = data[0]?.id;
    }
    if (this.#app === undefined) throw new Refused("rejected", `App Store Connect has no app ${bundleId}.`);
    return this.#app;
  }

  /** All pages of a list. */
  async #all(path: string): Promise<Resource[]> {
    const resources: Resource[] = [];
    let url: string | undefined = `${this.#config.url}${path}`;
    while (url !== undefined) {
      const listing: Listing = this.#client.read<Listing>(await this.#ask(url));
      resources.push(...listing.data);
      url = listing.links?.next && this.#requireOwnUrl(listing.links.next);
    }
    return resources;
  }

  async #ask(url: string, accept = "application/json"): Promise<Answer> {
    if (this.#isQuotaUsed) {
      this.#isQuotaUsed = false;
      throw new ProviderDown("The hourly request quota of App Store Connect is used up.", {
        why: "rate_limited",
        retryAfter: QUOTA_WAIT_SECONDS,
      });
    }
    const answer = await this.#client.request(url, { accept });
    const left = /user-hour-rem:(\d+)/.exec(answer.headers.get("x-rate-limit") ?? "")?.[1];
    this.#isQuotaUsed = left !== undefined && Number(left) < RESERVED_REQUESTS;
    return answer;
  }

  /** The token is only sent to App Store Connect, even if a page contains another address. */
  #requireOwnUrl(url: string): string {
    if (url.startsWith(`${this.#config.url}/`)) return url;
    throw new Refused("unreadable", "App Store Connect returned a page at another address.");
  }
}

/**
 * Prices and proceeds are per unit. A refund has negative units, and its price can be negative too. The sign of the
 * units is used.
 */
function salesOf(day: string, text: string): { rows: SalesRow[]; rowsRead: number } {
  const { rows } = new Table(`The sales report of ${day}`, tabbed(text), {
    sku: ["SKU"],
    title: ["Title"],
    type: ["Product Type Identifier"],
    units: ["Units"],
    proceeds: ["Developer Proceeds"],
    price: ["Customer Price"],
    currency: ["Customer Currency"],
    country: ["Country Code"],
    proceedsCurrency: ["Currency of Proceeds"],
  });
  const sums = new SalesSums();
  for (const row of rows) {
    const units = whole(row.get("units")!);
    const proceedsCurrency = codeOf(row.get("proceedsCurrency")!, 3, "XXX");
    sums.add({
      sku: storableText(row.get("sku")) ?? "",
      product_type: row.get("type")!,
      country: codeOf(row.get("country")!, 2, "ZZ"),
      currency: codeOf(row.get("currency")!, 3, proceedsCurrency),
      proceeds_currency: proceedsCurrency,
    }, {
      title: storableText(row.get("title")),
      units,
      isRefund: units < 0,
      amount: BigInt(units) * absolute(millionths(row.get("price") || "0")),
      proceeds: BigInt(units) * absolute(millionths(row.get("proceeds") || "0")),
    });
  }
  return { rows: sums.rows(), rowsRead: rows.length };
}

function reviewOf({ id, attributes = {}, relationships }: Resource, included: readonly Resource[]): ReviewRow {
  const responseId = relationships?.response?.data?.id;
  const response = included.find((one) => one.id === responseId)?.attributes;
  const { rating, createdDate } = attributes;
  if (typeof rating !== "number" || typeof createdDate !== "string" || Number.isNaN(Date.parse(createdDate))) {
    throw new Refused("unreadable", `The review ${id.slice(0, 60)} has no rating or no date.`);
  }
  return {
    review_id: id,
    rating,
    title: storableText(attributes["title"]),
    body: storableText(attributes["body"]) ?? "",
    language: null,
    territory: storableText(attributes["territory"]),
    author_name: storableText(attributes["reviewerNickname"]),
    app_version: null,
    response_body: storableText(response?.["responseBody"]),
    responded_at: storableText(response?.["lastModifiedDate"]),
    reviewed_at: createdDate,
  };
}

/** Every metric of the report for each of its days. A missing metric is 0. */
function countsOf(analytics: Analytics, texts: readonly string[]): { rows: MetricRow[]; rowsRead: number } {
  const days = new Map<string, Map<string, number>>();
  let rowsRead = 0;
  for (const text of texts) {
    for (const row of new Table(`"${analytics.name}"`, tabbed(text), analytics.columns).rows) {
      rowsRead++;
      const date = row.get("date")!;
      if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new Refused("unreadable", `"${date.slice(0, 40)}" is not a date.`);
      const counts = days.get(date) ?? new Map(analytics.metrics.map((metric) => [metric, 0]));
      days.set(date, counts);
      const metric = analytics.metricOf(row);
      if (metric !== undefined) counts.set(metric, counts.get(metric)! + whole(row.get("count")!));
    }
  }
  const rows = [...days].flatMap(([metric_date, counts]) =>
    [...counts].map(([metric, value]) => ({ metric_date, metric, value }))
  );
  return { rows, rowsRead };
}
