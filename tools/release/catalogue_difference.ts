// The differences between two catalogues, each as a sentence.
import type { Catalogue, CatalogueObject, Value } from "./catalogue.ts";

/** A property with the names of columns in their order. Only the columns of both sides are compared. */
const ORDER = "column order";
/** Longer values are cut. */
const MAX_LENGTH = 120;

/** What differs in `actual`, one line for each object, in the order of names. Parts of a missing or extra object are left out. */
export function differences(expected: Catalogue, actual: Catalogue): string[] {
  const lines: [name: string, line: string][] = [];
  const add = (name: string, line: string) => lines.push([name, line]);
  for (const [name, object] of expected.objects) {
    const other = actual.objects.get(name);
    if (other !== undefined) {
      const changes = changesOf(object, other);
      if (changes.length > 0) add(name, `Different: ${shortened(name)}: ${changes.join("; ")}.`);
    } else if (!isPart(object, expected, actual)) add(name, `Missing: ${shortened(name)}.`);
  }
  for (const [name, object] of actual.objects) {
    if (!expected.objects.has(name) && !isPart(object, actual, expected)) add(name, `Extra: ${shortened(name)}.`);
  }
  return lines.sort(([a], [b]) => a < b ? -1 : 1).map(([, line]) => line);
}

/** Whether the parent, or its parent, is missing too. */
function isPart({ parent }: CatalogueObject, here: Catalogue, there: Catalogue): boolean {
  return parent !== null && here.objects.has(parent) && !there.objects.has(parent);
}

function changesOf(expected: CatalogueObject, actual: CatalogueObject): string[] {
  const names = new Set([...Object.keys(expected.properties), ...Object.keys(actual.properties)]);
  return [...names].sort().flatMap((name) =>
    change(name, expected.properties[name] ?? null, actual.properties[name] ?? null)
  );
}

function change(name: string, expected: Value, actual: Value): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (name === ORDER) return changeOfOrder(expected, actual);
    const extra = actual.filter((item) => !expected.includes(item));
    const missing = expected.filter((item) => !actual.includes(item));
    return [
      ...(extra.length > 0 ? [`${name} have in addition ${extra.join(", ")}`] : []),
      ...(missing.length > 0 ? [`${name} lack ${missing.join(", ")}`] : []),
    ];
  }
  if (expected === actual) return [];
  return [changeOfText(name, shown(expected), shown(actual))];
}

function changeOfOrder(expected: readonly string[], actual: readonly string[]): string[] {
  const [left, right] = [
    expected.filter((column) => actual.includes(column)),
    actual.filter((column) => expected.includes(column)),
  ];
  return left.join() === right.join() ? [] : [changeOfText(ORDER, left.join(", "), right.join(", "))];
}

/** The values, or the first lines that differ of texts with several. */
function changeOfText(name: string, expected: string, actual: string): string {
  const [left, right] = [expected.split("\n"), actual.split("\n")];
  if (left.length === 1 && right.length === 1) return `${name} is ${around(actual, expected)}`;
  const line = left.findIndex((text, index) => text !== right[index]);
  const at = line === -1 ? left.length : line;
  return `line ${at + 1} of ${name} is ${around(right[at]?.trim() ?? "no line", left[at]?.trim() ?? "no line")}`;
}

/** Both texts, cut to the part that differs. */
function around(actual: string, expected: string): string {
  let start = 0;
  while (start < actual.length && actual[start] === expected[start]) start += 1;
  const from = actual.length <= MAX_LENGTH && expected.length <= MAX_LENGTH ? 0 : Math.max(0, start - MAX_LENGTH / 2);
  const cut = (text: string) => `"${from > 0 ? "…" : ""}${shortened(text.slice(from))}"`;
  return `${cut(actual)} instead of ${cut(expected)}`;
}

function shown(value: Value): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null ? "none" : String(value);
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH)}…`;
}
