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
  "metres": [polygon([[-12345, -67890], [-12300, -67890], [-12300, -67800]]), /in degrees: \[-12345,-67890\]$/],
  "latitude before longitude": [polygon([[35.6, 139.7], [35.6, 139.8], [35.7, 139.7]]), /look swapped/],
};
