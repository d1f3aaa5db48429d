// What a map layer has: points, lines and areas with their properties.

export type Position = readonly [lng: number, lat: number];
export type Properties = Readonly<Record<string, string | number>>;

interface FeatureBase {
  /** Shown from this zoom on; 0 by default. */
  readonly minZoom?: number;
  /** Shown up to this zoom. */
  readonly maxZoom?: number;
  readonly properties: Properties;
}

export type PointFeature = FeatureBase & { readonly type: "point"; readonly coordinates: Position };
export type LineFeature = FeatureBase & {
  readonly type: "line";
  readonly coordinates: readonly (readonly Position[])[];
};
export type AreaFeature = FeatureBase & {
  readonly type: "area";
  /** Its outer ring, then its holes; several outer rings in a file of municipalities. */
  readonly coordinates: readonly Position[][];
};
export type Feature = PointFeature | LineFeature | AreaFeature;

export type Layers = Readonly<Record<string, readonly Feature[]>>;
