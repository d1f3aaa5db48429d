// What a binding asks for: `column=[not.]operator.value`, several joined by commas, and which columns it wants.
import { type Asked, type AskedFilter, badFilter, inspect, nothingAsked } from "./refusals.ts";
import { SubscriptionRejected } from "./types.ts";

const OPERATORS = new Set([
  ...["eq", "neq", "lt", "lte", "gt", "gte", "in"],
  ...["like", "ilike", "is", "match", "imatch", "isdistinct"],
]);
const EVENTS = new Set(["INSERT", "UPDATE", "DELETE"]);

/** Throws SubscriptionRejected. A binding is what a client sent: anything. */
export function readBinding(binding: object): Asked {
  const { event, schema, table, filter } = binding as Record<string, unknown>;
  const select = readSelect((binding as Record<string, unknown>)["select"]);
  const named = typeof event === "string" ? event.toUpperCase() : "*";
  const asked = { event: EVENTS.has(named) ? named : "*", select };
  // A client that leaves a part out may send null for it.
  const given = [schema, table, filter].map((part) => part !== undefined && part !== null);
  const [hasSchema, hasTable, hasFilter] = given as [boolean, boolean, boolean];
  const isText = [schema, table, filter].every((part, index) => !given[index] || typeof part === "string");
  const filterHasTable = !hasFilter || (hasSchema && hasTable);
  if (!isText || !filterHasTable || !(hasSchema || hasTable)) throw nothingAsked(binding);
  const place = { schema: (schema ?? "public") as string, table: (table ?? "*") as string };
  const filters = hasFilter ? readFilters(filter as string) : [];
  if (select !== undefined && (place.schema === "*" || place.table === "*")) {
    throw new SubscriptionRejected(
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    );
  }
  return { ...asked, ...place, filters };
}

function readSelect(select: unknown): readonly string[] | undefined {
  if (typeof select === "string") {
    throw new SubscriptionRejected(
      "Error parsing `select` params: expected a list of column name strings, e.g. select: " +
        '["col1", "col2"]',
    );
  }
  if (!Array.isArray(select)) return undefined;
  const names = select.filter((name) => typeof name === "string");
  return names.length === 0 ? undefined : [...new Set(names)].sort();
}

function readFilters(text: string): AskedFilter[] {
  const trimmed = text.trim();
  return trimmed === "" ? [] : segments(trimmed).map(readFilter);
}

function readFilter(segment: string): AskedFilter {
  const trimmed = segment.trim();
  if (trimmed === "") throw badFilter("filter must not contain empty segments (check for extra commas)");
  const [column, condition] = cut(trimmed, "=");
  if (condition === undefined) throw badFilter(inspect([trimmed]));
  const negated = condition.startsWith("not.");
  const [operator, value] = cut(negated ? condition.slice("not.".length) : condition, ".");
  if (value === undefined) throw badFilter(inspect([operator]));
  if (!OPERATORS.has(operator)) throw badFilter(inspect([operator, value]));
  return { column, operator, value: operator === "in" ? list(value) : unquoted(value), negated };
}

function list(value: string): string {
  if (/^\(.*\)$/s.test(value)) return `{${value.slice(1, -1)}}`;
  throw badFilter("`in` filter value must be wrapped by parentheses");
}

/** A value within quotes, which may then hold commas. */
function unquoted(value: string): string {
  return /^"(?:[^"\\]|\\.)*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/gs, "$1") : value;
}

function cut(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** Cut at commas that are not within parentheses or quotes; a quote opens after a point, a comma or a parenthesis. */
function segments(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (isQuoted) {
      if (character === "\\") at++;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = at > 0 && ".(,".includes(text[at - 1]!);
    else if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (character === "," && depth === 0) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...found, text.slice(start)];
}
