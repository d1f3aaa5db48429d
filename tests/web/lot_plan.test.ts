// apps/web/: the small map around a lot: its tiles, the points on the drawing, and names that do not touch.
import assert from "node:assert/strict";
import { placeNames, projectionOf, tilesOf } from "../../apps/web/src/pages/lot/plan_geometry.ts";

/** Tokyo station is in the tile 909/403 of zoom 10, at 0.56 and 0.23 of its sides. */
const VIEW = { lat: 35.681236, lng: 139.767125, zoom: 10, width: 300, height: 180 };
const TILE = { x: 909, y: 403 };
const EXTENT = 4096;

Deno.test("lot plan: the tiles are those that the view shows, within the world", () => {
  assert.deepEqual(tilesOf(VIEW, 10), [TILE]);
  assert.deepEqual(tilesOf({ ...VIEW, width: 1200 }, 10), [{ x: 908, y: 403 }, TILE, { x: 910, y: 403 }]);
  assert.deepEqual(tilesOf({ ...VIEW, width: 5000, height: 5000, zoom: 0 }, 0), [{ x: 0, y: 0 }]);
  assert.deepEqual(tilesOf({ ...VIEW, lat: 90 }, 10), []);
});

Deno.test("lot plan: the lot is in the middle, and tiles meet at their edges", () => {
  const project = projectionOf(VIEW, 10, TILE, EXTENT);
  const [x, y] = project({ x: 0.5598 * EXTENT, y: 0.2287 * EXTENT });
  assert.ok(Math.abs(x - 150) < 0.5 && Math.abs(y - 90) < 0.5, `${x}, ${y}`);
  const next = projectionOf(VIEW, 10, { x: 910, y: 404 }, EXTENT);
  assert.deepEqual(project({ x: EXTENT, y: EXTENT }), next({ x: 0, y: 0 }));
  const [left] = project({ x: 0, y: 0 });
  assert.equal(Math.round(next({ x: 0, y: 0 })[0] - left), 512);
});

Deno.test("lot plan: a name is at the right, else at the left, else nowhere; the first ones have room first", () => {
  const sides = (points: Parameters<typeof placeNames>[0], taken: Parameters<typeof placeNames>[2] = []) =>
    placeNames(points, VIEW, taken).map(({ name, side }) => [name, side]);
  const at = (x: number, y: number, name = "東京") => ({ x, y, name });
  assert.deepEqual(sides([at(100, 90)]), [["東京", "right"]]);
  assert.deepEqual(sides([at(290, 90)]), [["東京", "left"]]);
  assert.deepEqual(sides([at(100, 90), at(80, 95, "大手町")]), [["東京", "right"], ["大手町", "left"]]);
  assert.deepEqual(sides([at(100, 90), at(80, 95, "大手町"), at(82, 92, "銀座")]).length, 2);
  assert.deepEqual(sides([at(100, 90)], [{ x: 50, y: 60, width: 100, height: 52 }]), []);
});
