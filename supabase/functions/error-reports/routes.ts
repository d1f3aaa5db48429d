import { CONFIRM_ASSET_CALLS, confirmAssets, fileUrls } from "../_shared/storage/assets.ts";
import { route, routesOf } from "../_shared/http/route.ts";
import { MeErrorReport, NewErrorReport, type StoredErrorReport } from "../_shared/schema/error_reports.ts";

export const postErrorReport = route({
  method: "POST",
  path: "/error-reports",
  access: "user",
  summary: "Report an error about a lot",
  description:
    "Report a public lot by its id, or a lot missing from the service by its name. Upload evidence first (`POST " +
    "/v1/storage/upload-url`, category `error_report`). At most 100 reports in 24 hours.",
  body: NewErrorReport,
  reply: [201, MeErrorReport],
  errors: ["lot_not_found", "not_found"],
  limit: "report",
  calls: ["post_error_report", ...CONFIRM_ASSET_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    const { db, body, storage } = context;
    await confirmAssets(context, body.evidence_asset_ids, "error_report", "evidence_asset_ids");
    const { evidence_keys, ...report } = await db.rpc<StoredErrorReport>("post_error_report", body);
    return { ...report, evidence_urls: await fileUrls(storage, evidence_keys) };
  },
});

export const routes = routesOf({ postErrorReport });
