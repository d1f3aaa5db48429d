// Calls the search function of the interface.
import type { TransactionSql } from "postgres";

export interface SearchArguments {
  readonly query?: Record<string, unknown>;
  readonly bbox?: readonly number[];
  readonly ids?: readonly string[];
  readonly limit?: number;
  readonly cursor?: string | null;
  readonly include?: readonly string[];
  readonly zoom?: number;
  readonly updated_since?: string;
  readonly entry_at?: string;
  readonly exit_at?: string;
  readonly vehicle_type?: string;
  readonly usable?: string;
  readonly without_surprises?: boolean;
}

export interface Cluster {
  readonly count: number;
  readonly price_min: number | null;
  readonly price_max: number | null;
  readonly bbox: [number, number, number, number];
  readonly representative: { readonly id: string; readonly time_zone: string };
}

export interface Page {
  readonly items: {
    id: string;
    name?: string;
    time_zone?: string;
    distance_m?: number;
    hour_price?: number | null;
    deleted?: boolean;
  }[];
  readonly next_cursor: string | null;
  readonly total?: number;
  readonly total_is_exact?: boolean;
  readonly has_more?: boolean;
  readonly clusters?: Cluster[];
}

export async function search(sql: TransactionSql, args: SearchArguments): Promise<Page> {
  const { query = {}, bbox, ids, limit = 100, cursor, include = [], zoom, updated_since } = args;
  const [row] = await sql<{ page: Page }[]>`
    select api.search_parking_lots(
      ${sql.json(query as never)}, ${bbox ? `{${bbox.join()}}` : null}::text::float8[],
      ${ids ? `{${ids.join()}}` : null}::text::uuid[], ${limit}, ${cursor ?? null}, ${include as string[]}::text[],
      ${zoom ?? null}, ${updated_since ?? null}::text::timestamptz, ${args.entry_at ?? null}::text::timestamptz,
      ${args.exit_at ?? null}::text::timestamptz, ${args.vehicle_type ?? "standard"}, ${args.usable ?? null},
      ${args.without_surprises ?? false}
    ) as page`;
  return row!.page;
}

/** All pages of a search, one after another. */
export async function searchAll(sql: TransactionSql, args: SearchArguments): Promise<Page["items"]> {
  const items: Page["items"] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await search(sql, { ...args, cursor });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}
