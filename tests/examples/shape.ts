// Compares examples by the names and types of their fields. Values may differ.

type Kind = "null" | "array" | "object" | "string" | "number" | "boolean" | "undefined";

function kindOf(value: unknown): Kind {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value as Kind;
}

/** Fields that differ, by their paths. Null, an empty list and an absent field have no type to compare. */
export function differences(one: unknown, other: unknown, place = ""): string[] {
  const [kind, otherKind] = [kindOf(one), kindOf(other)];
  if (kind === "null" || otherKind === "null") return [];
  if (kind !== otherKind) return [`${place}: ${kind} in the file, ${otherKind} now`];
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === 0 || other.length === 0 ? [] : differences(one[0], other[0], `${place}.0`);
  }
  if (kind !== "object") return [];
  const [before, after] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => differences(before[name], after[name], place === "" ? name : `${place}.${name}`));
}
