// Unknown and unrequested values are null in every reply: no number is invented.
import assert from "node:assert/strict";
import { signUp } from "../support/people.ts";
import { ask, bearer, jsonBody, query } from "./client.ts";
import { aLot } from "./lots.ts";

const word = `空${crypto.randomUUID().slice(0, 8)}`;
const place = { lat: -33.25, lng: -12.75 };
const { token } = await signUp();
/** A lot of which nothing is known but its name and place. */
const lot = await aLot({ name: word, address: null, ...place });
await (await ask("/me/saved-parking-lots", { method: "POST", ...jsonBody({ parking_lot_id: lot }, bearer(token)) }))
  .body
  ?.cancel();

/** Counts that are 0, where the lot is, and what the question itself says. */
const said =
  /^(lat|lng|avg_rating|review_count|good_count|bad_count|confirm_count|deny_count|count|total|bbox\.\d|walk_yen_per_minute|limit|coordinates\.\d)$/;

/** Fees and distances in replies to requests without a stay or a position. */
function inventions(value: unknown, path = ""): string[] {
  if (typeof value === "number") {
    const names = path.split(".");
    const known = [names.at(-1)!, names.slice(-2).join(".")].some((name) => said.test(name));
    return known ? [] : [`${path}: ${value}`];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => inventions(inner, path === "" ? key : `${path}.${key}`));
}

const bbox = [place.lng - 0.1, place.lat - 0.1, place.lng + 0.1, place.lat + 0.1].join();
const stay = { entry_at: "2026-11-25T10:00:00Z", exit_at: "2026-11-25T12:00:00Z" };
const found = (values: Record<string, unknown>) => `/parking-lots${query(values)}`;
const replies: [what: string, path: string, accept?: string][] = [
  ["a search by keywords", found({ keywords: word })],
  ["a search by price", found({ keywords: word, sort: "price" })],
  ["a search in a box", found({ bbox })],
  ["a search by ids", found({ ids: lot })],
  ["a search with a total", found({ ids: lot, include: "total" })],
  ["a search with a stay", found({ ids: lot, ...stay })],
  ["a search as GeoJSON", found({ ids: lot }), "application/geo+json"],
  ["a search as lines", found({ ids: lot }), "application/x-ndjson"],
  ["a map", found({ bbox, zoom: 10 })],
  ["the saved lots", "/me/saved-parking-lots"],
  [
    "the detail",
    `/parking-lots/${lot}?include=hours,week,fee_curve,field_value_ids,field_provenance,occupancy_forecast`,
  ],
  ["the occupancy", `/parking-lots/${lot}/occupancy`],
  ["the pricing rules", `/parking-lots/${lot}/pricing-rules`],
];
for (const [what, path, accept = "application/json"] of replies) {
  Deno.test(`absent values: a lot without data has null for every number except counts, in ${what}`, async () => {
    const answer = await ask(path, { headers: { accept, ...bearer(token) } });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const reply = accept === "application/x-ndjson"
      ? text.trimEnd().split("\n").map((line) => JSON.parse(line))
      : JSON.parse(text);
    assert.ok(/occupancy|rules/.test(what) || text.includes(lot), "the lot is not in the reply");
    assert.deepEqual(inventions(reply), []);
    assert.ok(!/"(distance_m|walk_minutes|effective_cost|estimated_fee|hour_price)":\d/.test(text));
  });
}

Deno.test("updated_since: a lot is reported without a distance", async () => {
  const answer = await ask(found({ updated_since: new Date(Date.now() - 3_600_000).toISOString(), limit: 100 }));
  for (const item of (await answer.json()).items) assert.ok(item.deleted || item.distance_m === null);
});

Deno.test("nearby: an unknown value of a lot does not count as 0", async () => {
  const [item] = await (await ask(`/parking-lots/nearby${query(place)}`)).json();
  assert.deepEqual([item.id, item.estimated_fee, item.effective_cost, item.planned_stay, item.fit, item.availability], [
    lot,
    null,
    null,
    null,
    null,
    null,
  ]);
  assert.deepEqual(item.ranking_components, { price: 0, distance: 100, rating: 50 });
});
