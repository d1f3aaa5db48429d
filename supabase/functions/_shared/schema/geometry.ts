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
