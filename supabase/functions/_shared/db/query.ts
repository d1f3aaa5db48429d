/**
 * The arguments of a function as a query string for PostgREST: texts that Postgres converts to the parameters' types.
 */

/** Some proxies reject longer URLs (8 KiB including host and path). */
const MAX_QUERY_LENGTH = 6_000;

const OPERATOR =
  /^(not\.|(is|isdistinct|in|n?eq|gte?|lte?|i?like|i?match|cs|cd|ov|sl|sr|nxr|nxl|adj|(pl|ph|w)?fts)([.(]|$))/;

/**
 * Whether PostgREST would read a value as a row filter: it is an operator or begins with one (QueryParams.hs, `hasOperator`).
 */
export function isFilter(value: string): boolean {
  return OPERATOR.test(value);
}

/**
 * Undefined if the call has to be a POST: for null, which differs from an absent argument, for a text that PostgREST would read
 * as a filter, and for a URL that would be too long.
 */
export function queryOf(args: Record<string, unknown>): Record<string, string> | undefined {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  if (given.some(([, value]) => value === null)) return undefined;
  const query = Object.fromEntries(given.map(([name, value]) => [name, textOf(value)]));
  if (Object.values(query).some(isFilter)) return undefined;
  return new URLSearchParams(query).toString().length > MAX_QUERY_LENGTH ? undefined : query;
}

/** Lists become Postgres arrays, other objects JSON. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(elementOf).join(",")}}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Quoted if Postgres would read it otherwise: white space, special characters, empty text, the word null. */
function elementOf(value: unknown): string {
  const text = String(value);
  if (/^[\w.:+-]+$/.test(text) && !/^null$/i.test(text)) return text;
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
