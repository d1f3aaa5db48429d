/** The index of the search, which the generator writes and the browser reads with the same options. */
import type { Options, SearchResult } from "minisearch";
import type MiniSearch from "minisearch";

/** A section of a page, or an operation of the contract. */
export interface Found {
  /** Its address from the root of the site. */
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
  /** Japanese words for it (japanese_words.json): the pages are in English. */
  readonly japanese: string;
}

/** Hiragana, katakana and Chinese characters, with the mark of long vowels. They are written without spaces. */
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々]+/gu;
const SEPARATORS = /[\n\r\p{Z}\p{P}]+/u;

/** The words of a text. Japanese is cut into pairs of characters, so a part of a compound is found. */
export function tokenize(text: string): string[] {
  const pairs: string[] = [];
  const rest = text.replaceAll(JAPANESE, (run) => {
    const characters = [...run];
    for (let n = 0; n < Math.max(1, characters.length - 1); n++) pairs.push(characters.slice(n, n + 2).join(""));
    return " ";
  });
  return [...rest.split(SEPARATORS).filter((word) => word !== ""), ...pairs];
}

export const OPTIONS: Options<Found> = {
  fields: ["title", "page", "text", "japanese"],
  storeFields: ["title", "page"],
  tokenize,
  searchOptions: {
    boost: { title: 4, page: 2, japanese: 8 },
    prefix: true,
    fuzzy: (word) => word.length > 4 ? 0.2 : false,
    combineWith: "AND",
  },
};

/** What has all words, otherwise what has some of them. */
export function find(index: MiniSearch<Found>, query: string): SearchResult[] {
  const all = index.search(query);
  return all.length > 0 ? all : index.search(query, { combineWith: "OR" });
}
