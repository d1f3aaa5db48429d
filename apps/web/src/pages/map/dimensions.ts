/** The names of a vehicle's dimensions. */
import { number } from "../../format.ts";
import { texts } from "../../language.ts";
import type { VEHICLE_FIELDS } from "./conditions.ts";

export type Dimension = (typeof VEHICLE_FIELDS)[number]["name"];

const text = texts<Record<Dimension, string>>({
  en: {
    height_m: "Height",
    width_m: "Width",
    length_m: "Length",
    weight_t: "Weight",
    clearance_cm: "Ground clearance",
    tire_width_mm: "Tyre width",
  },
  ja: {
    height_m: "高さ",
    width_m: "幅",
    length_m: "長さ",
    weight_t: "重さ",
    clearance_cm: "最低地上高",
    tire_width_mm: "タイヤ幅",
  },
});

export const dimensionName = (name: Dimension): string => text.value[name];

/** The unit is the end of the field's name. */
export const unitOf = (name: Dimension): string => name.slice(name.lastIndexOf("_") + 1);

/** `2.1 m` */
export const measure = (name: Dimension, value: number): string => `${number(value, 2)} ${unitOf(name)}`;
