/**
 * The consumer of the queue store-sync: reads runs, fetches part by part, and writes each part in one call. It can stop
 * at any time: written parts remain, and the next consumer continues once the lease has ended.
 */
import type { Database } from "../_shared/db/client.ts";
import { CredentialsRejected, ProviderDown, Refused } from "../_shared/providers/calls/errors.ts";
import type { StoreName } from "../_shared/providers/store.ts";
import type { StoreReports, StoreReportSources } from "../_shared/providers/store_reports.ts";
import { consume } from "../_shared/queue/consumer.ts";
import { underLease } from "../_shared/queue/lease.ts";

/** The functions of the database that the sync calls. */
export const SYNC_CALLS = [
  "take_store_sync_run",
  "extend_store_sync_lease",
  "postpone_store_sync_run",
  "finish_store_sync_run",
  "fail_store_sync_run",
  "write_store_sales",
  "write_store_reviews",
  "write_store_metrics",
] as const;

type SyncDatabase = Database<(typeof SYNC_CALLS)[number]>;

/** After this time no further part is fetched, because the platform ends long-running functions. */
const BUDGET_MS = 45_000;

interface LeasedRun {
  readonly run_id: string;
  readonly lease_id: string;
  readonly store: StoreName;
  readonly task: "sales" | "metrics" | "reviews";
  readonly days: readonly string[];
  readonly parts: readonly string[];
  readonly next_page: string | null;
  readonly read_until: string | null;
}

export interface Synced {
  succeeded: number;
  failed: number;
  postponed: number;
}

export async function sync(
  db: SyncDatabase,
  sources: StoreReportSources,
  budgetMs: number = BUDGET_MS,
): Promise<Synced> {
  const done: Synced = { succeeded: 0, failed: 0, postponed: 0 };
  await consume<LeasedRun>({
    take: async () => {
      const run = await db.rpc<LeasedRun | null>("take_store_sync_run");
      return run === null ? { found: 0, batches: [] } : { found: 1, batches: [run] };
    },
    handle: async (run, until) => {
      const { run_id, lease_id } = run;
      const outcome = await underLease(
        () => db.rpc("extend_store_sync_lease", { run_id, lease_id }),
        () => processRun(db, sources, run, until),
      );
      if (outcome !== "lost") done[outcome]++;
      return "done";
    },
  }, { budgetMs, lingerMs: 0 });
  return done;
}

/** `lost`: another consumer has taken over the run. */
async function processRun(
  db: SyncDatabase,
  sources: StoreReportSources,
  run: LeasedRun,
  until: number,
): Promise<keyof Synced | "lost"> {
  const lease = { run_id: run.run_id, lease_id: run.lease_id };
  try {
    for await (const isHeld of writeParts(db, sources.of(run.store), run)) {
      if (!isHeld) return "lost";
      if (performance.now() >= until) {
        await db.rpc("postpone_store_sync_run", lease);
        return "postponed";
      }
    }
    return await db.rpc<boolean>("finish_store_sync_run", lease) ? "succeeded" : "lost";
  } catch (error) {
    if (error instanceof ProviderDown) {
      const [code, seconds] = [error.why === "rate_limited" ? error.why : "unavailable", error.retryAfter ?? 0];
      await db.rpc("postpone_store_sync_run", { ...lease, seconds, code, message: sentence(error) });
      return "postponed";
    }
    if (error instanceof Refused || error instanceof CredentialsRejected) {
      const code = error instanceof Refused ? error.code : "credentials_rejected";
      const failed = await db.rpc<boolean>("fail_store_sync_run", { ...lease, code, message: sentence(error) });
      return failed ? "failed" : "lost";
    }
    throw error;
  }
}

function sentence({ message }: Error): string {
  return message.endsWith(".") ? message : `${message}.`;
}

/** Fetches and writes part by part. Each write returns whether the lease is still held. */
async function* writeParts(db: SyncDatabase, reports: StoreReports, run: LeasedRun): AsyncGenerator<boolean> {
  const lease = { run_id: run.run_id, lease_id: run.lease_id };
  switch (run.task) {
    case "sales":
      for await (const { day, rows, rowsRead } of reports.sales(run.days)) {
        yield await db.rpc<boolean>("write_store_sales", { ...lease, day, rows, rows_read: rowsRead });
      }
      break;
    case "reviews":
      for await (const { rows, next } of reports.reviews(run.next_page, run.read_until)) {
        yield await db.rpc<boolean>("write_store_reviews", { ...lease, rows, next_page: next });
      }
      break;
    case "metrics":
      for await (const { part, reportedOn, rows, rowsRead } of reports.metrics(new Set(run.parts))) {
        const report = { part, reported_on: reportedOn, rows, rows_read: rowsRead };
        yield await db.rpc<boolean>("write_store_metrics", { ...lease, ...report });
      }
      break;
  }
}
