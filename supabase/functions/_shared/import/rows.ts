/**
 * Lots of a request, mapped in the same way as the importer maps those of a file: numbers, texts and hours are
 * normalised. Fields outside of the mapping go to the database unchanged, which validates everything.
 */
import { readGeometry } from "../geometry.ts";
import { LOT_FIELDS, type LotField, parseMapping } from "./definition.ts";
import { type Lot, mapRecord, type Problem } from "./lot.ts";

/** Each field under its own name. Hours are `windows`, one text, or two times; prices `pricing_rules` or one text. */
const MAPPING = parseMapping(
  JSON.stringify({
    name: "request",
    title: "Lots of a request",
    external_id: "external_id",
    fields: Object.fromEntries(Object.keys(LOT_FIELDS).map((field) => [field, field])),
    operator: { code: "operator_code", name: "operator_name" },
    // A lot that exists keeps its currency, so that a text counts only where the request states it.
    pricing: {
      text: "fee_text",
      leave: [{
        when: { from: "currency", missing: true },
        reason: "the text of the fees needs the currency of the lot",
      }],
    },
    hours: { text: "hours", days: "days", open: "open_time", close: "close_time" },
  }),
  "of requests",
);

/** Fields of the mapping. All other fields go to the database unchanged. */
const MAPPED = ["external_id", ...Object.keys(LOT_FIELDS), "operator_code", "operator_name"];
const READ = ["hours", "days", "open_time", "close_time", "fee_text"];

export type Row = Readonly<Record<string, unknown>>;

/** The lots in the format of api.admin_import_parking_lots. One without a place has the centre of its area. */
export function mapRows(rows: readonly Row[]): Row[] {
  return rows.map((row, position) => {
    const others = Object.entries(row).filter(([key]) => !MAPPED.includes(key) && !READ.includes(key));
    const rest: Record<string, unknown> = Object.fromEntries(others);
    const isPlaced = "lat" in row || "lng" in row;
    let values = row;
    const errors: Problem[] = [];
    if (rest["area"] !== undefined && rest["area"] !== null) {
      const outline = readGeometry(rest["area"]);
      if ("geometry" in outline) {
        rest["area"] = outline.geometry;
        if (!isPlaced) values = { ...row, ...outline.point };
      } else {
        delete rest["area"];
        errors.push({ field: "area", reason: outline.problem });
      }
    }
    const mapped = mapRecord({ position, values }, MAPPING);
    if ("lot" in mapped) {
      return { ...lotOf(mapped.lot, values, rest), ...(errors.length > 0 ? { mapping_errors: errors.map(note) } : {}) };
    }
    // The place of an area that is none is not missing.
    const isUnread = (field: string) => errors.length > 0 && !isPlaced && (field === "lat" || field === "lng");
    if ("skipped" in mapped) throw new TypeError("The mapping of requests skips nothing");
    return {
      ...rest,
      ...(mapped.externalId === undefined ? {} : { external_id: mapped.externalId }),
      mapping_errors: [...mapped.problems.filter(({ field }) => !isUnread(field)), ...errors].map(note),
    };
  });
}

function lotOf(lot: Lot, values: Row, rest: Row): Row {
  const fields = [...lot.fields].filter(([field]) => isStated(values, field));
  const { operator, windows, pricing } = lot;
  const tags = typeof rest["tags"] === "object" && rest["tags"] !== null && !Array.isArray(rest["tags"])
    ? { ...lot.tags, ...rest["tags"] }
    : rest["tags"] ?? lot.tags;
  return {
    external_id: lot.externalId,
    ...Object.fromEntries(fields),
    ...(isStated(values, "operator_code") ? { operator_code: operator?.code ?? null } : {}),
    ...(operator === null ? {} : { operator_name: operator.name }),
    ...(windows === null ? {} : { windows }),
    ...(pricing === null ? {} : { pricing_rules: pricing }),
    ...rest,
    tags,
    mapping_warnings: lot.warnings.map(note),
  };
}

/** Fields that a lot does not contain are not changed. */
function isStated(values: Row, field: LotField | "operator_code"): boolean {
  return Object.hasOwn(values, field);
}

function note({ field, reason }: Problem): { param: string; message: string } {
  const [param = field] = field.split(", ");
  return { param, message: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` };
}
