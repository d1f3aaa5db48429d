import { route } from "../_shared/http/route.ts";
import { CrashReport, CrashReported } from "../_shared/schema/crash_reports.ts";

export const reportCrash = route({
  method: "POST",
  path: "/report-crash",
  access: "public",
  summary: "Report a crash of the app",
  description: "Ten a minute and network address. Nothing is kept that tells who reports; a token is not looked at. " +
    "Crashes of one kind, version, device and day are counted, and are gone after 90 days.",
  body: CrashReport,
  reply: [200, CrashReported],
  refusals: [],
  limit: "crash_report",
  // By the service, so that nobody reports around the limit.
  handle: ({ service, body }) => service.rpc("report_crash", body),
});
