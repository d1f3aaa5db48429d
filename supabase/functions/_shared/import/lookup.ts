import type { SourceRecord } from "./record.ts";
import type { Condition, Value } from "./definition.ts";
import { pointOf } from "../geometry.ts";
import { type DecimalSign, isGreater, numberOf } from "./numbers.ts";
import { headerName, narrow, normalizeSpace } from "./text.ts";

type Scalar = string | number | boolean | null;
type Step = { readonly key: string } | { readonly where: string; readonly equals: string };

const paths = new Map<string, readonly Step[]>();

/** Parses `capacities[categoryType=STANDARD].total` into steps, once for each path of a mapping. */
function stepsOf(path: string): readonly Step[] {
  let steps = paths.get(path);
  if (steps === undefined) {
    steps = [...path.matchAll(/\[([^=\]]+)=([^\]]*)\]|([^.[\]]+)/g)].map(([, where, equals, key]) =>
      key === undefined ? { where: where ?? "", equals: equals ?? "" } : { key }
    );
    paths.set(path, steps);
  }
  return steps;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function featureValue(record: SourceRecord, path: string): unknown {
  if (path === "$id") return record.id;
  const point = pointOf(record.geometry);
  return path === "$lat" ? point?.lat : path === "$lng" ? point?.lng : undefined;
}

/**
 * The value of a record at a path. A column or property of exactly that name has priority. Otherwise it is a dotted
 * path, in which `list[key=value]` selects the list member with that key. `$id`, `$lat` and `$lng` are the id and the
 * point of the feature.
 */
export function valueAt(record: SourceRecord, path: string): unknown {
  if (path.startsWith("$")) return featureValue(record, path);
  if (Object.hasOwn(record.values, path)) return record.values[path];
  const column = headerName(path);
  if (column !== path && Object.hasOwn(record.values, column)) return record.values[column];
  let found: unknown = record.values;
  for (const step of stepsOf(path)) {
    if ("key" in step) {
      found = isObject(found) && Object.hasOwn(found, step.key) ? found[step.key] : undefined;
    } else {
      found = Array.isArray(found)
        ? found.find((member) => isObject(member) && String(member[step.where]) === step.equals)
        : undefined;
    }
  }
  return found;
}

export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * The raw value of a field in the mapping, before it is parsed as a number, a time or another type. Undefined if
 * missing.
 */
export function valueOf(record: SourceRecord, value: Value, decimal?: DecimalSign): unknown {
  if (typeof value === "string") return present(valueAt(record, value));
  let found: unknown;
  if (value.from !== undefined) {
    const sources = typeof value.from === "string" ? [value.from] : value.from;
    found = sources.map((path) => valueAt(record, path)).find((candidate) => !isMissing(candidate));
  } else if (value.template !== undefined) {
    found = fillTemplate(record, value.template);
  } else {
    found = value.value;
  }
  found = present(found);
  if (found !== undefined && value.match !== undefined) {
    const match = new RegExp(value.match, "u").exec(String(found));
    found = match === null ? undefined : present(match[1] ?? match[0]);
  }
  for (const unit of value.strip ?? []) {
    if (typeof found === "string") found = withoutUnit(narrow(found), narrow(unit));
  }
  if (found !== undefined && value.lookup !== undefined) {
    const key = normalizeSpace(String(found));
    found = Object.hasOwn(value.lookup, key) ? present(value.lookup[key]) : undefined;
  }
  if (found !== undefined && value.multiply !== undefined) {
    const number = numberOf(found, decimal); // what is none is refused with its text when its field is read
    if ("value" in number) found = Number((number.value * value.multiply).toPrecision(12));
  }
  return found ?? present(value.default);
}

/** Between two digits a unit divides two numbers: 2m10 is not 210. */
function withoutUnit(text: string, unit: string): string {
  const at = text.indexOf(unit), end = at + unit.length;
  if (at < 0 || /\d/.test(text.charAt(at - 1)) && /\d/.test(text.charAt(end))) return text;
  return text.slice(0, at) + text.slice(end);
}

function present(value: unknown): unknown {
  return isMissing(value) ? undefined : value;
}

/**
 * Fills a template such as `{addressLine}, {postalCode} {city}`. Undefined if any part is missing, because half an
 * address is misleading.
 */
function fillTemplate(record: SourceRecord, template: string): string | undefined {
  let complete = true;
  const text = template.replace(/\{([^}]+)\}/g, (_, path: string) => {
    const part = valueAt(record, path);
    if (isMissing(part)) complete = false;
    return normalizeSpace(String(part));
  });
  return complete ? text : undefined;
}

/** Whether a condition is true of a record; undefined if it compares a number and the text is not clearly one. */
export function hasKey(record: SourceRecord, condition: Condition): boolean | undefined {
  const found = valueAt(record, condition.from);
  const text = isMissing(found) ? undefined : normalizeSpace(String(found));
  const same = (expected: Scalar) => found === expected || (text !== undefined && text === String(expected));
  if (condition.missing !== undefined) return isMissing(found) === condition.missing;
  if (condition.not_equals !== undefined) return !same(condition.not_equals);
  if (condition.equals !== undefined) return same(condition.equals);
  if (condition.in !== undefined) return condition.in.some(same);
  if (text === undefined) return false;
  if (condition.contains !== undefined) return text.includes(condition.contains);
  if (condition.matches !== undefined) return new RegExp(condition.matches, "u").test(text);
  return isGreater(found, condition.greater_than ?? Infinity);
}
