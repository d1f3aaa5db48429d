import { addressOf } from "../_shared/storage/assets.ts";
import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
import type { ObjectStorage } from "../_shared/storage/object_storage.ts";
import {
  AdminErrorReport,
  AdminErrorReports,
  AdminErrorReportsQuery,
  ErrorReportDecision,
  ErrorReportParams,
  type StoredAdminErrorReport,
  type StoredAdminErrorReports,
} from "./error_reports.schema.ts";

interface Reader {
  readonly links: Links;
  readonly storage: ObjectStorage;
}

const readable = async (reader: Reader, { evidence, ...report }: StoredAdminErrorReport) => ({
  ...report,
  evidence_urls: await Promise.all(evidence.map((file) => addressOf(reader, file))),
});

export const listErrorReports = route({
  method: "GET",
  path: "/admin/error-reports",
  access: "admin",
  area: "lots",
  summary: "List error reports to work on",
  description: "Oldest first: without `status` those that are `open` or `in_review`.",
  query: AdminErrorReportsQuery,
  reply: [200, AdminErrorReports],
  errors: [],
  handle: async ({ db, query, links, storage }) => {
    const { items, ...page } = await db.rpc<StoredAdminErrorReports>("admin_list_error_reports", query);
    return { ...page, items: await Promise.all(items.map((report) => readable({ links, storage }, report))) };
  },
});

export const readErrorReport = route({
  method: "GET",
  path: "/admin/error-reports/{id}",
  access: "admin",
  area: "lots",
  summary: "Read an error report",
  params: ErrorReportParams,
  reply: [200, AdminErrorReport],
  errors: ["not_found"],
  handle: async ({ db, params, links, storage }) =>
    await readable({ links, storage }, await db.rpc<StoredAdminErrorReport>("admin_get_error_report", params)),
});

export const updateErrorReport = route({
  method: "PATCH",
  path: "/admin/error-reports/{id}",
  access: "admin",
  area: "lots",
  summary: "Assign an error report, resolve or reject it",
  description: "Allowed moves only (`docs/domains/states.md`); any other is `conflict` with the allowed ones in " +
    "`details.allowed`. A report that was changed since `seen_updated_at` is `conflict` with `details.reason` " +
    "`changed_meanwhile`. Nobody decides on their own report: `forbidden` with `details.reason` `own_entry`. The " +
    "author is notified of a result, and given experience points once a report is `resolved`.",
  params: ErrorReportParams,
  body: ErrorReportDecision,
  reply: [200, AdminErrorReport],
  errors: ["not_found", "conflict"],
  handle: async ({ db, params, body, links, storage }) =>
    await readable(
      { links, storage },
      await db.rpc<StoredAdminErrorReport>("admin_update_error_report", { id: params.id, changes: body }),
    ),
});
