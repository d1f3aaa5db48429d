import { z } from "zod";
import type { StoredFile } from "../_shared/storage/assets.ts";
import { DecisionReason, SeenUpdatedAt } from "./reviews.schema.ts";
import { ErrorReportStatus, ReportType, Severity } from "../_shared/schema/error_reports.ts";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "../_shared/schema/lists.ts";
import { Id, Timestamp } from "../_shared/schema/values.ts";

export const AdminErrorReport = z.object({
  id: Id,
  user_id: Id.nullable().meta({ description: "The author; null when the author has left" }),
  user_name: z.string().nullable().meta({ description: "The display name of the author, if there is one" }),
  parking_lot_id: Id.nullable().meta({ description: "Null: a lot that is missing here, or was deleted since" }),
  parking_lot_name: z.string().meta({ description: "What the lot was called when it was reported" }),
  report_type: ReportType,
  severity: Severity.nullable(),
  status: ErrorReportStatus,
  description: z.string().nullable().meta({ description: "Null when the author has left" }),
  evidence_urls: z.array(z.url()).meta({ description: "Addresses of the evidence, valid for ten minutes" }),
  assigned_admin_id: Id.nullable().meta({ description: "The administrator who works on it" }),
  assigned_admin_name: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp.meta({ description: "What a decision names as `seen_updated_at`" }),
}).meta({ id: "AdminErrorReport" });

export const AdminErrorReports = z.object({ items: z.array(AdminErrorReport), next_cursor: NextCursor, total: Total })
  .meta({ id: "AdminErrorReports" });

export const AdminErrorReportsQuery = z.strictObject({
  status: ErrorReportStatus.optional().meta({ description: "Without it: those that are `open` or `in_review`" }),
  severity: Severity.optional(),
  parking_lot_id: Id.optional(),
  assigned_to: Id.optional().meta({ description: "Reports assigned to this administrator" }),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});

export const ErrorReportParams = z.strictObject({ id: Id.meta({ description: "The error report" }) });

export const ErrorReportDecision = z.strictObject({
  assigned_admin_id: Id.nullable().optional().meta({
    description: "An active administrator with the area `lots`; null: nobody. A report that is `open` is then " +
      "`in_review`",
  }),
  status: z.enum(["in_review", "resolved", "rejected"]).optional(),
  reason: DecisionReason,
  correction: z.record(z.string(), z.unknown()).optional().meta({
    description: "With `resolved`: fields of the lot, as `PATCH /v1/admin/parking-lots/{id}` takes them; applied " +
      "together with the decision, or neither is",
    examples: [{ max_height_m: 2.1 }],
  }),
  seen_updated_at: SeenUpdatedAt,
}).meta({ id: "ErrorReportDecision" });

/** As the database gives reports: with the files of their evidence. */
export type StoredAdminErrorReport = Omit<z.input<typeof AdminErrorReport>, "evidence_urls"> & {
  readonly evidence: readonly StoredFile[];
};

export type StoredAdminErrorReports = Omit<z.input<typeof AdminErrorReports>, "items"> & {
  readonly items: readonly StoredAdminErrorReport[];
};
