/** The formats of other systems in which lots are exported and imported. A new format is a module and a line here. */
import { jsonLd } from "./json_ld.ts";
import type { LotFormat } from "./lot.ts";
import { osm } from "./osm.ts";
import { parkApi } from "./parkapi.ts";

/** By the value of the parameter `format`. */
export const LOT_FORMATS = { jsonld: jsonLd, osm, parkapi: parkApi } as const satisfies Readonly<
  Record<string, LotFormat>
>;
export type FormatName = keyof typeof LOT_FORMATS;
export const FORMAT_NAMES = Object.keys(LOT_FORMATS) as [FormatName, ...FormatName[]];
