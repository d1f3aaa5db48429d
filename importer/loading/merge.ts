import type { TransactionSql } from "postgres";
import { columnsOf, type Written } from "./stage.ts";

/** Receives how far the writing is. */
export interface MergeProgress {
  lots(written: number, total: number): void;
  step(what: string): void;
}

/** Lots that one statement writes: progress is seen between statements. */
const BATCH = 2_000;

export interface Outcome {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Writes what is staged into the tables: only rows that differ are touched, so that a second run changes nothing. */
export async function mergeStage(
  sql: TransactionSql,
  written: Written,
  source: string,
  status: string,
  progress: MergeProgress,
): Promise<Outcome> {
  await sql`analyze import_stage`;
  if (written.withOperator) await sql`select private.merge_staged_operators()`;
  await mergeLots(sql, columnsOf(written), source, status, progress);
  await sql`select private.place_staged_lots(${source})`;
  await sql`analyze import_outcome`;
  progress.step("Writing tags");
  await sql`select private.merge_staged_tags()`;
  progress.step("Writing hours");
  await sql`select private.merge_staged_windows()`;
  progress.step("Writing prices");
  await sql`select private.merge_staged_pricing()`;
  progress.step("Counting");
  const [counts] = await sql<{ staged: number; inserted: number; touched: number }[]>`
    select
      (select count(*) from import_stage)::integer as staged,
      (count(distinct id) filter (where action = 'INSERT'))::integer as inserted,
      count(distinct id)::integer as touched
    from import_outcome`;
  if (counts === undefined) throw new Error("The database counted nothing");
  const { staged, inserted, touched } = counts;
  return { inserted, updated: touched - inserted, unchanged: staged - touched };
}

/** A lot that is there keeps its status: an administrator may have closed it. */
async function mergeLots(
  sql: TransactionSql,
  columns: string[],
  source: string,
  status: string,
  progress: MergeProgress,
): Promise<void> {
  const batches = await sql<{ first: number; last: number; count: number }[]>`
    select min(position)::integer as first, max(position)::integer as last, count(*)::integer as count
    from (select position, (row_number() over (order by position) - 1) / ${BATCH} as batch from import_stage) s
    group by batch order by batch`;
  const total = batches.reduce((sum, { count }) => sum + count, 0);
  let done = 0;
  for (const { first, last, count } of batches) {
    progress.lots(done, total);
    await sql`select private.merge_staged_lots(${source}, ${status}, ${columns}, ${first}, ${last})`;
    done += count;
  }
  progress.lots(done, total);
}
