/** The names of a vehicle's dimensions. */
import { number } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { VEHICLE_FIELDS } from "../../conditions.ts";

export type Dimension = (typeof VEHICLE_FIELDS)[number]["name"];

const text = pageTexts(({ map }) => map.dimensions);

export const dimensionName = (name: Dimension): string => text.value[name];

/** The unit is the end of the field's name. */
export const unitOf = (name: Dimension): string => name.slice(name.lastIndexOf("_") + 1);

/** `2.1 m` */
export const measure = (name: Dimension, value: number): string => `${number(value, 2)} ${unitOf(name)}`;
