/** The search after its place was looked up. */
import { unparseable } from "./parse.ts";
import type { ParsedSearch, ParseOptions } from "./types.ts";

/** The most of an answer whose place no one knows. */
const UNKNOWN_PLACE = 0.45;
/** The share that remains if other words than the read ones are the place. */
const OTHER_WORDS = 0.76;

/**
 * `known`: the words of the text that are a place, or null. A text of which no word is a place, and that has nothing else
 * about parking, is not a search.
 */
export function settlePlace(
  parsed: ParsedSearch,
  known: string | null,
  options: Pick<ParseOptions, "locale" | "context">,
): ParsedSearch {
  if (parsed.status === "unparseable" || parsed.place === null || known === parsed.place) return parsed;
  if (known !== null) return { ...parsed, confidence: Math.round(parsed.confidence * OTHER_WORDS * 100) / 100 };
  if (!parsed.is_about_parking) return unparseable(options, parsed.mentions);
  return { ...parsed, confidence: Math.min(parsed.confidence, UNKNOWN_PLACE) };
}
