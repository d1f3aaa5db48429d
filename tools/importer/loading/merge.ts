import type { TransactionSql } from "postgres";
import { type Batch, columnsOf } from "./stage.ts";

export interface Outcome {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Writes a batch into the tables: only rows that differ are touched, so that a second run changes nothing. */
export async function mergeBatch(sql: TransactionSql, batch: Batch, status: string): Promise<Outcome> {
  const { written, provenance: { source } } = batch;
  await batch.stage(sql);
  if (written.withOperator) await sql`select private.merge_staged_operators()`;
  await sql`select private.merge_staged_lots(${source}, ${status}, ${columnsOf(written)})`;
  if (batch.hasTags || batch.hasWindows || batch.hasPricing) {
    await sql`select private.place_staged_lots(${source})`;
    if (batch.hasTags) await sql`select private.merge_staged_tags()`;
    if (batch.hasWindows) await sql`select private.merge_staged_windows()`;
    if (batch.hasPricing) await sql`select private.merge_staged_pricing()`;
  }
  const [counts] = await sql<{ inserted: number; touched: number }[]>`
    select (count(distinct id) filter (where action = 'INSERT'))::integer as inserted, count(distinct id)::integer as touched
    from import_outcome`;
  const { inserted, touched } = counts!;
  return { inserted, updated: touched - inserted, unchanged: batch.lots - touched };
}
