import { z } from "zod";
import type { StoredFile } from "../_shared/storage/assets.ts";
import { DecisionReason, SeenUpdatedAt } from "./reviews.schema.ts";
import { ErrorReportStatus, ReportType, Severity } from "../_shared/schema/error_reports.ts";
import { cappedPageOf, OfParkingLot, PageQuery } from "../_shared/schema/lists.ts";
import { Id, pathId, Timestamp } from "../_shared/schema/values.ts";

const Decision = z.enum(["in_review", "resolved", "rejected"]);

export const AdminErrorReport = z.object({
  id: Id,
  user_id: Id.nullable().meta({ description: "The author. Null after the author's withdrawal." }),
  user_name: z.string().nullable().meta({ description: "The author's display name, if set" }),
  parking_lot_id: Id.nullable().meta({
    description: "Null if the lot is missing from the service or was deleted later",
  }),
  parking_lot_name: z.string().meta({ description: "Name of the lot at the time of the report" }),
  report_type: ReportType,
  severity: Severity.nullable(),
  status: ErrorReportStatus,
  allowed_statuses: z.array(Decision).meta({
    description:
      "Allowed values of `status` in a decision. Empty: the report is decided, and cannot be assigned any more.",
  }),
  description: z.string().nullable().meta({ description: "Null after the author's withdrawal" }),
  evidence_urls: z.array(z.url()).meta({ description: "URLs of the evidence, valid for ten minutes" }),
  assigned_admin_id: Id.nullable().meta({ description: "The assigned administrator" }),
  assigned_admin_name: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp.meta({ description: "Send it as `seen_updated_at` with a decision" }),
}).meta({ id: "AdminErrorReport" });

export const AdminErrorReports = cappedPageOf(AdminErrorReport, "AdminErrorReports");

export const AdminErrorReportsQuery = z.strictObject({
  status: ErrorReportStatus.optional().meta({ description: "Default: `open` and `in_review`" }),
  severity: Severity.optional().meta({ description: "Only reports with this severity" }),
  parking_lot_id: OfParkingLot,
  assigned_to: Id.optional().meta({ description: "Only reports assigned to this administrator" }),
  ...PageQuery.shape,
});

export const ErrorReportParams = z.strictObject({ id: pathId("ErrorReportId", "The error report") });

export const ErrorReportDecision = z.strictObject({
  assigned_admin_id: Id.nullable().optional().meta({
    description:
      "An active administrator with the area `lots`. Null removes the assignment. Assigning an `open` report moves " +
      "it to `in_review`.",
  }),
  status: Decision.optional(),
  reason: DecisionReason,
  correction: z.record(z.string(), z.unknown()).optional().meta({
    description:
      "Only with `resolved`: changes to the lot, in the format of `PATCH /v1/admin/parking-lots/{id}`. The decision " +
      "and the changes are applied together or not at all.",
    examples: [{ max_height_m: 2.1 }],
  }),
  seen_updated_at: SeenUpdatedAt,
}).meta({ id: "ErrorReportDecision" });

/** Reports from the database, with the files of their evidence. */
export type StoredAdminErrorReport = Omit<z.input<typeof AdminErrorReport>, "evidence_urls"> & {
  readonly evidence: readonly StoredFile[];
};

export type StoredAdminErrorReports = Omit<z.input<typeof AdminErrorReports>, "items"> & {
  readonly items: readonly StoredAdminErrorReport[];
};
