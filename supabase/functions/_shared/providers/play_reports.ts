/**
 * Google Play: reviews (androidpublisher), vitals (Play Developer Reporting) and the monthly files in the reports
 * bucket.
 */
import type { PlayConfig } from "../provider_settings.ts";
import { Refused } from "./calls/errors.ts";
import type { Answer } from "./calls/request.ts";
import { googleTokens } from "./calls/tokens.ts";
import { absolute, codeOf, commaSeparated, decoded, millionths, SalesSums, Table, unzipped } from "./report_files.ts";
import {
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

const SCOPE = "https://www.googleapis.com/auth/";
const REVIEWS_A_PAGE = 100;
const VITALS_DAYS = 90;

interface BucketObject {
  readonly name: string;
  readonly updated?: string;
}

interface Comment {
  readonly userComment?: {
    readonly text?: string;
    readonly lastModified?: { readonly seconds?: string; readonly nanos?: number };
    readonly starRating?: number;
    readonly reviewerLanguage?: string;
    readonly appVersionName?: string;
  };
  readonly developerComment?: { readonly text?: string; readonly lastModified?: { readonly seconds?: string } };
}

interface Review {
  readonly reviewId: string;
  readonly authorName?: string;
  readonly comments?: readonly Comment[];
}

interface GoogleDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

interface VitalRow {
  readonly startTime: GoogleDay;
  readonly metrics?: readonly { readonly metric: string; readonly decimalValue?: { readonly value?: string } }[];
}

/** Monthly statistics files: their names, and the columns for each metric. */
const STATISTICS: readonly { readonly kind: string; readonly columns: Readonly<Record<string, readonly string[]>> }[] =
  [
    {
      kind: "installs",
      columns: {
        installs: ["Daily User Installs"],
        uninstalls: ["Daily User Uninstalls"],
        active_devices: ["Active Device Installs"],
      },
    },
    {
      kind: "ratings",
      columns: { average_rating: ["Total Average Rating"], daily_average_rating: ["Daily Average Rating"] },
    },
  ];

/** Metric sets of the reporting API, and the names of their metrics here. */
const VITALS = [
  {
    set: "crashRateMetricSet",
    metrics: { crashRate: "crash_rate", userPerceivedCrashRate: "user_perceived_crash_rate" },
  },
  { set: "anrRateMetricSet", metrics: { anrRate: "anr_rate", userPerceivedAnrRate: "user_perceived_anr_rate" } },
] as const;

export class PlayReports implements StoreReports {
  readonly #config: PlayConfig;
  readonly #publisher: ReportClient;
  readonly #reporting: ReportClient;
  readonly #storage: ReportClient;

  constructor(config: PlayConfig) {
    this.#config = config;
    const client = (name: string, scope: string) => new ReportClient(name, googleTokens(config.account, SCOPE + scope));
    this.#publisher = client("Google Play", "androidpublisher");
    this.#reporting = client("The reporting of Google Play", "playdeveloperreporting");
    this.#storage = client("The bucket of Google Play's reports", "devstorage.read_only");
  }

  async *sales(days: readonly string[]): AsyncGenerator<SalesDay> {
    if (days.length === 0) return;
    const files = await this.#files("sales/salesreport_");
    for (const month of monthsOf(days)) {
      const file = files.find(({ name }) => name === `sales/salesreport_${month}.zip`);
      if (file === undefined) continue;
      const lines = (await unzipped(await this.#content(file.name)))
        .filter(({ name }) => name.endsWith(".csv")).map(({ bytes }) => commaSeparated(decoded(bytes)));
      const sold = salesOf(month, lines, this.#config.packageName);
      for (const day of days.filter((one) => monthOf(one) === month)) {
        yield { day, rows: sold.get(day)?.sums.rows() ?? [], rowsRead: sold.get(day)?.rowsRead ?? 0 };
      }
    }
  }

  /** The API only lists reviews of the last week, latest first, so `until` is not needed. */
  async *reviews(page: string | null): AsyncGenerator<ReviewPage> {
    const { apiUrl, packageName } = this.#config;
    let token = page;
    let isFirst = true;
    for (;;) {
      const query = new URLSearchParams({ maxResults: String(REVIEWS_A_PAGE), ...(token === null ? {} : { token }) });
      const answer: Answer = await this.#publisher.request(
        `${apiUrl}/androidpublisher/v3/applications/${encodeURIComponent(packageName)}/reviews?${query}`,
      );
      // The page of an earlier run may no longer exist.
      const isGone = answer.status === 400 && page !== null && isFirst;
      isFirst = false;
      if (isGone) {
        token = null;
        continue;
      }
      const { reviews = [], tokenPagination } = this.#publisher.read<
        { reviews?: readonly Review[]; tokenPagination?: { nextPageToken?: string } }
      >(answer);
      token = tokenPagination?.nextPageToken || null;
      yield { rows: reviews.flatMap(reviewOf), next: token };
      if (token === null) return;
    }
  }

  async *metrics(parts: ReadonlySet<string>): AsyncGenerator<MetricReport> {
    const { packageName } = this.#config;
    for (const { kind, columns } of STATISTICS) {
      const prefix = `stats/${kind}/${kind}_${packageName}_`;
      const files = await this.#files(prefix);
      for (const month of recentMonths()) {
        const part = `${kind}/${month}`;
        const file = files.find(({ name }) => name === `${prefix}${month}_overview.csv`);
        if (file === undefined || parts.has(part)) continue;
        const lines = commaSeparated(decoded(await this.#content(file.name)));
        const reportedOn = (file.updated ?? new Date().toISOString()).slice(0, 10);
        yield { part, reportedOn, ...statisticsOf(file.name, lines, columns) };
      }
    }
    for (const { set, metrics } of VITALS) {
      if (parts.has(`vitals/${set}`)) continue;
      const report = await this.#vitals(set, metrics);
      if (report !== undefined) yield { part: `vitals/${set}`, ...report };
    }
  }

  async #vitals(
    set: string,
    metrics: Readonly<Record<string, string>>,
  ): Promise<Omit<MetricReport, "part"> | undefined> {
    const url = `${this.#config.reportingApiUrl}/v1beta1/apps/${encodeURIComponent(this.#config.packageName)}/${set}`;
    const { freshnessInfo } = await this.#reporting.json<
      { freshnessInfo?: { freshnesses?: readonly { aggregationPeriod: string; latestEndTime: GoogleDay }[] } }
    >(url);
    const end = freshnessInfo?.freshnesses?.find(({ aggregationPeriod }) => aggregationPeriod === "DAILY")
      ?.latestEndTime;
    if (end === undefined) return undefined;
    const rows: MetricRow[] = [];
    let rowsRead = 0;
    let pageToken: string | undefined;
    do {
      const page: { rows?: readonly VitalRow[]; nextPageToken?: string } = await this.#reporting.json(`${url}:query`, {
        method: "POST",
        body: {
          timelineSpec: {
            aggregationPeriod: "DAILY",
            startTime: inPacificTime(end, -VITALS_DAYS),
            endTime: inPacificTime(end, 0),
          },
          metrics: Object.keys(metrics),
          pageSize: 1000,
          ...(pageToken === undefined ? {} : { pageToken }),
        },
      });
      for (const row of page.rows ?? []) {
        rowsRead++;
        for (const { metric, decimalValue } of row.metrics ?? []) {
          const value = Number(decimalValue?.value ?? NaN);
          const name = metrics[metric];
          if (name !== undefined && Number.isFinite(value)) {
            rows.push({ metric_date: dayOf(row.startTime), metric: name, value });
          }
        }
      }
      pageToken = page.nextPageToken || undefined;
    } while (pageToken !== undefined);
    return { reportedOn: dayOf(end), rows, rowsRead };
  }

  async #files(prefix: string): Promise<BucketObject[]> {
    const files: BucketObject[] = [];
    let pageToken: string | undefined;
    do {
      const query = new URLSearchParams({ prefix, ...(pageToken === undefined ? {} : { pageToken }) });
      const page: { items?: readonly BucketObject[]; nextPageToken?: string } = await this.#storage.json(
        `${this.#bucket()}?${query}`,
      );
      files.push(...page.items ?? []);
      pageToken = page.nextPageToken || undefined;
    } while (pageToken !== undefined);
    return files;
  }

  async #content(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.#storage.request(`${this.#bucket()}/${encodeURIComponent(name)}?alt=media`, {
      accept: "*/*",
    });
    if (answer.status !== 200) throw this.#storage.rejection(answer);
    return answer.bytes;
  }

  #bucket(): string {
    const { reportsBucket, storageApiUrl } = this.#config;
    if (reportsBucket === null) throw new Refused("not_configured", "PLAY_REPORTS_BUCKET is not set.");
    return `${storageApiUrl}/storage/v1/b/${encodeURIComponent(reportsBucket)}/o`;
  }
}

/** 202609 for 2026-09-30. */
const monthOf = (day: string) => day.slice(0, 4) + day.slice(5, 7);
const monthsOf = (days: readonly string[]) => [...new Set(days.map(monthOf))].sort();

/** The months of the last 90 days. */
function recentMonths(): string[] {
  const now = Date.now();
  return monthsOf(Array.from({ length: 91 }, (_, days) => new Date(now - days * 86_400_000).toISOString()));
}

function dayOf({ year, month, day }: GoogleDay): string {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

/** The day this many days later. Vitals use the time zone of Los Angeles. */
function inPacificTime({ year, month, day }: GoogleDay, days: number) {
  const at = new Date(Date.UTC(year, month - 1, day + days));
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    timeZone: { id: "America/Los_Angeles" },
  };
}

/** A row is an order or a refund. The amount of a refund may be negative. A partial refund does not refund a unit. */
function salesOf(
  month: string,
  files: readonly (readonly (readonly string[])[])[],
  packageName: string,
): Map<string, { readonly sums: { rows(): SalesRow[] }; readonly rowsRead: number }> {
  const days = new Map<string, { sums: SalesSums; rowsRead: number }>();
  const signs: Readonly<Record<string, number>> = { "charged": 1, "refund": -1, "partial refund": 0 };
  for (const lines of files) {
    const { rows } = new Table(`The sales report of ${month}`, lines, {
      day: ["Order Charged Date"],
      status: ["Financial Status"],
      title: ["Product Title"],
      app: ["Product ID", "Package ID"],
      type: ["Product Type"],
      sku: ["SKU ID"],
      currency: ["Currency of Sale"],
      amount: ["Charged Amount"],
      country: ["Country of Buyer"],
    });
    for (const row of rows) {
      if (row.get("app") !== packageName) continue;
      const [day, status] = [row.get("day")!, row.get("status")!];
      const units = signs[status.toLowerCase()];
      if (units === undefined) {
        throw new Refused("unreadable", `"${status.slice(0, 40)}" is not a known financial status.`);
      }
      if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new Refused("unreadable", `"${day.slice(0, 40)}" is not a date.`);
      const sold = days.get(day) ?? { sums: new SalesSums(), rowsRead: 0 };
      days.set(day, sold);
      sold.rowsRead++;
      const currency = codeOf(row.get("currency")!, 3, "XXX");
      const amount = absolute(millionths(row.get("amount")!));
      sold.sums.add({
        sku: storableText(row.get("sku")) ?? packageName,
        product_type: row.get("type")!,
        country: codeOf(row.get("country")!, 2, "ZZ"),
        currency,
        proceeds_currency: currency,
      }, {
        title: storableText(row.get("title")),
        units,
        isRefund: units < 1,
        amount: units < 1 ? -amount : amount,
        proceeds: null,
      });
    }
  }
  return days;
}

function statisticsOf(
  name: string,
  lines: readonly (readonly string[])[],
  columns: Readonly<Record<string, readonly string[]>>,
): { rows: MetricRow[]; rowsRead: number } {
  const metrics = Object.keys(columns);
  const table = new Table<string>(name, lines, { date: ["Date"], ...columns });
  const rows = table.rows.flatMap((row) =>
    metrics.flatMap((metric) => {
      const text = row.get(metric)!;
      const metric_date = row.get("date")!;
      if (!/^\d{4}-\d\d-\d\d$/.test(metric_date)) {
        throw new Refused("unreadable", `"${metric_date.slice(0, 40)}" is not a date.`);
      }
      return text === "" || text === "NA" ? [] : [{ metric_date, metric, value: Number(millionths(text)) / 1e6 }];
    })
  );
  return { rows, rowsRead: table.rows.length };
}

/** The text of a review consists of its title, a tab, and its body. */
function reviewOf({ reviewId, authorName, comments = [] }: Review): ReviewRow[] {
  const user = comments.find(({ userComment }) => userComment)?.userComment;
  const developer = comments.find(({ developerComment }) => developerComment)?.developerComment;
  const reviewedAt = momentOf(user?.lastModified?.seconds);
  if (user === undefined || reviewedAt === null || user.starRating === undefined) return [];
  const [title, ...body] = (user.text ?? "").split("\t");
  return [{
    review_id: reviewId,
    rating: user.starRating,
    title: body.length > 0 ? storableText(title) : null,
    body: storableText(body.length > 0 ? body.join("\t") : title) ?? "",
    language: storableText(user.reviewerLanguage),
    territory: null,
    author_name: storableText(authorName),
    app_version: storableText(user.appVersionName),
    response_body: storableText(developer?.text),
    responded_at: momentOf(developer?.lastModified?.seconds),
    reviewed_at: reviewedAt,
  }];
}

function momentOf(seconds: string | undefined): string | null {
  return seconds !== undefined && /^\d{1,11}$/.test(seconds) ? new Date(Number(seconds) * 1000).toISOString() : null;
}
