// Arguments as texts that Postgres reads, or refuses to read, itself. The driver writes some types in its own way, and
// loses its connection over a value that it cannot write: a number for a time, a truth value for a list.

/** A value of a call; what is a list stays one, because the driver knows how lists are written. */
export function asText(value: unknown): unknown {
  if (value === null || value === undefined || typeof value === "string" || Array.isArray(value)) return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Types whose values the driver would write in other words. */
export const plainTypes = {
  bool: { to: 16, from: [16], serialize: String, parse: (text: string) => text === "t" },
  date: plain(1082),
  time: plain(1083),
  timestamp: plain(1114),
  timestamptz: plain(1184),
  timetz: plain(1266),
};

function plain(type: number) {
  return { to: type, from: [type], serialize: String, parse: (text: string) => text };
}
