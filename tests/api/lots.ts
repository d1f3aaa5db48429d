// Lots that API tests create in addition to the seeded ones.
import postgres, { type Sql } from "postgres";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";

/** Runs statements as the owner of the database: for what no client may write. */
export async function inDatabase<Result>(run: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  try {
    return await run(sql);
  } finally {
    await sql.end();
  }
}

export function aLot(columns: Parameters<typeof newLot>[1] = {}): Promise<string> {
  return inDatabase((sql) => newLot(sql, columns));
}

/** A lot of each status that is not public, and an id without a lot. */
export async function hiddenLots(): Promise<Record<string, string>> {
  return {
    draft: await aLot({ status: "draft" }),
    suspended: await aLot({ status: "suspended" }),
    closed: await aLot({ status: "closed" }),
    unknown: crypto.randomUUID(),
  };
}
