/** The index of the search, which the generator writes and the browser reads with the same options. */
import type { Options } from "minisearch";

/** A section of a page, or an operation of the contract. */
export interface Found {
  /** Its address from the root of the site. */
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

export const OPTIONS: Options<Found> = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page"],
  searchOptions: {
    boost: { title: 4, page: 2 },
    prefix: true,
    fuzzy: (word) => word.length > 4 ? 0.2 : false,
    combineWith: "AND",
  },
};
