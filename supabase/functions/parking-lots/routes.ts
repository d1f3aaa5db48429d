import { readParkingLot } from "./detail.ts";
import { calculateFee } from "./fee.ts";
import { confirmFieldValue, denyFieldValue } from "./field_values.ts";
import { nearbyParkingLots } from "./nearby.ts";
import { feedOccupancy, readOccupancy, reportOccupancy } from "./occupancy.ts";
import { listPricingRules } from "./pricing_rules.ts";
import { deleteRating, putRating, readRating } from "./rating.ts";
import { listReviews, postReview } from "./reviews.ts";
import { searchParkingLots } from "./search.ts";

export const routes = [
  searchParkingLots,
  nearbyParkingLots,
  readParkingLot,
  calculateFee,
  listPricingRules,
  listReviews,
  postReview,
  readRating,
  putRating,
  deleteRating,
  confirmFieldValue,
  denyFieldValue,
  readOccupancy,
  reportOccupancy,
  feedOccupancy,
];
