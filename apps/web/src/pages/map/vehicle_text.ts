/** The vehicle of a search in the words of a chip. */
import { label } from "../../codes.ts";
import { type Values, vehicleOf } from "../../conditions.ts";
import { measure } from "./dimensions.ts";

/** `2.1 m`, or the type where no height is known. */
export function vehicleText(values: Values): string {
  const { height_m } = vehicleOf(values) ?? {};
  const type = values["vehicle_type"] || "standard";
  if (height_m === undefined || height_m === null) return label("vehicle_type", type);
  return [type === "standard" ? "" : label("vehicle_type", type), measure("height_m", height_m)].filter(Boolean).join(
    " ",
  );
}
