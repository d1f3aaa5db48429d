import { route, routesOf } from "../_shared/http/route.ts";
import { CrashReport, CrashReported } from "./crash_reports.schema.ts";

export const reportCrash = route({
  method: "POST",
  path: "/report-crash",
  access: "public",
  summary: "Report a crash of the app",
  description: "Ten a minute and network address. Nothing is kept that tells who reports; a token is not looked at. " +
    "Crashes of one kind, version, device and day are counted, with the first 8 KiB of the first stack, and are gone " +
    "after 90 days. What is kept of a day is bounded: then the rarest reports make room.",
  body: CrashReport,
  reply: [200, CrashReported],
  errors: [],
  limit: "crash_report",
  // By the service, so that nobody reports around the limit.
  handle: ({ service, body, clientAddress }) => service.rpc("report_crash", { ...body, address: clientAddress }),
});

export const routes = routesOf({ reportCrash });
