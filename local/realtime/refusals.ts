// The words in which a subscription is refused: those of the hosted service, which prints values in its own language.
import { SubscriptionRejected } from "./types.ts";

export interface Asked {
  readonly event: string;
  readonly schema: string;
  readonly table: string;
  readonly filters: readonly AskedFilter[];
  readonly select: readonly string[] | undefined;
}

export interface AskedFilter {
  readonly column: string;
  readonly operator: string;
  /** As Postgres reads it: an array literal for `in`. */
  readonly value: string;
  readonly negated: boolean;
}

/** The names of the errors that a filter's value can raise. */
const CONDITIONS: Record<string, string> = {
  "22003": "numeric_value_out_of_range",
  "22007": "invalid_datetime_format",
  "22008": "datetime_field_overflow",
  "22021": "character_not_in_repertoire",
  "22P02": "invalid_text_representation",
  "22P05": "untranslatable_character",
  "23502": "not_null_violation",
  "42704": "undefined_object",
  "42804": "datatype_mismatch",
  "42883": "undefined_function",
  "P0001": "raise_exception",
};

export function nothingAsked(binding: object): SubscriptionRejected {
  const asked = "user_token" in binding || "auth_token" in binding ? "<redacted>" : inspect(binding);
  return new SubscriptionRejected(
    `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${asked}`,
  );
}

export function badFilter(reason: string): SubscriptionRejected {
  return new SubscriptionRejected(`Error parsing \`filter\` params: ${reason}`);
}

export function notPublished(asked: Asked): SubscriptionRejected {
  return new SubscriptionRejected(
    "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect " +
      `parameters: [${parameters(asked)}]`,
  );
}

export function exception(asked: Asked, code: string, message: string): SubscriptionRejected {
  const condition = CONDITIONS[code];
  const name = condition === undefined ? code : `${code} (${condition})`;
  return new SubscriptionRejected(
    "Unable to subscribe to changes with given parameters. An exception happened so please check your connect " +
      `parameters: [${parameters(asked)}]. Exception: ERROR ${name} ${message}`,
  );
}

function parameters({ event, schema, table, filters, select }: Asked): string {
  const tuples = filters.map(({ column, operator, value, negated }) =>
    `{${[column, operator, value, negated].map(inspect).join(", ")}}`
  );
  return `event: ${event}, schema: ${schema}, table: ${table}, filters: [${tuples.join(", ")}], select: ${
    inspect(select)
  }`;
}

export function inspect(value: unknown): string {
  if (value === undefined || value === null) return "nil";
  if (typeof value === "string") return JSON.stringify(value).replaceAll("#{", "\\#{");
  if (Array.isArray(value)) return `[${value.map(inspect).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  const entries = Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1);
  return `%{${entries.map(([name, part]) => `${inspect(name)} => ${inspect(part)}`).join(", ")}}`;
}
