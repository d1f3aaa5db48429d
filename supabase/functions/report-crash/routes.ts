import { route, routesOf } from "../_shared/http/route.ts";
import { CrashReport, CrashReported } from "./crash_reports.schema.ts";

export const reportCrash = route({
  method: "POST",
  path: "/report-crash",
  access: "public",
  summary: "Report a crash of the app",
  description:
    "Limited to 10 per minute per network address. Anonymous: no identifying data is stored, and tokens are ignored. " +
    "Crashes with the same kind, version, device and day are counted together, with the first 8 KiB of the first " +
    "stack. They are deleted after 90 days. Storage per day is limited, and then the rarest reports are deleted " +
    "first.",
  body: CrashReport,
  reply: [200, CrashReported],
  errors: [],
  limit: "crash_report",
  // Runs as the service, so that clients cannot bypass the rate limit.
  calls: "report_crash",
  handle: ({ service, body, clientAddress }) => service.rpc("report_crash", { ...body, address: clientAddress }),
});

export const routes = routesOf({ reportCrash });
