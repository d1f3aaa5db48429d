import { PageQuery } from "../_shared/schema/lists.ts";
import { fileUrls } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import { MeErrorReports, type StoredErrorReport } from "../_shared/schema/error_reports.ts";

export const listMyErrorReports = route({
  method: "GET",
  path: "/me/error-reports",
  access: "user",
  summary: "List the caller's error reports",
  description: "Reports in all states, newest first.",
  query: PageQuery,
  reply: [200, MeErrorReports],
  errors: [],
  calls: "list_my_error_reports",
  uses: ["storage"],
  handle: async ({ db, query, storage }) => {
    const page = await db.rpc<{ items: StoredErrorReport[]; next_cursor: string | null }>(
      "list_my_error_reports",
      query,
    );
    const items = page.items.map(async ({ evidence_keys, ...report }) => ({
      ...report,
      evidence_urls: await fileUrls(storage, evidence_keys),
    }));
    return { ...page, items: await Promise.all(items) };
  },
});
