/** Messages of field errors for the checks of zod: what the value must be. A schema's own message comes first. */
import type { z } from "zod";

const TYPES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
  tuple: "an array",
};

const FORMATS: Readonly<Record<string, string>> = {
  date: "a date, for example 2026-09-01",
  datetime: "an RFC 3339 timestamp, for example 2026-09-01T09:30:00Z",
  email: "an e-mail address",
  guid: "a UUID, for example 6f7c0f0e-0d0c-4a53-9a6f-1d1f0a3b7c21",
  url: "a URL, for example https://example.com/",
};

/** What zod counts in a value. A number is compared as it is. */
const UNITS: Readonly<Record<string, string>> = {
  array: "items",
  record: "fields",
  object: "fields",
  string: "characters",
};

export function fieldMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `Must be ${TYPES[issue.expected] ?? issue.expected}.`;
    case "invalid_value":
      return `Must be ${issue.values.length === 1 ? "" : "one of: "}${issue.values.map(String).join(", ")}.`;
    case "too_small":
      return size(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return size(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}.`;
    case "invalid_format":
      if (issue.format === "regex") return `Must match the pattern ${issue["pattern"]}.`;
      if (issue.format === "starts_with") return `Must start with ${issue["prefix"]}.`;
      return `Must be ${FORMATS[issue.format] ?? `of the format ${issue.format}`}.`;
    case "invalid_key":
      return "The name of the field is not allowed. See the contract.";
    default:
      return "Must match the schema of the contract.";
  }
}

function size(origin: string, relation: string, bound: number | bigint): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `Must be ${relation} ${bound}.`;
  if (unit === "characters" && relation === "at least" && Number(bound) === 1) return "Must not be empty.";
  return `Must have ${relation} ${bound} ${Number(bound) === 1 ? unit.slice(0, -1) : unit}.`;
}
