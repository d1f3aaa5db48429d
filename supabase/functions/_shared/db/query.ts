/**
 * The arguments of a function as PostgREST reads them from a query: texts that Postgres converts to the types of the
 * parameters.
 */

/** Proxies refuse longer addresses (the strictest that are usual: 8 KiB with the host and the path). */
const MAX_QUERY_LENGTH = 6_000;

const OPERATOR =
  /^(not\.|(is|isdistinct|in|n?eq|gte?|lte?|i?like|i?match|cs|cd|ov|sl|sr|nxr|nxl|adj|(pl|ph|w)?fts)([.(]|$))/;

/**
 * Whether PostgREST takes a value for a filter of rows and not for an argument: it begins with an operator, or is one (its
 * QueryParams.hs, `hasOperator`).
 */
export function isFilter(value: string): boolean {
  return OPERATOR.test(value);
}

/**
 * Undefined when the arguments cannot travel in a query, and the call has to be a POST: a null, which is not the same as
 * an argument that is absent; a text that PostgREST would take for a filter; more than an address may hold.
 */
export function queryOf(args: Record<string, unknown>): Record<string, string> | undefined {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  if (given.some(([, value]) => value === null)) return undefined;
  const query = Object.fromEntries(given.map(([name, value]) => [name, textOf(value)]));
  if (Object.values(query).some(isFilter)) return undefined;
  return new URLSearchParams(query).toString().length > MAX_QUERY_LENGTH ? undefined : query;
}

/** A list is an array of Postgres, any other object is JSON. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(elementOf).join(",")}}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Quoted where Postgres would read it otherwise: white space, its own signs, nothing at all, the word null. */
function elementOf(value: unknown): string {
  const text = String(value);
  if (/^[\w.:+-]+$/.test(text) && !/^null$/i.test(text)) return text;
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
