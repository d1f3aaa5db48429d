import { z } from "zod";
import { error_reports } from "../db/columns.ts";
import { column } from "./columns.ts";
import { pageOf } from "./lists.ts";
import { Id, text, Timestamp } from "./values.ts";

export const ReportType = text(1, 50).meta({
  description: "A code of category `error_report_type`",
  examples: ["price"],
});
export const ErrorReportStatus = z.enum(["open", "in_review", "resolved", "rejected"]);
export const Severity = z.enum(["low", "medium", "high", "critical"]);

export const MeErrorReport = z.object({
  id: Id,
  parking_lot_id: Id.nullable().meta({
    description: "Null if the lot is missing from the service or was deleted later",
  }),
  parking_lot_name: z.string().meta({ description: "Name of the lot at the time of the report" }),
  report_type: ReportType,
  severity: Severity.nullable(),
  status: ErrorReportStatus,
  description: z.string(),
  evidence_urls: z.array(z.url()).nullable().meta({
    description: "URLs of the evidence, valid for ten minutes. Null without evidence.",
  }),
  created_at: Timestamp,
}).meta({ id: "MeErrorReport" });

export const MeErrorReports = pageOf(MeErrorReport, "MeErrorReports");

export const NewErrorReport = z.strictObject({
  parking_lot_id: Id.optional().meta({
    description: "The lot. Send `parking_lot_name` instead if the lot is missing from the service.",
  }),
  parking_lot_name: column(error_reports.parking_lot_name).optional().meta({
    description: "Name of a lot that is missing from the service",
  }),
  report_type: ReportType,
  severity: Severity.optional(),
  description: column(error_reports.description).unwrap(),
  evidence_asset_ids: z.array(Id).max(5).optional().meta({
    description: "Files uploaded with the category `error_report`. Each file belongs to one report.",
  }),
}).meta({
  id: "NewErrorReport",
  oneOf: [{ required: ["parking_lot_id"] }, { required: ["parking_lot_name"] }],
});

/** A report from the database, with the keys of its evidence. */
export type StoredErrorReport = Omit<z.input<typeof MeErrorReport>, "evidence_urls"> & {
  readonly evidence_keys: readonly string[] | null;
};
