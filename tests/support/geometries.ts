/** Geometries as files have them: what is stored of each, and where its lot is. */

import type postgres from "postgres";

type Geometry = postgres.JSONValue;
type Position = readonly number[];

const polygon = (...rings: (readonly Position[])[]) => ({ type: "Polygon", coordinates: rings });
const multiPolygon = (...polygons: (readonly (readonly Position[])[])[]) => ({
  type: "MultiPolygon",
  coordinates: polygons,
});
const box = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
const collection = (...geometries: Geometry[]) => ({ type: "GeometryCollection", geometries });

const BOX = box(139.7, 35.6, 139.72, 35.61);
const LINE = [[139.7, 35.6], [139.71, 35.6]];
const HORSESHOE = [[0, 0], [10, 0], [10, 10], [9, 10], [9, 1], [1, 1], [1, 10], [0, 10], [0, 0]];
const BOW_TIE = [[139.7, 35.65], [139.72, 35.67], [139.72, 35.65], [139.7, 35.66999], [139.7, 35.65]];
const AT_THE_LINE = multiPolygon([box(179.999, -16.8, 180, -16.799)], [box(-180, -16.8, -179.999, -16.799)]);

/** Geometries that are stored as they are, and [lng, lat] of their lots. */
export const NORMAL: Readonly<Record<string, readonly [geometry: Geometry, place: Position]>> = {
  "a polygon": [polygon(BOX), [139.71, 35.605]],
  "a polygon with heights": [polygon(BOX.map((position) => [...position, 7])), [139.71, 35.605]],
  "a polygon with a hole": [polygon(box(0, 0, 4, 4), box(0, 0, 2, 4).toReversed()), [3, 2]],
  "a polygon with holes that touch it and each other": [
    polygon(
      box(0, 0, 9, 9),
      [[0, 0], [3, 6], [6, 3], [0, 0]],
      [[6, 3], [6, 6], [9, 6], [6, 3]],
    ),
    [4.642857143, 4.785714286],
  ],
  "a ring that touches itself": [polygon([[0, 0], [2, 0], [2, 2], [1, 1], [0, 2], [1, 1], [0, 0]]), [
    1.333333333,
    0.666666667,
  ]],
  "a ring with a spike and with positions twice": [
    polygon([[0, 0], [0, 0], [2, 0], [9, 0], [2, 0], [2, 2], [0, 2], [0, 2], [0, 0]]),
    [1, 1],
  ],
  "a bow tie of equal parts": [polygon([[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]), [0.5, 1]],
  "a lot on an island of a hole": [
    multiPolygon([box(0, 0, 9, 9), box(1, 1, 8, 8).toReversed()], [box(4, 4, 5, 5)]),
    [4.5, 4.5],
  ],
  "a lot of a square metre": [polygon(box(139.7, 35.6, 139.70001, 35.60001)), [139.700005, 35.600005]],
  "a box that ends at the date line": [polygon(box(179.9, 0, 180, 0.1)), [179.95, 0.05]],
  "a triangle that ends at a pole": [polygon([[0, 84], [12, 84], [6, 90], [0, 84]]), [6, 86]],
  "a polygon with four ordinates": [polygon(BOX.map((position) => [...position, 7, 1])), [139.71, 35.605]],
  "several polygons, weighed by their areas": [multiPolygon([box(0, 0, 3, 1)], [box(3, 0, 4, 1)]), [2, 0.5]],
  "one polygon of several": [multiPolygon([BOX]), [139.71, 35.605]],
  "a horseshoe, whose middle is outside": [polygon(HORSESHOE), [0.5, 5]],
  "two lots, whose middle is between them": [multiPolygon([box(0, 0, 1, 1)], [box(4, 0, 6, 1)]), [5, 0.5]],
  "a lot in two parts at the date line": [AT_THE_LINE, [180, -16.7995]],
  "a line": [{ type: "LineString", coordinates: LINE }, [139.705, 35.6]],
  "lines": [{ type: "MultiLineString", coordinates: [LINE] }, [139.705, 35.6]],
  "points on both sides of the date line": [{ type: "MultiPoint", coordinates: [[179, 0], [-179.5, 1]] }, [
    179.75,
    0.5,
  ]],
  "a collection": [collection(polygon(BOX), { type: "Point", coordinates: [139, 35] }), [139.71, 35.605]],
};

/** Geometries that become others. */
export const MENDED: Readonly<Record<string, readonly [geometry: Geometry, stored: Geometry, place: Position]>> = {
  "an open ring": [polygon(BOX.slice(0, -1)), polygon(BOX), [139.71, 35.605]],
  "an open triangle": [polygon([[0, 0], [3, 0], [0, 3]]), polygon([[0, 0], [3, 0], [0, 3], [0, 0]]), [1, 1]],
  "a clockwise ring": [polygon(BOX.toReversed()), polygon(BOX), [139.71, 35.605]],
  "a counterclockwise hole": [
    polygon(box(0, 0, 4, 4), box(0, 0, 2, 4)),
    polygon(box(0, 0, 4, 4), box(0, 0, 2, 4).toReversed()),
    [3, 2],
  ],
  "a bow tie": [polygon(BOW_TIE), polygon(BOW_TIE.toReversed()), [139.715, 35.66]],
  "a ring that ends at another height": [
    polygon([...BOX.slice(0, -1), [139.7, 35.6, 3]]),
    polygon(BOX),
    [139.71, 35.605],
  ],
  "a box over the date line": [
    polygon([[179.999, -16.8], [-179.999, -16.8], [-179.999, -16.799], [179.999, -16.799], [179.999, -16.8]]),
    AT_THE_LINE,
    [180, -16.7995],
  ],
  "a box over the date line from the other side": [
    polygon([[-179.999, -16.8], [-179.999, -16.799], [179.999, -16.799], [179.999, -16.8]]),
    multiPolygon(
      [[[180, -16.799], [179.999, -16.799], [179.999, -16.8], [180, -16.8], [180, -16.799]]],
      [[[-179.999, -16.8], [-179.999, -16.799], [-180, -16.799], [-180, -16.8], [-179.999, -16.8]]],
    ),
    [180, -16.7995],
  ],
  "a line over the date line": [
    { type: "LineString", coordinates: [[179, 0], [-179, 2]] },
    { type: "MultiLineString", coordinates: [[[179, 0], [180, 1]], [[-180, 1], [-179, 2]]] },
    [180, 1],
  ],
  "a box that ends at the date line, from both sides": [
    polygon([[179.9, 0], [-180, 0], [180, 0.1], [179.9, 0.1], [179.9, 0]]),
    polygon(box(179.9, 0, 180, 0.1)),
    [179.95, 0.05],
  ],
  "a box with heights over the date line": [
    polygon([[-179.999, -16.8, 5], [-179.999, -16.799, 5], [179.999, -16.799, 5], [179.999, -16.8, 5]]),
    multiPolygon(
      [[[180, -16.799], [179.999, -16.799], [179.999, -16.8], [180, -16.8], [180, -16.799]]],
      [[[-179.999, -16.8], [-179.999, -16.799], [-180, -16.799], [-180, -16.8], [-179.999, -16.8]]],
    ),
    [180, -16.7995],
  ],
  "a polygon whose crs is as near as a lot": [
    { ...polygon(BOX), crs: { type: "name", properties: { name: "urn:ogc:def:crs:EPSG::6668" } } },
    polygon(BOX),
    [139.71, 35.605],
  ],
  "a polygon with members of old files": [
    { ...polygon(BOX), bbox: [139.7, 35.6, 139.72, 35.61] },
    polygon(BOX),
    [139.71, 35.605],
  ],
};

/** What is no geometry, by each entry point, and a part of the reason. */
export const REFUSED: Readonly<Record<string, readonly [geometry: Geometry, reason: RegExp]>> = {
  "another type": [{ type: "Circle", coordinates: BOX }, /is not a GeoJSON geometry/],
  "no coordinates": [{ type: "Polygon" }, /no rings/],
  "coordinates that are a number": [{ type: "Polygon", coordinates: 1 }, /no rings/],
  "no ring": [polygon(), /no rings/],
  "an empty ring": [polygon([]), /fewer than 3 positions/],
  "a ring that is a position": [{ type: "Polygon", coordinates: [1, 2, 3, 1] }, /fewer than 3 positions: 1/],
  "no polygon": [multiPolygon(), /no parts/],
  "an empty polygon": [multiPolygon([BOX], []), /no rings/],
  "a polygon that is text": [{ type: "MultiPolygon", coordinates: ["a"] }, /no rings: "a"/],
  "an empty collection": [collection(), /no geometries/],
  "a collection within a collection": [collection(collection(polygon(BOX))), /of a collection/],
  "a collection with an empty polygon": [collection(polygon(BOX), polygon()), /no rings/],
  "a ring of two corners": [polygon([[0, 0], [1, 1], [0, 0]]), /fewer than 3 different corners/],
  "a ring of two corners, twice": [polygon([[0, 0], [1, 1], [0, 0], [1, 1], [0, 0]]), /fewer than 3 different corners/],
  "a line of one position": [{ type: "LineString", coordinates: [[0, 0]] }, /fewer than 2 positions/],
  "text in a position": [
    { type: "LineString", coordinates: [["139.7", "35.6"], [139.8, 35.6]] },
    /not \[longitude, latitude\] in degrees: \["139.7","35.6"\]$/,
  ],
  "an empty position": [{ type: "MultiPoint", coordinates: [[]] }, /not \[longitude, latitude\]/],
  "a position of one number": [{ type: "MultiPoint", coordinates: [[139.7]] }, /not \[longitude, latitude\]/],
  "null in place of a position": [{ type: "MultiPoint", coordinates: [null] }, /not \[longitude, latitude\]/],
  "a height that is text": [{ type: "MultiPoint", coordinates: [[139.7, 35.6, "7"]] }, /not \[longitude, latitude\]/],
  "a latitude beyond the pole": [{ type: "MultiPoint", coordinates: [[139.7, 999]] }, /999\]$/],
  "a longitude beyond the date line": [{ type: "MultiPoint", coordinates: [[180.001, 0]] }, /degrees: \[180.001,0\]$/],
  "a ring around a pole": [polygon([[0, 89], [90, 89], [179, 89], [-90, 89], [0, 89]]), /around a pole/],
  "a ring around a pole, by way of the pole": [
    polygon([[-180, 80], [-90, 80], [0, 80], [90, 80], [180, 80], [180, 90], [-180, 90], [-180, 80]]),
    /around a pole/,
  ],
  "the whole earth": [polygon(box(-180, -90, 180, 90)), /without an area/],
  "a hole that is a line": [polygon(BOX, [[139.705, 35.605], [139.706, 35.605], [139.707, 35.605]]), /without an area/],
  "a feature": [{ type: "Feature", properties: {}, geometry: polygon(BOX) }, /is not a GeoJSON geometry/],
  "a list of features": [{ type: "FeatureCollection", features: [] }, /is not a GeoJSON geometry/],
  "a ring too deep": [{ type: "Polygon", coordinates: [[BOX]] }, /fewer than 3 positions/],
  "a height that is null": [{ type: "MultiPoint", coordinates: [[139.7, 35.6, null]] }, /not \[longitude, latitude\]/],
  "metres": [polygon([[-12345, -67890], [-12300, -67890], [-12300, -67800]]), /in degrees: \[-12345,-67890\]$/],
  "latitude before longitude": [polygon([[35.6, 139.7], [35.6, 139.8], [35.7, 139.7]]), /look swapped/],
};

/** What the functions refuse, which the table cannot see: it does not compare rings. */
export const REFUSED_ON_READING: typeof REFUSED = {
  "three corners in a line": [polygon([[0, 0], [1, 1], [2, 2], [0, 0]]), /without an area: \[\[0,0\]/],
  "three corners in a line that is not exact": [
    polygon([[139.7, 35.6], [139.7013, 35.6013], [139.7029, 35.6029], [139.7, 35.6]]),
    /without an area/,
  ],
  "a line there and back": [polygon([[0, 0], [2, 0], [3, 1], [2, 0], [0, 0]]), /without an area/],
  "a part that is a line": [multiPolygon([BOX], [[[0, 0], [1, 0], [2, 0], [0, 0]]]), /without an area/],
  "a hole elsewhere": [polygon(BOX, box(139.8, 35.7, 139.81, 35.71)), /a hole outside of its outer ring: \[\[139.8,/],
  "a hole larger than its outer ring": [polygon(BOX, box(139, 35, 140, 36)), /a hole outside/],
  "a hole that is its outer ring": [polygon(BOX, BOX), /a hole outside/],
  "a hole over the edge": [polygon(BOX, box(139.71, 35.605, 139.73, 35.607)), /a hole outside/],
  "a hole in the bay of a horseshoe": [polygon(HORSESHOE, box(3, 3, 5, 5)), /a hole outside/],
  "the crs of metres": [
    { ...polygon(BOX), crs: { type: "name", properties: { name: "EPSG:3857" } } },
    /has the crs "EPSG:3857", not degrees of WGS 84/,
  ],
  "the crs of the old Japanese datum": [
    collection({ ...polygon(BOX), crs: { type: "name", properties: { name: "urn:ogc:def:crs:EPSG::4301" } } }),
    /has the crs .+4301/,
  ],
};
