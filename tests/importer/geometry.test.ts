import assert from "node:assert/strict";
import { pointOf, readGeometry } from "../../supabase/functions/_shared/geometry.ts";
import { parseMapping } from "../../supabase/functions/_shared/import/definition.ts";
import { mapRecord } from "../../supabase/functions/_shared/import/lot.ts";
import { MENDED, NORMAL, REFUSED, REFUSED_ON_READING } from "../support/geometries.ts";

const ALL_REFUSED = { ...REFUSED, ...REFUSED_ON_READING };

const rounded = (number: unknown) => Number(Number(number).toFixed(9));

function read(value: unknown) {
  const reading = readGeometry(value);
  assert.ok("geometry" in reading, JSON.stringify(reading));
  return { geometry: reading.geometry, place: [rounded(reading.point.lng), rounded(reading.point.lat)] };
}

for (const [name, [geometry, place]] of Object.entries(NORMAL)) {
  Deno.test(`geometries: ${name} stays as it is, and its lot is in its middle`, () => {
    assert.deepEqual(read(geometry), { geometry, place });
  });
}

for (const [name, [geometry, stored, place]] of Object.entries(MENDED)) {
  Deno.test(`geometries: ${name} gets its normal form, which has the same one`, () => {
    assert.deepEqual(read(geometry), { geometry: stored, place });
    assert.deepEqual(read(stored).geometry, stored);
  });
}

for (const [name, [geometry, reason]] of Object.entries(ALL_REFUSED)) {
  Deno.test(`geometries: ${name} is refused with the reason`, () => {
    const reading = readGeometry(geometry);
    assert.ok("problem" in reading);
    assert.match(reading.problem, reason);
    assert.equal(pointOf(geometry), undefined);
  });
}

function map(geometry: unknown, fields: Record<string, string>) {
  const text = JSON.stringify({ name: "test", title: "Test", external_id: "id", fields: { name: "name", ...fields } });
  const values = { id: "1", name: "a", y: "35.6", x: "139.7" };
  return mapRecord({ position: 1, values, geometry }, parseMapping(text, "test"));
}

Deno.test("geometries: a lot has the place and the outline of its geometry", () => {
  for (const [geometry, stored, place] of Object.values(MENDED)) {
    const mapped = map(geometry, {});
    assert.ok("lot" in mapped);
    assert.deepEqual(mapped.lot.area, stored);
    assert.deepEqual([rounded(mapped.lot.fields.get("lng")), rounded(mapped.lot.fields.get("lat"))], place);
  }
});

Deno.test("geometries: without a place of its own a lot is rejected, with the reason and nothing else", () => {
  for (const [geometry, reason] of Object.values(ALL_REFUSED)) {
    const mapped = map(geometry, {});
    assert.ok("problems" in mapped);
    assert.deepEqual(mapped.problems.map(({ field }) => field), ["area"]);
    assert.match(mapped.problems[0]!.reason, reason);
  }
});

Deno.test("geometries: a lot with a place of its own loses only an outline that is none, with a warning", () => {
  for (const [geometry, reason] of Object.values(ALL_REFUSED)) {
    const mapped = map(geometry, { lat: "y", lng: "x" });
    assert.ok("lot" in mapped);
    assert.deepEqual([mapped.lot.area, mapped.lot.fields.get("lat")], [undefined, 35.6]);
    assert.deepEqual(mapped.lot.warnings.map(({ field }) => field), ["area"]);
    assert.match(mapped.lot.warnings[0]!.reason, reason);
  }
});

Deno.test("geometries: the work is bounded: of 3,000 holes in a ring of 6,000 corners none is compared", () => {
  const ring = Array.from({ length: 6000 }, (_, index) => {
    const turn = index / 6000 * 2 * Math.PI;
    return [Math.cos(turn), Math.sin(turn)];
  });
  const holes = Array.from({ length: 3000 }, (_, index) => [[0, 0], [0, index / 6000], [index / 6000, 0]]).slice(1);
  const reading = readGeometry({ type: "Polygon", coordinates: [ring, ...holes] });
  assert.ok("problem" in reading);
  assert.equal(reading.problem, "has too many holes");
  const fewer = read({ type: "Polygon", coordinates: [ring, ...holes.slice(0, 30)] });
  assert.ok(Math.hypot(...fewer.place) < 0.01);
});

Deno.test("geometries: the work is bounded by the size: an outline of 100,000 corners is read, also over the date line", () => {
  const star = Array.from({ length: 100_000 }, (_, index) => {
    const turn = index / 100_000 * 2 * Math.PI, radius = index % 2 + 1;
    const lng = 180 + radius * Math.cos(turn);
    return [lng > 180 ? lng - 360 : lng, radius * Math.sin(turn)];
  });
  const { geometry, place } = read({ type: "Polygon", coordinates: [star] });
  assert.equal(geometry.type, "MultiPolygon");
  assert.ok(Math.abs(Math.abs(place[0]!) - 180) < 2 && Math.abs(place[1]!) < 2);
});
