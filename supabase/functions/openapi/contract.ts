/** The contract: every group of endpoints, in the order of the document. Add a new group here. */
import { type Group, openApiDocument } from "./generator.ts";
import { NearbyLot, ParkingLot } from "../_shared/schema/parking_lots.ts";
import { routes as admin } from "../admin/routes.ts";
import { routes as ads } from "../ads/routes.ts";
import { routes as aiSearchParse } from "../ai-search-parse/routes.ts";
import { routes as articles } from "../articles/routes.ts";
import { routes as codes } from "../codes/routes.ts";
import { routes as errorReports } from "../error-reports/routes.ts";
import { routes as health } from "../health/routes.ts";
import { routes as mailDispatch } from "../mail-dispatch/routes.ts";
import { routes as me } from "../me/routes.ts";
import { routes as parkingLots } from "../parking-lots/routes.ts";
import { routes as parkingSessions } from "../parking-sessions/routes.ts";
import { routes as pushDispatch } from "../push-dispatch/routes.ts";
import { routes as reportCrash } from "../report-crash/routes.ts";
import { routes as search } from "../search/routes.ts";
import { routes as sponsors } from "../sponsors/routes.ts";
import { routes as storage } from "../storage/routes.ts";
import { routes as storeNotifications } from "../store-notifications/routes.ts";
import { routes as storeSync } from "../store-sync/routes.ts";
import { routes as subscriptionPlans } from "../subscription-plans/routes.ts";
import { routes as support } from "../support/routes.ts";
import { routes as tags } from "../tags/routes.ts";
import { routes as verifyIap } from "../verify-iap/routes.ts";
import { routes as wellKnown } from "../well-known/routes.ts";
import examples from "./examples.json" with { type: "json" };
import { routes as openapi } from "./routes.ts";

export const groups: readonly Group[] = [
  { name: "me", description: "The caller's account", routes: me },
  {
    name: "parking-lots",
    description: "Search for parking lots",
    routes: parkingLots,
  },
  { name: "search", description: "Search by natural language", routes: search },
  {
    name: "ai-search-parse",
    description: "Search by natural language, at the path for earlier clients",
    routes: aiSearchParse,
  },
  { name: "parking-sessions", description: "Start, end and cancel a parking session", routes: parkingSessions },
  { name: "error-reports", description: "Report errors about a lot", routes: errorReports },
  { name: "support", description: "Support tickets", routes: support },
  { name: "sponsors", description: "Find sponsors and check in", routes: sponsors },
  { name: "storage", description: "Upload pictures", routes: storage },
  {
    name: "codes",
    description: "Reference data: the code master",
    routes: codes,
  },
  { name: "tags", description: "Reference data: the tags that a lot can have", routes: tags },
  {
    name: "subscription-plans",
    description: "Reference data: the subscription plans",
    routes: subscriptionPlans,
  },
  { name: "verify-iap", description: "In-app purchases", routes: verifyIap },
  { name: "articles", description: "Articles for app users", routes: articles },
  { name: "ads", description: "Advertisements", routes: ads },
  { name: "admin", description: "Administration", routes: admin },
  { name: "well-known", description: "App link associations of this site", routes: wellKnown },
  { name: "push-dispatch", description: "Consumer of the push queue", routes: pushDispatch },
  { name: "mail-dispatch", description: "Consumer of the mail queue", routes: mailDispatch },
  {
    name: "store-notifications",
    description: "Store notifications and their consumers",
    routes: storeNotifications,
  },
  { name: "store-sync", description: "Consumer of the store sync queue", routes: storeSync },
  { name: "report-crash", description: "Crash reports", routes: reportCrash },
  {
    name: "openapi",
    description: "This contract and the error catalogue",
    routes: openapi,
  },
  { name: "health", description: "Liveness and readiness", routes: health },
];

/** The document. The examples are recorded: `deno task examples`. */
export function contract({ withExamples = true } = {}) {
  return openApiDocument(groups, [ParkingLot, NearbyLot], withExamples ? examples : {});
}
