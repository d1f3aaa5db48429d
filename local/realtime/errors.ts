// The errors of a subscription, in the words of the hosted service, which prints values in Elixir's notation.
import { SubscriptionRejected } from "./types.ts";

export interface SubscriptionRequest {
  readonly event: string;
  readonly schema: string;
  readonly table: string;
  readonly filters: readonly FilterRequest[];
}

export interface FilterRequest {
  readonly column: string;
  readonly operator: string;
  /** As Postgres reads it: an array literal for `in`. */
  readonly value: string;
}

/** The names of the errors that the value of a filter can raise. */
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
const REJECTED = "Unable to subscribe to changes with given parameters.";

export function noParameters(binding: object): SubscriptionRejected {
  const sent = "user_token" in binding || "auth_token" in binding ? "<redacted>" : inspect(binding);
  return new SubscriptionRejected(
    `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${sent}`,
  );
}

export function invalidFilter(reason: string): SubscriptionRejected {
  return new SubscriptionRejected(`Error parsing \`filter\` params: ${reason}`);
}

export function notPublished(request: SubscriptionRequest): SubscriptionRejected {
  const advice = "Please check Realtime is enabled for the given connect parameters";
  return new SubscriptionRejected(`${REJECTED} ${advice}: [${parameters(request)}]`);
}

export function rejectedByPostgres(request: SubscriptionRequest, code: string, message: string): SubscriptionRejected {
  const advice = "An exception happened so please check your connect parameters";
  const name = code in CONDITIONS ? `${code} (${CONDITIONS[code]})` : code;
  return new SubscriptionRejected(
    `${REJECTED} ${advice}: [${parameters(request)}]. Exception: ERROR ${name} ${message}`,
  );
}

function parameters({ event, schema, table, filters }: SubscriptionRequest): string {
  const tuples = filters.map(({ column, operator, value }) =>
    `{${[column, operator, value].map(inspect).join(", ")}, false}`
  );
  return `event: ${event}, schema: ${schema}, table: ${table}, filters: [${tuples.join(", ")}], select: nil`;
}

export function inspect(value: unknown): string {
  if (value === undefined || value === null) return "nil";
  if (typeof value === "string") return JSON.stringify(value).replaceAll("#{", "\\#{");
  if (Array.isArray(value)) return `[${value.map(inspect).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  const entries = Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1);
  return `%{${entries.map(([name, part]) => `${inspect(name)} => ${inspect(part)}`).join(", ")}}`;
}
