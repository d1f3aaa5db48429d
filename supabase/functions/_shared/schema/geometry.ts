import { z } from "zod";

export const Geometry = z.looseObject({
  type: z.enum([
    "Point",
    "LineString",
    "Polygon",
    "MultiPoint",
    "MultiLineString",
    "MultiPolygon",
    "GeometryCollection",
  ]),
  coordinates: z.array(z.unknown()).optional(),
  geometries: z.array(z.unknown()).optional(),
}).meta({ id: "Geometry", description: "A GeoJSON geometry" });

/** A geometry in a request. */
export const GeometryInput = Geometry.extend({
  coordinates: z.array(z.unknown()).max(10_000).optional(),
  geometries: z.array(z.unknown()).max(1_000).optional(),
}).meta({ id: "GeometryInput", description: "A GeoJSON geometry" });
