/** JSON lines of a list: a response ends after a number of items, and a client continues with its last line. */

/**
 * The items of one response. They need about half a second of CPU, with the fee of a stay too; the platform ends a function
 * after two seconds.
 */
export const MAX_LINES = 10_000;

/**
 * The last line of a response after which there is more. Responses of a feed always end with it, because a feed has a cursor
 * at its end too: there `has_more` is false.
 */
export interface EndLine {
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  /** Of a feed: whether there is more now. */
  readonly has_more?: boolean | undefined;
}

/**
 * At most `limit` items from `cursor` on, read page by page, and then the end line, if there is one. A page may have fewer
 * items than its limit though there is more: no more pages are read than MAX_LINES items would need if all were full.
 */
export async function* pagesAsLines<Item>(
  { limit, pageSize, cursor }: { limit: number; pageSize: number; cursor: string | undefined },
  read: (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
): AsyncGenerator<Item | EndLine> {
  for (let left = limit, pagesLeft = Math.ceil(MAX_LINES / pageSize);; pagesLeft--) {
    const page = await read({ limit: Math.min(pageSize, left), cursor });
    yield* page.items;
    left -= page.items.length;
    const { next_cursor } = page;
    const hasMore = page.has_more ?? next_cursor !== null;
    if (!hasMore && page.has_more === undefined) return;
    if (!hasMore || left <= 0 || pagesLeft <= 1) return yield { next_cursor, has_more: hasMore };
    cursor = next_cursor ?? undefined;
  }
}
