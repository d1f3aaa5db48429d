/** The newest list of this visit: a driver who looks at a lot and comes back finds the list as it was. */
import { user } from "../../service.ts";
import type { LotList } from "./lots.ts";
import type { Search } from "./search.ts";
import type { Level } from "./sheet_level.ts";

export interface Kept {
  /** The search and its user as a text. */
  readonly key: string;
  readonly list: LotList;
  readonly level: Level;
}

let newest: Kept | undefined;

export const keyOf = (search: Search) => JSON.stringify([user.peek()?.id, search]);

export function keep(search: Search, shown: Omit<Kept, "key">): void {
  newest = { key: keyOf(search), ...shown };
}

/** What was kept for this search. */
export function kept(search: Search): Kept | undefined {
  return newest?.key === keyOf(search) ? newest : undefined;
}
