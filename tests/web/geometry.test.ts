// web/: the shapes of the map.
import assert from "node:assert/strict";
import { boundsOf, boxAround, type Edges, metersBetween, nearest } from "../../apps/web/src/pages/map/geometry.ts";

const edges = (west: number, south: number, east: number, north: number): Edges => ({ west, south, east, north });

for (
  const [name, given, expected] of [
    ["Tokyo", edges(139.7, 35.6, 139.8, 35.7), [139.7, 35.6, 139.8, 35.7]],
    ["rounded to five digits", edges(139.7000049, 35.1234567, 139.8, 35.7), [139.7, 35.12346, 139.8, 35.7]],
    ["across the date line", edges(170, -10, 190, 10), [170, -10, -170, 10]],
    ["after a turn around the globe", edges(499.7, 35.6, 499.8, 35.7), [139.7, 35.6, 139.8, 35.7]],
    ["west of -180", edges(-190, 0, -181, 1), [170, 0, 179, 1]],
    ["the whole globe", edges(-200, -89, 200, 89), [-180, -85, 180, 85]],
  ] as const
) {
  Deno.test(`bounds of a view: ${name}`, () => assert.deepEqual(boundsOf(given), expected));
}

Deno.test("box of some places: it has all of them, also if they are one point", () => {
  const places = [{ lng: 139.7, lat: 35.6 }, { lng: 139.8, lat: 35.5 }, { lng: 139.75, lat: 35.7 }];
  assert.deepEqual(boxAround(places), [139.7, 35.5, 139.8, 35.7]);
  assert.deepEqual(boxAround(places.slice(0, 1)), [139.7, 35.6, 139.7, 35.6]);
});

Deno.test("nearest: by metres, also over the antimeridian and where degrees of longitude are short", () => {
  const tokyo = { lat: 35.6812, lng: 139.7671 };
  assert.equal(Math.round(metersBetween(tokyo, { lat: 35.6812, lng: 139.7771 })), 903);
  assert.equal(Math.round(metersBetween(tokyo, { lat: 35.6912, lng: 139.7671 })), 1112);
  assert.equal(Math.round(metersBetween({ lat: 0, lng: 179.995 }, { lat: 0, lng: -179.995 })), 1112);
  const [north, east] = [{ lat: 60.012, lng: 10 }, { lat: 60, lng: 10.02 }];
  assert.equal(nearest([north, east], { lat: 60, lng: 10 }), east);
  assert.equal(nearest([], tokyo), undefined);
});
