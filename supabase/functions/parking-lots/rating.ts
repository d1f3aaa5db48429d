import { route } from "../_shared/http/route.ts";
import { MyParkingLotRating, NewRating, ParkingLotRating } from "./rating.schema.ts";
import { LotParams, Nothing } from "../_shared/schema/values.ts";

export const readRating = route({
  method: "GET",
  path: "/parking-lots/{id}/rating",
  access: "optional",
  summary: "Get the caller's rating of a lot",
  description: "Null if there is none, and for anonymous users.",
  params: LotParams,
  reply: [200, MyParkingLotRating],
  errors: ["lot_not_found"],
  calls: "my_parking_lot_rating",
  args: ({ params }) => ({ parking_lot_id: params.id }),
});

export const putRating = route({
  method: "PUT",
  path: "/parking-lots/{id}/rating",
  access: "user",
  summary: "Rate a lot good or bad",
  description: "Replaces an earlier rating by the caller. Idempotent.",
  params: LotParams,
  body: NewRating,
  reply: [200, ParkingLotRating],
  errors: ["lot_not_found"],
  calls: "rate_parking_lot",
  args: ({ params, body }) => ({ parking_lot_id: params.id, ...body }),
});

export const deleteRating = route({
  method: "DELETE",
  path: "/parking-lots/{id}/rating",
  access: "user",
  summary: "Remove the caller's rating of a lot",
  description: "Also succeeds if there is none.",
  params: LotParams,
  reply: [204, Nothing],
  errors: ["lot_not_found"],
  calls: "unrate_parking_lot",
  args: ({ params }) => ({ parking_lot_id: params.id }),
});
