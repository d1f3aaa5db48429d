// The acts of administrators on record.
import type { Sql, TransactionSql } from "postgres";

export interface RecordedAct {
  readonly admin_id: string;
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly user_id: string | null;
  readonly changes: Record<string, unknown>;
}

/** These columns of the acts that have all values of `where`, oldest first. */
export async function recordedActs<Column extends keyof RecordedAct>(
  sql: Sql | TransactionSql,
  where: Partial<RecordedAct>,
  columns: readonly Column[],
): Promise<Pick<RecordedAct, Column>[]> {
  const conditions = Object.entries(where).map(([column, value]) => sql`and ${sql(column)} = ${value as string}`);
  const rows = await sql<RecordedAct[]>`
    select admin_id, action, target_type, target_id, user_id, changes from public.admin_activity_logs
    where true ${conditions} order by created_at, id`;
  return rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column, row[column]])) as Pick<RecordedAct, Column>
  );
}
