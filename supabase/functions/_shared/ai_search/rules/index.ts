/** Exports of the rules parser of AI search. */
export { type Check, checkAnswer, type CheckedAnswer, mentionsIn } from "./check.ts";
export { MAX_TEXT as LONGEST_TEXT, parseText, withCenter } from "./parse.ts";
export { settlePlace } from "./settle.ts";
export type { Mention, Note, ParsedSearch, ParseOptions } from "./types.ts";
