// What a binding requests: an event, a table, and filters `column=operator.value`, joined by commas.
import { type FilterRequest, inspect, invalidFilter, noParameters, type SubscriptionRequest } from "./errors.ts";
import { SubscriptionRejected } from "./types.ts";

const OPERATORS = new Set(["eq", "neq", "lt", "lte", "gt", "gte", "in"]);
const EVENTS = new Set(["INSERT", "UPDATE", "DELETE"]);
/** A filter: everything up to a comma that is neither in parentheses nor in quotes. Quotes open after `.`, `(` or `,`. */
const FILTER = /(?:\((?:"(?:[^"\\]|\\.)*"|[^)"])*\)|(?<=[.(,])"(?:[^"\\]|\\.)*"|[^,])+/gs;

/** Throws SubscriptionRejected. A client may send anything as a binding. */
export function readBinding(binding: object): SubscriptionRequest {
  const { event, schema, table, filter, select } = binding as Record<string, unknown>;
  // A client may send null for what it leaves out.
  const isAbsent = (value: unknown) => value === undefined || value === null;
  const isText = [schema, table, filter].every((part) => isAbsent(part) || typeof part === "string");
  const isEmpty = isAbsent(schema) && isAbsent(table);
  const lacksTable = !isAbsent(filter) && (isAbsent(schema) || isAbsent(table));
  if (!isText || isEmpty || lacksTable) throw noParameters(binding);
  if (!isAbsent(select)) throw new SubscriptionRejected("The local platform does not select columns.");
  const name = typeof event === "string" ? event.toUpperCase() : "*";
  return {
    event: EVENTS.has(name) ? name : "*",
    schema: (schema ?? "public") as string,
    table: (table ?? "*") as string,
    filters: readFilters(((filter ?? "") as string).trim()),
  };
}

function readFilters(text: string): FilterRequest[] {
  const filters = text.match(FILTER) ?? [];
  if (filters.join(",") !== text || filters.some((filter) => filter.trim() === "")) {
    throw invalidFilter("filter must not contain empty segments (check for extra commas)");
  }
  return filters.map((filter) => readFilter(filter.trim()));
}

function readFilter(text: string): FilterRequest {
  const [column, condition] = splitAt(text, "=");
  if (condition === undefined) throw invalidFilter(inspect([text]));
  const [operator, value] = splitAt(condition, ".");
  if (value === undefined) throw invalidFilter(inspect([operator]));
  if (!OPERATORS.has(operator)) throw invalidFilter(inspect([operator, value]));
  return { column, operator, value: operator === "in" ? listOf(value) : unquoted(value) };
}

function listOf(value: string): string {
  if (/^\(.*\)$/s.test(value)) return `{${value.slice(1, -1)}}`;
  throw invalidFilter("`in` filter value must be wrapped by parentheses");
}

/** A value in quotes may contain commas. */
function unquoted(value: string): string {
  return /^"(?:[^"\\]|\\.)*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/gs, "$1") : value;
}

function splitAt(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}
