/** What waits for a decision: each question with its evidence, and the screen where it is decided. Only of own areas. */
import type { ResponseBody } from "parking-lot-client";
import { label } from "../../../codes.ts";
import { dateTime, duration, number } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { client, may, me } from "../../kit/access.ts";

export type Overview = ResponseBody<"/v1/admin/overview", "get">;

const text = consoleTexts(({ overview }) => overview.questions);

export interface Question {
  readonly kind: keyof typeof text.value.kinds;
  readonly title: string;
  readonly evidence?: string | undefined;
  /** Since when it waits. */
  readonly since?: string | null | undefined;
  readonly button: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Of each kind so many are questions of their own; the last one has the number of the others. */
const REPORTS = 3;
/** Jobs run every minute: after so many minutes without one, none runs. */
const JOB_MINUTES = 5;

/** What is not fixed comes first, then what people wait for, then what can wait. */
export async function readQuestions(overview: Overview, signal: AbortSignal): Promise<Question[]> {
  const parts = await Promise.all([
    troubles(overview),
    may("lots") ? reports(overview, signal) : [],
    may("support") ? tickets(overview, signal) : [],
    may("reviews") ? reviews(overview, signal) : [],
    may("lots") ? disputes(signal) : [],
    may("notifications") ? notifications(signal) : [],
    may("content") ? articles(signal) : [],
    may("store_sync") ? syncs(signal) : [],
    may("admins") ? colleagues(signal) : [],
  ]);
  return parts.flat();
}

function waited(seconds: number | null): string {
  if (seconds === null) return "";
  const days = Math.floor(seconds / 86_400);
  return days >= 2 ? text.value.days(number(days)) : duration(seconds / 60);
}

function troubles({ push, mail, jobs, dead_messages }: Overview): Question[] {
  const t = text.value;
  const minutes = (Date.now() - Date.parse(jobs.last_started_at ?? "")) / 60_000;
  return [
    ...([["push", push], ["mail", mail]] as const).flatMap(([kind, figures]): Question[] =>
      figures === null || figures.trouble === null ? [] : [{
        kind,
        title: t.trouble[kind](dateTime(figures.trouble.since)),
        evidence: t.reasons[figures.trouble.reason],
        since: figures.trouble.since,
        button: t.buttons.health,
        path: "/console/health",
      }]
    ),
    ...(jobs.last_started_at !== null && minutes <= JOB_MINUTES ? [] : [{
      kind: "jobs" as const,
      title: t.noJobs,
      since: jobs.last_started_at,
      button: t.buttons.health,
      path: "/console/health",
    }]),
    ...(jobs.failing.length === 0 ? [] : [{
      kind: "jobs" as const,
      title: t.jobs(jobs.failing.length),
      evidence: jobs.failing.join(", "),
      button: t.buttons.jobs,
      path: "/console/jobs",
    }]),
    ...(dead_messages.count === 0 ? [] : [{
      kind: "dead" as const,
      title: t.dead(number(dead_messages.count)),
      since: dead_messages.newest_at,
      button: t.buttons.dead,
      path: "/console/dead-messages",
    }]),
  ];
}

async function reports({ open_work }: Overview, signal: AbortSignal): Promise<Question[]> {
  const t = text.value;
  const query = { status: "open", limit: REPORTS } as const;
  const { items } = (await client.GET("/v1/admin/error-reports", { params: { query }, signal })).data;
  const more = (open_work.open_error_reports?.count ?? 0) - items.length;
  return [
    ...items.map(({ id, report_type, parking_lot_name, user_name, description, created_at }): Question => ({
      kind: "report",
      title: t.report(parking_lot_name ?? "–", label("error_report_type", report_type)),
      evidence: quoted(user_name, description),
      since: created_at,
      button: report_type === "price" ? t.buttons.price : t.buttons.report,
      path: `/console/error-reports/${id}`,
    })),
    ...(more <= 0 ? [] : [{
      kind: "report" as const,
      title: t.moreReports(number(more)),
      button: t.buttons.list,
      path: "/console/error-reports",
    }]),
  ];
}

async function tickets({ open_work }: Overview, signal: AbortSignal): Promise<Question[]> {
  const t = text.value;
  const query = { status: "open", limit: 1 } as const;
  const [first] = (await client.GET("/v1/admin/support-tickets", { params: { query }, signal })).data.items;
  if (first === undefined) return [];
  const { count = 1, oldest_age_seconds = null } = open_work.waiting_tickets ?? {};
  return [{
    kind: "ticket",
    title: count > 1
      ? t.tickets(number(count), waited(oldest_age_seconds))
      : t.ticket(first.user_name ?? t.somebody, waited((Date.now() - Date.parse(first.status_changed_at)) / 1_000)),
    evidence: quoted(first.user_name, first.subject),
    since: first.status_changed_at,
    button: t.buttons.answer,
    path: `/console/support-tickets/${first.id}`,
  }];
}

async function reviews({ open_work }: Overview, signal: AbortSignal): Promise<Question[]> {
  const t = text.value;
  const query = { status: "pending", limit: 1 } as const;
  const [first] = (await client.GET("/v1/admin/reviews", { params: { query }, signal })).data.items;
  if (first === undefined) return [];
  const { count = 1, oldest_age_seconds = null } = open_work.pending_reviews ?? {};
  return [{
    kind: "review",
    title: t.reviews(Math.max(1, count), waited(oldest_age_seconds)),
    evidence: `${first.parking_lot_name ?? "–"} ${"★".repeat(first.rating)} ${first.comment ?? ""}`,
    since: first.created_at,
    button: t.buttons.read,
    path: `/console/reviews/${first.id}`,
  }];
}

async function disputes(signal: AbortSignal): Promise<Question[]> {
  const t = text.value;
  const query = { state: "disputed", limit: 1 } as const;
  const [first] = (await client.GET("/v1/admin/field-values", { params: { query }, signal })).data.items;
  return first === undefined ? [] : [{
    kind: "value",
    title: t.dispute(first.parking_lot_name ?? "–"),
    evidence: t.votes(number(first.confirm_count), number(first.deny_count)),
    since: first.updated_at,
    button: t.buttons.decide,
    path: `/console/field-values/${first.id}`,
  }];
}

async function notifications(signal: AbortSignal): Promise<Question[]> {
  const t = text.value;
  const of = async (status: "scheduled" | "draft") => {
    const query = { status, limit: 1 };
    return (await client.GET("/v1/admin/user-notifications", { params: { query }, signal })).data.items;
  };
  const [[scheduled], [draft]] = await Promise.all([of("scheduled"), of("draft")]);
  const question = (title: string, { id, body, created_at }: { id: string; body: string; created_at: string }) => ({
    kind: "notification" as const,
    title,
    evidence: body,
    since: created_at,
    button: t.buttons.look,
    path: `/console/user-notifications/${id}`,
  });
  return [
    ...(scheduled ? [question(t.scheduled(scheduled.title, dateTime(scheduled.scheduled_at ?? "")), scheduled)] : []),
    ...(draft ? [question(t.draft(draft.title), draft)] : []),
  ];
}

async function articles(signal: AbortSignal): Promise<Question[]> {
  const t = text.value;
  const query = { status: "draft", limit: 1 } as const;
  const [first] = (await client.GET("/v1/admin/articles", { params: { query }, signal })).data.items;
  return first === undefined ? [] : [{
    kind: "article",
    title: t.article(first.title),
    evidence: first.summary ?? undefined,
    since: first.created_at,
    button: t.buttons.look,
    path: `/console/reference/articles/${first.id}`,
  }];
}

async function syncs(signal: AbortSignal): Promise<Question[]> {
  const t = text.value;
  const [last] =
    (await client.GET("/v1/admin/store-sync/runs", { params: { query: { limit: 1 } }, signal })).data.items;
  return last?.status !== "failed" ? [] : [{
    kind: "store",
    title: t.sync(label("store", last.store)),
    evidence: last.error?.message,
    since: last.finished_at,
    button: t.buttons.look,
    path: `/console/store-sync/${last.id}`,
  }];
}

async function colleagues(signal: AbortSignal): Promise<Question[]> {
  const t = text.value;
  const query = { status: "active", limit: 100 } as const;
  const { items } = (await client.GET("/v1/admin/admins", { params: { query }, signal })).data;
  const without = items.filter(({ id, has_second_factor }) => !has_second_factor && id !== me.value?.admin?.id);
  return without.length === 0 ? [] : [{
    kind: "colleague",
    title: t.colleagues(without.length),
    evidence: without.slice(0, 5).map(({ name, email }) => name ?? email).join(", "),
    button: t.buttons.look,
    path: without.length === 1 ? `/console/admins/${without[0]!.id}` : "/console/admins",
  }];
}

const quoted = (name: string | null, words: string | null) =>
  [name, words && text.value.quote(words)].filter(Boolean).join(": ") || undefined;
