import { z } from "zod";
import { ImportFailure } from "./failure.ts";
import { text } from "../schema/values.ts";
import { ENCODINGS } from "./reading/encoding.ts";

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Name = z.string().min(1).max(100);

/** Condition of a tag or of skipping a record. */
const Condition = z.strictObject({
  from: Name,
  equals: Scalar.optional(),
  not_equals: Scalar.optional(),
  in: z.array(Scalar).min(1).optional(),
  contains: z.string().min(1).optional(),
  matches: z.string().min(1).refine(isPattern, "is not a regular expression").optional(),
  greater_than: z.number().optional(),
  missing: z.boolean().optional(),
}).refine((condition) => Object.keys(condition).length === 2, {
  message: "needs `from` and exactly one of equals, not_equals, in, contains, matches, greater_than, missing",
});
export type Condition = z.infer<typeof Condition>;

/** Source of a value. A bare string is short for {"from": "..."}. */
const Value = z.union([
  Name,
  z.strictObject({
    from: z.union([Name, z.array(Name).min(1)]).optional(),
    template: z.string().min(1).optional(),
    value: Scalar.optional(),
    match: z.string().min(1).refine(isPattern, "is not a regular expression").optional(),
    strip: z.array(z.string().min(1)).optional(),
    lookup: z.record(z.string(), Scalar).optional(),
    multiply: z.number().optional(),
    default: Scalar.optional(),
  }).refine((value) => ["from", "template", "value"].filter((key) => key in value).length === 1, {
    message: "needs exactly one of from, template, value",
  }),
]);
export type Value = z.infer<typeof Value>;

/** The columns of parking_lots that a file can fill, with their types. lot.ts has their bounds. */
export const LOT_FIELDS = {
  name: "text",
  name_kana: "text",
  address: "text",
  lat: "degrees",
  lng: "degrees",
  total_spaces: "integer",
  structure: "text",
  max_height_m: "number",
  max_width_m: "number",
  max_length_m: "number",
  max_weight_t: "number",
  min_clearance_cm: "integer",
  max_tire_width_mm: "integer",
  max_parking_duration_min: "integer",
  entry_method: "text",
  entry_difficulty: "text",
  phone: "text",
  website: "text",
  time_zone: "text",
  holiday_calendar: "text",
  currency: "text",
} as const;
export type LotField = keyof typeof LOT_FIELDS;
export type FieldKind = typeof LOT_FIELDS[LotField];

const fieldShape = Object.fromEntries(
  Object.keys(LOT_FIELDS).map((field) => [field, Value.optional()]),
) as Record<LotField, z.ZodOptional<typeof Value>>;

/** Two times or one text. The text is used if the times are missing. */
const Hours = z.strictObject({
  open: Value.optional(),
  close: Value.optional(),
  text: Value.optional(),
  days: Value.optional(),
}).refine((hours) => (hours.open === undefined) === (hours.close === undefined), "needs open and close, or neither")
  .refine((hours) => hours.open !== undefined || hours.text !== undefined, "needs open and close, or text");

/** A progressive price whose units depend on the duration of the stay, as a list of steps; or the text of a sign. */
const Pricing = z.strictObject({
  steps: z.strictObject({
    from: Name,
    starts_at: Name,
    price: Name,
    unit_minutes: Value,
    minimum_minutes: Value.optional(),
    day_cap: Value.optional(),
    effective_from: Value.optional(),
    effective_to: Value.optional(),
  }).optional(),
  text: Value.optional(),
  leave: z.array(z.strictObject({ when: Condition, reason: z.string().min(1) })).default([]),
}).refine(({ steps, text }) => (steps === undefined) !== (text === undefined), "needs steps or text, not both");

const MappingDefinition = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().regex(/^[a-z0-9_]{1,60}$/, "is lower case letters, digits and underscores"),
  title: z.string().min(1),
  source: text(1, 100).optional(),
  licence: text(1, 200).optional(),
  attribution: text(1, 500).optional(),
  source_url: text(1, 2000).regex(/^https?:\/\/\S+$/, "is not an http address").optional(),
  status: z.enum(["draft", "active"]).default("active"),
  bounds: z.tuple([z.number(), z.number(), z.number(), z.number()]).optional(),
  recognise: z.strictObject({
    format: z.array(z.enum(["csv", "geojson", "ndjson", "xlsx"])).min(1).optional(),
    has: z.array(z.union([Name, z.array(Name).min(1)])).optional(),
    only: z.array(Name).optional(),
    first: z.record(Name, Scalar).optional(),
  }).optional(),
  external_id: Value.optional(),
  without_id: z.enum(["reject", "derive"]).default("reject"),
  /** The encoding of the file; found by its bytes when absent. */
  encoding: z.enum(ENCODINGS).optional(),
  /** The sign before the decimals of the file's numbers. */
  decimal: z.enum([".", ","]).optional(),
  skip: z.array(z.strictObject({ when: Condition, reason: z.string().min(1) })).default([]),
  fields: z.strictObject(fieldShape).refine((fields) => fields.name !== undefined, "needs name"),
  operator: z.strictObject({ code: Value, name: Value.optional() }).optional(),
  tags: z.array(z.strictObject({ slug: Name, when: Condition, otherwise: z.literal(false).optional() })).default([]),
  hours: Hours.optional(),
  pricing: Pricing.optional(),
  /** A reader of the importer for prices or hours that are texts. */
  reader: Name.optional(),
});
export type Mapping = z.infer<typeof MappingDefinition>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Parses a mapping from JSON. Reports all problems at once, each with its position. */
export function parseMapping(text: string, where: string): Mapping {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ImportFailure(`The mapping ${where} is not JSON: ${error.message}`);
  }
  const result = MappingDefinition.safeParse(json);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  ${issue.path.join(".") || "(root)"}: ${issue.message}`);
  throw new ImportFailure(`The mapping ${where} is not valid:\n${problems.join("\n")}`);
}
