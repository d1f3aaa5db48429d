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
import { routes as places } from "../places/routes.ts";
import { routes as tags } from "../tags/routes.ts";
import { routes as verifyIap } from "../verify-iap/routes.ts";
import { routes as wellKnown } from "../well-known/routes.ts";
import examples from "./examples.json" with { type: "json" };
import { split } from "./overlay.ts";
import { routes as openapi } from "./routes.ts";

export const groups: readonly Group[] = [
  { name: "me", routes: me },
  { name: "parking-lots", routes: parkingLots },
  { name: "search", routes: search },
  { name: "ai-search-parse", routes: aiSearchParse },
  { name: "parking-sessions", routes: parkingSessions },
  { name: "error-reports", routes: errorReports },
  { name: "support", routes: support },
  { name: "sponsors", routes: sponsors },
  { name: "storage", routes: storage },
  { name: "codes", routes: codes },
  { name: "places", routes: places },
  { name: "tags", routes: tags },
  { name: "subscription-plans", routes: subscriptionPlans },
  { name: "verify-iap", routes: verifyIap },
  { name: "articles", routes: articles },
  { name: "ads", routes: ads },
  { name: "admin", routes: admin },
  { name: "well-known", routes: wellKnown },
  { name: "push-dispatch", routes: pushDispatch },
  { name: "mail-dispatch", routes: mailDispatch },
  { name: "store-notifications", routes: storeNotifications },
  { name: "store-sync", routes: storeSync },
  { name: "report-crash", routes: reportCrash },
  { name: "openapi", routes: openapi },
  { name: "health", routes: health },
];

/** The document with everything. The examples are recorded: `deno task examples`. */
export function completeContract() {
  return openApiDocument(groups, [ParkingLot, NearbyLot], examples);
}

/** What `GET /v1/openapi` returns. Recorded examples and texts of the console are in the overlay. */
export function contract() {
  return split(completeContract()).contract;
}

/** What `GET /v1/openapi/overlay` returns: applied to the contract, it is the complete document. */
export function contractOverlay() {
  return split(completeContract()).overlay;
}
