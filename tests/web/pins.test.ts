// apps/web/: which prices the map shows, and what gives way.
import assert from "node:assert/strict";
import type { Lot } from "../../apps/web/src/pages/map/lots.ts";
import {
  cheapest,
  isCut,
  PIN,
  type Pin,
  type PinLayout,
  type Placed,
  placePins,
  stateOf,
  type Usability,
} from "../../apps/web/src/pages/map/pins.ts";

const BOX = { left: 0, top: 0, right: 400, bottom: 400 };
const WIDTH = 60;

/** A lot at a point of the map, in pixels. */
function lot(id: string, [x, y]: [number, number], fee: number | null, usability: Usability = {}): Lot {
  return { id, lng: x, lat: y, estimated_fee: fee, currency: "JPY", ...usability } as unknown as Lot;
}

function place(lots: readonly Lot[], more: Partial<PinLayout> = {}): Placed[] {
  const best = cheapest(lots);
  const pins = lots.map((lot): Pin => ({ lot, state: stateOf(lot, best), label: String(lot.estimated_fee ?? "?") }));
  return placePins(pins, {
    project: ({ lng, lat }) => ({ x: lng, y: lat }),
    box: BOX,
    widthOf: () => WIDTH,
    groupLabel: ({ label }) => `from ${label}`,
    ...more,
  });
}

/** The kind of the mark of each lot; lots of a group have none. */
function kinds(placed: readonly Placed[]): Record<string, string> {
  return Object.fromEntries(placed.map(({ mark, lot }) => [lot.id, mark.kind]));
}

const UNUSABLE: Usability = { usable_for_stay: false, unusable_reasons: ["full"] };

Deno.test("pins: the cheapest lot is one that can be used or of which nothing is known, and has a fee", () => {
  const lots = [
    lot("closed", [0, 0], 100, UNUSABLE),
    lot("no fee", [0, 0], null, { usable_for_stay: true }),
    lot("dear", [0, 0], 900, { usable_for_stay: true }),
    lot("first", [0, 0], 300, { usable_for_stay: null }),
    lot("equal", [0, 0], 300),
  ];
  assert.equal(cheapest(lots)?.id, "first");
  assert.deepEqual(
    lots.map((lot) => stateOf(lot, cheapest(lots))),
    ["unusable", "unknown", "usable", "best", "usable"],
  );
  assert.equal(cheapest(lots.slice(0, 2)), undefined);
});

Deno.test("pins: of two prices at one place the cheaper one has the room, the other is a dot", () => {
  const placed = place([lot("best", [300, 300], 50), lot("dear", [100, 100], 900), lot("cheap", [130, 110], 200)]);
  assert.deepEqual(kinds(placed), { best: "price", cheap: "price", dear: "dot" });
});

Deno.test("pins: a lot that cannot be used is a cross, and takes no room from a price", () => {
  const placed = place([
    lot("closed", [200, 80], 10, UNUSABLE),
    lot("covered", [100, 90], 10, UNUSABLE),
    lot("dear", [100, 100], 900),
  ]);
  assert.deepEqual(kinds(placed), { dear: "price", closed: "cross" });
});

Deno.test("pins: an unknown fee gives way to any price", () => {
  const placed = place([lot("unknown", [100, 100], null), lot("dear", [120, 100], 900)]);
  assert.deepEqual(kinds(placed), { dear: "price", unknown: "dot" });
});

Deno.test("pins: the chosen lot has room at any cost", () => {
  const lots = [lot("chosen", [100, 100], 900), lot("cheap", [120, 100], 200)];
  assert.deepEqual(kinds(place(lots, { chosen: "chosen" })), { chosen: "price", cheap: "dot" });
});

Deno.test("pins: three lots that would cover each other are a group from the cheapest, two are a price and a dot", () => {
  const near = [lot("a", [100, 100], 300), lot("b", [104, 103], 200), lot("c", [98, 97], 400)];
  const far = lot("best", [300, 300], 100);
  const [, group] = place([far, ...near]);
  assert.equal(group?.mark.kind, "group");
  assert.deepEqual(group?.mark.kind === "group" && group.mark.pins.map(({ lot }) => lot.id), ["b", "a", "c"]);
  assert.equal(kinds(place([far, ...near.slice(0, 2)]))["b"], "price");
  assert.equal(kinds(place(near))["b"], "price", "the best one of all is shown");
});

Deno.test("pins: a lot below a price has no dot, of which a part would be seen", () => {
  const lots = [
    lot("best", [100, 100], 100),
    lot("below", [100, 80], 900),
    lot("beside", [100 - WIDTH / 2 + 3, 90], 900),
  ];
  assert.deepEqual(kinds(place([...lots, lot("free", [100, 110], 900)])), { best: "price", free: "dot" });
});

Deno.test("pins: no price is cut at the edge of the visible part", () => {
  const lots = [
    lot("best", [200, 200], 1),
    lot("left", [20, 200], 300),
    lot("top", [300, 20], 300),
    lot("in", [60, 60], 300),
  ];
  assert.deepEqual(kinds(place(lots)), { best: "price", in: "price", left: "dot", top: "dot" });
  const sheet = { ...BOX, bottom: 180 };
  assert.equal(kinds(place(lots, { box: sheet }))["best"], "dot", "a sheet covers it");
  assert.equal(isCut({ left: -90, right: -30, top: 10, bottom: 40 }, BOX), false, "what is outside is not cut");
});

Deno.test("pins: of 400 lots anywhere no two prices cover each other, and every lot is drawn or in a group", () => {
  let seed = 7;
  const random = () => (seed = seed * 16_807 % 2_147_483_647) / 2_147_483_647;
  const lots = Array.from(
    { length: 400 },
    (_, index) =>
      lot(
        `${index}`,
        [random() * 400, random() * 400],
        random() < 0.1 ? null : Math.floor(random() * 50) * 100,
        random() < 0.2 ? UNUSABLE : {},
      ),
  );
  const placed = place(lots);
  const pills = placed.filter(({ mark }) => mark.kind === "price" || mark.kind === "group");
  assert.ok(pills.length > 10);
  for (const [index, { lot: a }] of pills.entries()) {
    for (const { lot: b } of pills.slice(index + 1)) {
      assert.ok(
        Math.abs(a.lng - b.lng) >= WIDTH || Math.abs(a.lat - b.lat) >= PIN.height + PIN.tip,
        `${a.id} and ${b.id}`,
      );
    }
  }
  const drawn = new Set(
    placed.flatMap(({ mark, lot }) => mark.kind === "group" ? mark.pins.map(({ lot }) => lot.id) : [lot.id]),
  );
  const hidden = lots.filter(({ id }) => !drawn.has(id));
  for (const { lng, lat, id } of hidden) {
    const isCovered = pills.some(({ lot }) =>
      Math.abs(lot.lng - lng) < WIDTH / 2 && lat <= lot.lat && lat > lot.lat - PIN.height - PIN.tip
    );
    assert.ok(isCovered, id);
  }
});
