import { z } from "zod";
import { readGeometry } from "../geometry.ts";

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

/** A geometry in a request. It becomes its normal form: closed and wound rings, cut at the date line. */
export const GeometryInput = Geometry.extend({
  coordinates: z.array(z.unknown()).max(10_000).optional(),
  geometries: z.array(z.unknown()).max(1_000).optional(),
}).check((payload) => {
  const input = payload.value, reading = readGeometry(input);
  if ("geometry" in reading) payload.value = reading.geometry as typeof input;
  else payload.issues.push({ code: "custom", input, message: `The geometry ${reading.problem}.` });
}).meta({ id: "GeometryInput", description: "A GeoJSON geometry" });
