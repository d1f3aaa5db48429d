import { z } from "zod";
import { Id, text } from "../_shared/schema/values.ts";
import { Url } from "./parking_lots.schema.ts";

/** Checked lot by lot, so that errors of a lot are in its row of the report. */
const anyValue = (description: string) => z.unknown().optional().meta({ description });

const ImportedLot = z.looseObject({
  external_id: anyValue("Required. Id of the lot at its source, 1 to 200 characters").meta({ examples: ["kajiya-1"] }),
  name: anyValue("Required"),
  lat: anyValue("Degrees, also in the form `35°40′52.5″N`. Omitted: the centre of `area`").meta({ examples: [35.68] }),
  lng: anyValue("As `lat`").meta({ examples: [139.76] }),
  operator_code: anyValue("The operator. An unknown code adds an operator, named by `operator_name`"),
  operator_name: anyValue("Name of the operator if it is added"),
  tags: anyValue("Slugs with true or false. Tags that are not listed do not change").meta({
    examples: [{ covered: true }],
  }),
  windows: anyValue("Hours by kind (`window_type`, default `business`). Each listed kind is replaced completely"),
  hours: anyValue("Instead of `windows`: a text such as `8:00-20:00`, with `days`. Or `open_time` and `close_time`"),
  pricing_rules: anyValue("The rules outside of pricing groups. They are replaced completely"),
  fee_text: anyValue(
    "Instead of `pricing_rules`: the text of a sign, as `POST /v1/admin/tariff-text` reads it. Requires `currency`",
  ).meta({ examples: ["30分200円 入庫後24時間最大900円"] }),
}).meta({
  id: "ImportedLot",
  description:
    "Additional fields: those of a lot. An omitted field does not change, or takes its default in a new lot. Null " +
    "clears a field. An empty array of windows or pricing rules has no effect.",
});

export const LotImport = z.strictObject({
  source: text(1, 100).meta({
    description: "The source of the data. `external_id` is unique within a source.",
    examples: ["yaizu"],
  }),
  licence: text(1, 200).optional().meta({
    description: "Licence of the data. If omitted, existing lots keep theirs.",
    examples: ["CC-BY-4.0"],
  }),
  attribution: text(1, 500).optional(),
  source_url: Url.optional(),
  status: z.enum(["draft", "active"]).default("active").meta({
    description: "Status of new lots. Existing lots keep theirs.",
  }),
  dry_run: z.boolean().default(false).meta({ description: "`true`: return the report without writing anything" }),
  partial: z.boolean().default(false).meta({
    description: "`true`: import the valid lots even if others are rejected",
  }),
  lots: z.array(ImportedLot).min(1).max(1000),
}).meta({ id: "LotImport" });

const Note = z.object({
  param: z.string().meta({
    description: "Path of the value in the request",
    examples: ["lots.12.pricing_rules.0.per_minutes"],
  }),
  message: z.string(),
});

const Count = z.int().min(0);

export const LotImportReport = z.object({
  dry_run: z.boolean(),
  counts: z.object({
    read: Count,
    created: Count,
    updated: Count,
    unchanged: Count,
    rejected: Count,
    warnings: Count.meta({ description: "Number of lots with warnings" }),
  }),
  rows: z.array(z.object({
    index: Count.meta({ description: "Index in `lots`, starting at 0" }),
    external_id: z.string().nullable(),
    outcome: z.enum(["created", "updated", "unchanged", "rejected"]).meta({
      description: "In a dry run: what the import would do with the lot",
    }),
    parking_lot_id: Id.nullable(),
    errors: z.array(Note).meta({ description: "Why the lot is rejected, at most ten errors" }),
    warnings: z.array(Note).meta({ description: "Values that could not be read. The lot is imported without them." }),
  })),
}).meta({ id: "LotImportReport" });
