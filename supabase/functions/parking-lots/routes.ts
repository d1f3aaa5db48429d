import { routesOf } from "../_shared/http/route.ts";
import * as detail from "./detail.ts";
import * as lotExport from "./export.ts";
import * as fee from "./fee.ts";
import * as fieldValues from "./field_values.ts";
import * as nearby from "./nearby.ts";
import * as occupancy from "./occupancy.ts";
import * as pricingRules from "./pricing_rules.ts";
import * as rating from "./rating.ts";
import * as reviews from "./reviews.ts";
import * as search from "./search.ts";

export const routes = routesOf(
  detail,
  lotExport,
  fee,
  fieldValues,
  nearby,
  occupancy,
  pricingRules,
  rating,
  reviews,
  search,
);
