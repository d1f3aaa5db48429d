/** The colours of the map from the style sheets. */
import { colors } from "../ui/color.ts";

const TOKENS = [
  "map-land",
  "map-water",
  "map-park",
  "map-tree",
  "map-tree-name",
  "map-border",
  "map-rail",
  "map-subway",
  "map-road",
  "map-express",
  "map-express-edge",
  "map-express-name",
  "map-pin-edge",
  "map-shadow",
  "ground",
  "surface",
  "ink",
  "ink-2",
  "ink-3",
  "line",
  "brand",
  "on-brand",
  "price",
] as const;

export type MapColors = Readonly<Record<(typeof TOKENS)[number], string>>;

/** The colours that the page has now, light or dark. */
export const mapColors = (): MapColors => colors(TOKENS);
