// web/: the shapes of the map.
import assert from "node:assert/strict";
import { boundsOf, circle, type Edges, gridLines, overlapping } from "../../apps/web/src/pages/map/geometry.ts";

const edges = (west: number, south: number, east: number, north: number): Edges => ({ west, south, east, north });

/** Metres between two places. */
function metres([lng1, lat1]: readonly [number, number], [lng2, lat2]: readonly [number, number]): number {
  const rad = Math.PI / 180;
  const h = Math.sin((lat2 - lat1) * rad / 2) ** 2 +
    Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * Math.sin((lng2 - lng1) * rad / 2) ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(h));
}

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

for (const lat of [0, 35.68, -33.9, 60]) {
  Deno.test(`circle at latitude ${lat}: every corner is as far from the centre as the radius`, () => {
    const { geometry } = circle({ lat, lng: 139.77 }, 1_000);
    assert.equal(geometry.type, "Polygon");
    const [corners] = geometry.coordinates as [number, number][][];
    assert.equal(corners!.length, 73);
    for (const corner of corners!) {
      const distance = metres([139.77, lat], corner);
      assert.ok(Math.abs(distance - 1_000) < 5, `${distance}`);
    }
    assert.ok(metres(corners![0]!, corners!.at(-1)!) < 0.01, "it is closed");
  });
}

Deno.test("circle at a pole: its corners are numbers", () => {
  const { geometry } = circle({ lat: 90, lng: 0 }, 50_000);
  assert.ok(geometry.coordinates.flat(2).every(Number.isFinite));
});

for (
  const [name, view, width, step] of [
    ["a street", edges(139.76, 35.68, 139.764, 35.682), 800, 0.0005],
    ["a city", edges(139.6, 35.6, 139.9, 35.8), 800, 0.05],
    ["the globe", edges(-180, -80, 180, 80), 400, 30],
  ] as const
) {
  Deno.test(`grid of ${name}: lines at multiples of ${step} degrees, at least 70 pixels from each other`, () => {
    const lines = gridLines(view, width).map(({ geometry }) => geometry.coordinates as [number, number][]);
    const meridians = lines.filter(([from, to]) => from![0] === to![0]).map(([from]) => from![0]);
    const parallels = lines.filter(([from, to]) => from![1] === to![1]).map(([from]) => from![1]);
    assert.equal(meridians.length + parallels.length, lines.length);
    for (const degrees of [...meridians, ...parallels]) {
      const off = Math.abs(degrees / step - Math.round(degrees / step));
      assert.ok(off < 1e-6, `${degrees}`);
    }
    assert.ok(step * width / (view.east - view.west) >= 70 || step === 30);
    assert.ok(meridians.some((lng) => lng < view.west) && meridians.some((lng) => lng > view.east));
    assert.ok(parallels.every((lat) => lat >= -90 && lat <= 90));
    assert.ok(lines.length < 60, `${lines.length} lines`);
  });
}

Deno.test("markers: one that would cover an earlier one is a dot, and a dot takes no room", () => {
  const points = [[0, 0], [50, 10], [100, 10], [74, 0], [0, 30], [60, 20]].map(([x, y]) => ({ x: x!, y: y! }));
  assert.deepEqual(overlapping(points), [false, true, false, true, false, true]);
  assert.deepEqual(overlapping([]), []);
});
