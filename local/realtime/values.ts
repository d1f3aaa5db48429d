// Values of the log as JSON, equal to to_jsonb(text::type). Postgres converts the types that are not handled here.

/** Postgres has to convert the value. */
export const NOT_PLAIN = Symbol("not plain");

const BOOL = 16;
const BYTEA = 17;
const INTEGERS = new Set([20, 21, 23, 26]);
const FRACTIONS = new Set([700, 701, 1700]);
const JSONS = new Set([114, 3802]);
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
/** "char", name, text, inet, cidr, interval, time, timetz, char, varchar, date, uuid. */
const TEXTS = new Set([18, 19, 25, 650, 869, 1042, 1043, 1082, 1083, 1186, 1266, 2950]);

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(\+00)?$/;
const LONG_NUMBER = /\d{16}/;

/** The types of JSON.rawJSON and of a number's source are not in the compiler's library yet. */
const { rawJSON, parse } = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

export function jsonOf(text: string, type: number): unknown {
  if (TEXTS.has(type)) return text;
  if (INTEGERS.has(type)) return numberOf(text);
  if (FRACTIONS.has(type)) {
    if (NUMBER.test(text)) return numberOf(text);
    return text === "NaN" || text === "Infinity" || text === "-Infinity" ? text : NOT_PLAIN;
  }
  if (type === BOOL) return text === "t";
  if (JSONS.has(type)) return parseJson(text);
  if (type === TIMESTAMPTZ || type === TIMESTAMP) {
    const parts = MOMENT.exec(text);
    return parts === null ? NOT_PLAIN : `${parts[1]}T${parts[2]}${type === TIMESTAMPTZ ? "+00:00" : ""}`;
  }
  if (type === BYTEA) return text.slice(2); // without the \x
  return NOT_PLAIN;
}

/** Digits that a JavaScript number cannot hold are kept as text. */
function numberOf(text: string): unknown {
  const value = Number(text);
  return String(value) === text ? value : rawJSON(text);
}

/** JSON as Postgres wrote it. */
export function parseJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, { source }) => typeof value === "number" ? numberOf(source!) : value);
}
