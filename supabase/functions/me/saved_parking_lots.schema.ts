import { z } from "zod";
import { pageOf } from "../_shared/schema/lists.ts";
import { FoundLot } from "../_shared/schema/search.ts";
import { Id, Timestamp } from "../_shared/schema/values.ts";

const row = { id: Id, user_id: Id, parking_lot_id: Id, created_at: Timestamp };

export const SavedParkingLot = z.object(row).meta({ id: "SavedParkingLot" });

const SavedWithLot = z.object({
  ...row,
  parking_lot: FoundLot.nullable().meta({ description: "Null if the lot is no longer public" }),
}).meta({ id: "SavedParkingLotWithLot" });

export const SavedParkingLots = pageOf(SavedWithLot, "SavedParkingLots");

export const NewSavedParkingLot = z.strictObject({ parking_lot_id: Id }).meta({ id: "NewSavedParkingLot" });

export const SavedParams = z.strictObject({ lotId: Id.meta({ description: "The parking lot" }) });
