import { z } from "zod";
import { Id, Timestamp } from "../_shared/schema/values.ts";

const Value = z.enum(["good", "bad"]);

export const ParkingLotRating = z.object({
  id: Id,
  user_id: Id,
  parking_lot_id: Id,
  value: Value,
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "ParkingLotRating", description: "The caller's rating of a lot" });

export const MyParkingLotRating = ParkingLotRating.nullable();

export const NewRating = z.strictObject({ value: Value }).meta({ id: "NewRating" });
