/** What an act changed, line by line: a field with its values before and after, or an entry of a set. */

export interface ChangeLine {
  /** The fields from the outside to the inside: `["pricing_rules", "price_minor"]`. */
  readonly path: readonly string[];
  /** The position in its set, from 1. */
  readonly nth?: number;
  readonly kind: "changed" | "set" | "removed" | "added" | "dropped" | "told";
  readonly before?: unknown;
  readonly after?: unknown;
}

type Row = Readonly<Record<string, unknown>>;

/** What follows from the other fields, or names nothing that a reader knows. */
const HIDDEN: ReadonlySet<string> = new Set([
  "id",
  "allowed_statuses",
  "gift_id",
  "success_count",
  "failure_count",
  "suppressed_count",
  "deferred_count",
  "sync_run_ids",
]);

const isNothing = (value: unknown) =>
  value === null || value === undefined || value === "" || JSON.stringify(value) === "[]" ||
  JSON.stringify(value) === "{}";
const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);
const isSet = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow);
const isPair = (value: unknown): value is { old?: unknown; new?: unknown } => isRow(value) && "new" in value;
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The lines of a record. What is no pair of values, for example a reason, is said as it is. */
export function changeLines(changes: Row): ChangeLine[] {
  return Object.entries(changes).filter(([name]) => !HIDDEN.has(name)).flatMap(([name, change]) =>
    isPair(change)
      ? linesOf([name], change.old, change.new)
      : isNothing(change)
      ? []
      : [{ path: [name], kind: "told" as const, after: change }]
  );
}

function linesOf(path: readonly string[], before: unknown, after: unknown): ChangeLine[] {
  if (isSet(before) || isSet(after)) {
    return setLines(path, isSet(before) ? before : [], isSet(after) ? after : []);
  }
  if (isNothing(before) && isNothing(after)) return [];
  if (isNothing(before)) return [{ path, kind: "set", after }];
  if (isNothing(after)) return [{ path, kind: "removed", before }];
  return [{ path, kind: "changed", before, after }];
}

/** Entries with an id that both sets have are compared field by field; others are new or gone. */
function setLines(path: readonly string[], before: readonly Row[], after: readonly Row[]): ChangeLine[] {
  const stays = (row: Row, rows: readonly Row[]) =>
    rows.find((other) => row["id"] !== undefined ? other["id"] === row["id"] : isSame(other, row));
  const changed = after.flatMap((row, index) => {
    const old = stays(row, before);
    if (old === undefined || isSame(old, row)) return [];
    const names = [...new Set([...Object.keys(old), ...Object.keys(row)])].filter((name) => name !== "id");
    return names.filter((name) => !isSame(old[name], row[name])).flatMap((name) =>
      linesOf([...path, name], old[name], row[name]).map((line) => ({ ...line, nth: index + 1 }))
    );
  });
  const added = after.filter((row) => stays(row, before) === undefined).length;
  const dropped = before.filter((row) => stays(row, after) === undefined).length;
  return [
    ...changed,
    ...(added === 0 ? [] : [{ path, kind: "added" as const, after: added }]),
    ...(dropped === 0 ? [] : [{ path, kind: "dropped" as const, before: dropped }]),
  ];
}

/** The name that the record has of what was changed. */
export function nameIn(changes: Row): string | undefined {
  const [name] = ["title", "name", "display_name", "subject", "email"].flatMap((field) => {
    const change = changes[field];
    const value = isPair(change) ? change.new ?? change.old : change;
    return typeof value === "string" && value !== "" ? [value] : [];
  });
  return name;
}
