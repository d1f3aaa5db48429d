/** The rules parser of AI search: what other modules use of it. */
export { type Check, checkAnswer, type CheckedAnswer, mentionsIn } from "./check.ts";
export { LONGEST_TEXT, parseText, withCenter } from "./parse.ts";
export type { Mention, Note, ParsedSearch, ParseOptions } from "./types.ts";
