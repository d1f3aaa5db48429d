import { calculateFee } from "./fee.ts";
import { nearbyParkingLots } from "./nearby.ts";
import { listPricingRules } from "./pricing_rules.ts";

export const routes = [nearbyParkingLots, calculateFee, listPricingRules];
