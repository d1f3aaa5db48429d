import { z } from "zod";
import { Id, text } from "../_shared/schema/values.ts";

/** Checked lot by lot, so that what is wrong with one is in its row of the report. */
const stated = (description: string) => z.unknown().optional().meta({ description });

const ImportedLot = z.looseObject({
  external_id: stated("Required. What the source calls the lot, 1 to 200 characters").meta({ examples: ["kajiya-1"] }),
  name: stated("Required"),
  lat: stated("Required. Degrees, also as `35°40′52.5″N`").meta({ examples: [35.68] }),
  lng: stated("Required").meta({ examples: [139.76] }),
  operator_code: stated("The operator; one that is not known is added, with `operator_name`"),
  operator_name: stated("Of an operator that is added"),
  tags: stated("Slugs with true or false; other tags of the lot stay").meta({ examples: [{ covered: true }] }),
  windows: stated("Hours of the kinds that are named (`window_type`, by default `business`); replaced whole"),
  hours: stated("In place of `windows`: a text such as `8:00-20:00`, with `days`; or `open_time` and `close_time`"),
  pricing_rules: stated("The rules outside of pricing groups; replaced whole"),
}).meta({
  id: "ImportedLot",
  description:
    "Further fields: those of a lot. A field that is absent stays as it is, or is the default of a new lot; " +
    "null takes a value away. An empty array of windows or pricing rules says nothing.",
});

export const LotImport = z.strictObject({
  source: text(1, 100).meta({ description: "Who names the lots: `external_id` is unique there", examples: ["yaizu"] }),
  licence: text(1, 200).optional().meta({
    description: "Of the data; absent: lots keep theirs",
    examples: ["CC-BY-4.0"],
  }),
  attribution: text(1, 500).optional(),
  source_url: z.url({ protocol: /^https?$/ }).max(2000).optional(),
  status: z.enum(["draft", "active"]).default("active").meta({ description: "Of new lots; others keep theirs" }),
  dry_run: z.boolean().default(false).meta({ description: "`true`: report and write nothing" }),
  partial: z.boolean().default(false).meta({ description: "`true`: write the other lots though some are rejected" }),
  lots: z.array(ImportedLot).min(1).max(1000),
}).meta({ id: "LotImport" });

const Note = z.object({
  param: z.string().meta({ description: "The path in the request", examples: ["lots.12.pricing_rules.0.per_minutes"] }),
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
    warnings: Count.meta({ description: "Lots with warnings" }),
  }),
  rows: z.array(z.object({
    index: Count.meta({ description: "The place in `lots`, from 0" }),
    external_id: z.string().nullable(),
    outcome: z.enum(["created", "updated", "unchanged", "rejected"]).meta({
      description: "Of a dry run: what would become of the lot",
    }),
    parking_lot_id: Id.nullable(),
    errors: z.array(Note).meta({ description: "Why the lot is rejected; at most ten" }),
    warnings: z.array(Note).meta({ description: "What could not be read, without which the lot is imported" }),
  })),
}).meta({ id: "LotImportReport" });
