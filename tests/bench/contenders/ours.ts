// The search of this service: the index part by itself, and the function that clients call.
import postgres, { type Sql } from "postgres";
import type { Subject } from "../measure.ts";
import { asSuperuser } from "../../support/database.ts";

export interface Search {
  readonly lat: number;
  readonly lng: number;
  readonly radius_m: number;
}

export interface Ours {
  readonly contenders: Subject<Search>[];
  stop(): Promise<void>;
}

export const LIMIT = 50;

export function ours(url: string): Ours {
  const search = postgres(url, { max: 1, onnotice: () => {} });
  const anonymous = postgres(url, { max: 1, onnotice: () => {}, connection: { role: "anon" } });
  return {
    contenders: [
      {
        name: "private.nearest_lots",
        run: async ({ lat, lng, radius_m }) =>
          (await search`
            select unnest(lot_ids), unnest(distances) from private.nearest_lots(${lat}, ${lng}, ${radius_m}, ${LIMIT})`)
            .length,
      },
      {
        name: "api.nearby_parking_lots",
        run: async ({ lat, lng, radius_m }) => {
          const [row] = await anonymous<{ found: unknown[] }[]>`
            select api.nearby_parking_lots(${lat}, ${lng}, ${radius_m}, ${LIMIT}) -> 'items' as found`;
          return row!.found.length;
        },
      },
    ],
    stop: async () => {
      await search.end();
      await anonymous.end();
    },
  };
}

/** The same search with filters, as an anonymous user. */
export function filtered(url: string, filters: Record<string, unknown>): Ours {
  const anonymous = postgres(url, { max: 1, onnotice: () => {}, connection: { role: "anon" } });
  return {
    contenders: [{
      name: JSON.stringify(filters),
      run: async ({ lat, lng, radius_m }) => {
        const [row] = await anonymous<{ found: unknown[] }[]>`
          select api.nearby_parking_lots(
            ${lat}, ${lng}, ${radius_m}, ${LIMIT}, ${JSON.stringify(filters)}::text::jsonb
          ) -> 'items' as found`;
        return row!.found.length;
      },
    }],
    stop: () => anonymous.end(),
  };
}

/** The plan of the query inside private.nearest_lots, which only a superuser can watch. */
export async function planOfSearch(url: string, { lat, lng, radius_m }: Search): Promise<string> {
  const plans = await plansOf(
    url,
    (sql) => sql`select private.nearest_lots(${lat}, ${lng}, ${radius_m}, ${LIMIT})`,
  );
  const plan = plans.find((text) => text.includes("search_entries_mercator_idx") || text.includes("Seq Scan"));
  return plan?.slice(plan.indexOf("Aggregate")) ?? "The plan was not logged.";
}

/** How each table is read by a statement and by all that it calls: the lines of the plans that say so, each once. */
export async function scansOf(url: string, statement: (sql: Sql) => PromiseLike<unknown>): Promise<string[]> {
  const lines = (await plansOf(url, statement)).join("\n").split("\n");
  const scans = lines.filter((line) => !line.includes("never executed")).flatMap((line) =>
    /(?:Index Scan|Index Only Scan|Bitmap Heap Scan|Seq Scan|Tid Scan).* on [a-z_]+/.exec(line)?.[0] ?? []
  );
  return [...new Set(scans)].sort();
}

async function plansOf(url: string, statement: (sql: Sql) => PromiseLike<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const sql = postgres(asSuperuser(url), { max: 1, onnotice: ({ message }) => void plans.push(message ?? "") });
  try {
    await sql.unsafe(`
      load 'auto_explain';
      set auto_explain.log_min_duration = 0;
      set auto_explain.log_nested_statements = on;
      set auto_explain.log_analyze = on;
      set auto_explain.log_timing = off;
      set client_min_messages = log`);
    await statement(sql);
  } finally {
    await sql.end();
  }
  return plans;
}
