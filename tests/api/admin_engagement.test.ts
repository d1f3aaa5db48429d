// GET /v1/admin/parking-lots/engagement: what users do counts for lots, and administrators with the area read it.
import assert from "node:assert/strict";
import { LotEngagements } from "../../supabase/functions/admin/parking_lot_engagement.schema.ts";
import { listLotEngagement } from "../../supabase/functions/admin/parking_lot_engagement.ts";
import { eventually } from "../support/eventually.ts";
import { asAnonymous, asUser, signUp } from "../support/people.ts";
import { runJob } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { anAdministrator, sending } from "./administrators.ts";
import { replyOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";

const PATH = "/admin/parking-lots/engagement";

/** A place of the sea where no other test has lots. */
const AT = { lat: -41.5, lng: -131.5 };

async function searchesOf(lot: string): Promise<number> {
  const [row] = await inDatabase((sql) =>
    sql<{ searches: number }[]>`select searches from private.parking_lot_daily_counts where parking_lot_id = ${lot}`
  );
  return row?.searches ?? 0;
}

function assertCounted(found: unknown, lot: string): void {
  const { searches, ...exact } = Object(found);
  assert.deepEqual(exact, { parking_lot_id: lot, name: "Engaged", saves: 1, sessions: 1 });
  assert.ok(searches >= 2, String(searches));
}

Deno.test("admin engagement: saves, sessions and searches of a lot are in the report of today", async () => {
  const lot = await aLot({ ...AT, name: "Engaged" });
  const user = asUser(await signUp());
  const saved = await user("/me/saved-parking-lots", sending("POST", { parking_lot_id: lot }));
  assert.equal(saved.status, 201, await saved.text());
  const started = await user(
    "/parking-sessions",
    sending("POST", {
      parking_lot_id: lot,
      vehicle_type: "standard",
      start_lat: AT.lat,
      start_lng: AT.lng,
      client_request_id: crypto.randomUUID(),
    }),
  );
  assert.equal(started.status, 201, await started.text());
  const searches = [
    `/parking-lots/nearby?lat=${AT.lat}&lng=${AT.lng}&radius_m=100`,
    `/parking-lots?bbox=${AT.lng - 0.1},${AT.lat - 0.1},${AT.lng + 0.1},${AT.lat + 0.1}`,
  ];
  for (const path of searches) {
    const found = await asAnonymous()(path);
    assert.equal(found.status, 200);
    assert.ok((await found.text()).includes(lot));
  }
  // Searches of other tests may find the lot, too.
  await eventually(async () => await searchesOf(lot) >= 2 || undefined);
  await inDatabase((sql) => runJob(sql, "fold_lot_counts"));

  const administrator = await anAdministrator("lots");
  for (const order of ["", "sort=saves&", "sort=sessions&", "sort=searches&"]) {
    let cursor: string | null = null;
    let item: unknown;
    do {
      const query: string = `?${order}limit=100${cursor === null ? "" : `&cursor=${cursor}`}`;
      const page: { items: { parking_lot_id: string }[]; next_cursor: string | null } = await replyOf(
        listLotEngagement,
        await administrator.ask(PATH + query),
        LotEngagements,
      );
      item = page.items.find(({ parking_lot_id }) => parking_lot_id === lot);
      cursor = page.next_cursor;
    } while (cursor !== null && item === undefined);
    assertCounted(item, lot);
  }
  const byName = await (await administrator.ask(`${PATH}?sort=name&limit=1`)).json();
  assert.equal(byName.items.length, 1);

  const { apiUrl, secretKey } = stack();
  const stats = await fetch(`${apiUrl}/rest/v1/rpc/parking_lot_engagement_stats`, {
    method: "POST",
    headers: { apikey: secretKey, "content-type": "application/json" },
    body: JSON.stringify({ p_sort: "saves", p_limit: 10000 }),
  });
  assert.equal(stats.status, 200);
  const rows: { parking_lot_id: string }[] = await stats.json();
  assertCounted(rows.find(({ parking_lot_id }) => parking_lot_id === lot), lot);
});

Deno.test("admin engagement: an administrator without the area gets 403 with the scope for every request, valid or not", async () => {
  const administrator = await anAdministrator("support", "content");
  for (const query of ["", "?sort=nothing", "?from=2026-02-30"]) {
    const response = await administrator.ask(PATH + query);
    assert.equal(response.status, 403);
    assert.deepEqual((await response.json()).error.details, { scope: "admin:lots" });
  }
});

Deno.test("admin engagement: each wrong parameter is 422 and named", async () => {
  const { ask } = await anAdministrator("lots");
  for (
    const [query, param] of [
      ["from=2026-02-30", "from"],
      ["to=2026-02-01T00:00:00Z", "to"],
      ["from=2026-02-01&to=2026-02-01", "to"],
      ["from=2024-02-01&to=2026-02-01", "to"],
      ["sort=id", "sort"],
      ["limit=101", "limit"],
      ["cursor=abc", "cursor"],
      ["area=lots", "area"],
    ] as const
  ) {
    const response = await ask(`${PATH}?${query}`);
    assert.equal(response.status, 422, query);
    assert.equal((await response.json()).error.param, param, query);
  }
});
