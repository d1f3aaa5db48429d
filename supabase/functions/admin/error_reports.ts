import { fileUrl } from "../_shared/storage/assets.ts";
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

const withSignedUrls = async (reader: Reader, { evidence, ...report }: StoredAdminErrorReport) => ({
  ...report,
  evidence_urls: await Promise.all(evidence.map((file) => fileUrl(reader, file))),
});

export const listErrorReports = route({
  method: "GET",
  path: "/admin/error-reports",
  access: "admin",
  area: "lots",
  summary: "List error reports to process",
  description: "Oldest first. By default, reports that are `open` or `in_review`.",
  query: AdminErrorReportsQuery,
  reply: [200, AdminErrorReports],
  errors: [],
  calls: "admin_list_error_reports",
  uses: ["storage"],
  handle: async ({ db, query, links, storage }) => {
    const { items, ...page } = await db.rpc<StoredAdminErrorReports>("admin_list_error_reports", query);
    return { ...page, items: await Promise.all(items.map((report) => withSignedUrls({ links, storage }, report))) };
  },
});

export const readErrorReport = route({
  method: "GET",
  path: "/admin/error-reports/{id}",
  access: "admin",
  area: "lots",
  summary: "Get an error report",
  params: ErrorReportParams,
  reply: [200, AdminErrorReport],
  errors: ["not_found"],
  calls: "admin_get_error_report",
  uses: ["storage"],
  handle: async ({ db, params, links, storage }) =>
    await withSignedUrls({ links, storage }, await db.rpc<StoredAdminErrorReport>("admin_get_error_report", params)),
});

export const updateErrorReport = route({
  method: "PATCH",
  path: "/admin/error-reports/{id}",
  access: "admin",
  area: "lots",
  summary: "Assign, resolve or reject an error report",
  description:
    "`docs/domains/states.md` lists the allowed transitions. Any other returns 409 `conflict` with the allowed " +
    "states in `details.allowed`. Returns 409 `conflict` with `details.reason` `changed_meanwhile` if the report " +
    "changed after `seen_updated_at`. An administrator cannot decide on their own report: 403 `forbidden` with " +
    "`details.reason` `own_entry`. The author is notified of a result and receives experience points for a " +
    "`resolved` report.",
  params: ErrorReportParams,
  body: ErrorReportDecision,
  reply: [200, AdminErrorReport],
  errors: ["not_found", "conflict"],
  calls: "admin_update_error_report",
  uses: ["storage"],
  handle: async ({ db, params, body, links, storage }) =>
    await withSignedUrls(
      { links, storage },
      await db.rpc<StoredAdminErrorReport>("admin_update_error_report", { id: params.id, changes: body }),
    ),
});
