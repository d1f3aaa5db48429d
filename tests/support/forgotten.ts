// The job that erases withdrawn accounts: run at once, or awaited.
import type { Sql, TransactionSql } from "postgres";
import { eventually } from "./eventually.ts";

/** Runs the job until nothing is left; how many batches that took. A job of the platform's own may take some of them. */
export async function eraseWithdrawn(sql: Sql | TransactionSql, rows = 500): Promise<number> {
  for (let batches = 0;; batches++) {
    const [row] = await sql<{ more: boolean }[]>`select private.next_erasure_batch(${rows}) as more`;
    if (!row!.more) return batches;
  }
}

/** Waits until the platform's own job has erased a withdrawn account. */
export async function erased(sql: Sql, user: string): Promise<void> {
  await eventually(async () => {
    const left = await sql`select from private.account_ends where user_id = ${user}`;
    return left.length === 0 ? true : undefined;
  });
}
