import assert from "node:assert/strict";
import { Occupancy, OccupancyFeedResult, OccupancyReport } from "../../supabase/functions/_shared/schema/occupancy.ts";
import { feedOccupancy, readOccupancy, reportOccupancy } from "../../supabase/functions/parking-lots/occupancy.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, hiddenLots, inDatabase } from "./lots.ts";

const { secretKey, serviceRoleKey } = stack();
const report = (lot: string, token: string, body: unknown) =>
  ask(`/parking-lots/${lot}/occupancy-reports`, { method: "POST", ...jsonBody(body, bearer(token)) });
const feed = (body: unknown, headers: Record<string, string>) =>
  ask("/parking-lots/occupancy-reports", { method: "POST", ...jsonBody(body, headers) });
const read = async (lot: string) =>
  await replyOf(readOccupancy, await ask(`/parking-lots/${lot}/occupancy`), Occupancy);

Deno.test("occupancy: the state of a lot is unknown until a user reports it, and unknown again when the report is stale", async () => {
  const [lot, user] = [await aLot({ total_spaces: 20 }), await signUp()];
  assert.deepEqual(await read(lot), { current: null, forecast: [] });
  const said = await replyOf(reportOccupancy, await report(lot, user.token, { free_spaces: 1 }), OccupancyReport);
  assert.deepEqual([said.state, said.free_spaces, said.occupancy_ratio, said.source], ["crowded", 1, 0.95, "driver"]);
  const { current, forecast } = await read(lot);
  const { age_seconds, ...known } = current!;
  assert.ok(age_seconds >= 0 && age_seconds < 60, String(age_seconds));
  assert.deepEqual(known, {
    state: "crowded",
    free_spaces: 1,
    trust: 0.6,
    observed_at: said.reported_at,
    source: "driver",
  });
  assert.deepEqual(
    forecast.map(({ sample_size, crowded_share, occupancy_ratio }) => [
      sample_size,
      crowded_share,
      occupancy_ratio,
    ]),
    [[1, 1, 0.95]],
  );
  await inDatabase((sql) =>
    sql`update public.occupancy_reports set reported_at = now() - interval '1 hour' where parking_lot_id = ${lot}`
  );
  assert.equal((await read(lot)).current, null);
});

Deno.test("occupancy: every reply with an occupancy has its age", async () => {
  const place = { lat: -12.5, lng: -12.5 };
  const lot = await aLot({ total_spaces: 20, ...place });
  await inDatabase((sql) =>
    sql`insert into public.occupancy_reports (parking_lot_id, source, state, reported_at)
      values (${lot}, 'operator', 'full', now() - interval '5 minutes')`
  );
  const nearby = await (await ask(`/parking-lots/nearby?lat=${place.lat}&lng=${place.lng}`)).json();
  const detail = await (await ask(`/parking-lots/${lot}`)).json();
  for (const visible of [nearby[0].availability, detail.availability, (await read(lot)).current]) {
    assert.ok(visible.age_seconds >= 300 && visible.age_seconds < 400, JSON.stringify(visible));
    const age = (Date.now() - Date.parse(visible.observed_at)) / 1000;
    assert.ok(Math.abs(age - visible.age_seconds) < 60);
  }
});

Deno.test("occupancy: a feed needs the service key, new or old, and is rejected with a user's token", async () => {
  const lot = await aLot();
  const body = { source: "sensor", reports: [{ parking_lot_id: lot, state: "full" }] };
  for (const headers of [{ apikey: secretKey }, bearer(serviceRoleKey)] as Record<string, string>[]) {
    const taken = await replyOf(feedOccupancy, await feed(body, headers), OccupancyFeedResult);
    assert.deepEqual(taken, { accepted: 1, unknown: [] });
  }
  assert.equal((await read(lot)).current?.state, "full");
  for (const headers of [{}, { apikey: stack().publishableKey }]) {
    await assertError(await feed(body, headers as Record<string, string>), { code: "unauthorized" });
  }
  await assertError(await feed(body, bearer((await signUp()).token)), { code: "forbidden" });
});

Deno.test("occupancy: wrong reports and wrong feeds are rejected by their field", async () => {
  const [lot, user] = [await aLot(), await signUp()];
  const reports: [unknown, string][] = [
    [{}, "state"],
    [{ state: "empty" }, "state"],
    [{ state: "full", free_spaces: 3 }, "free_spaces"],
    [{ free_spaces: 1.5 }, "free_spaces"],
    [{ free_spaces: -1 }, "free_spaces"],
    [{ occupancy_ratio: 1.1 }, "occupancy_ratio"],
    [{ state: "full", source: "sensor" }, "source"],
    [{ state: "full", reported_at: "2026-09-01T00:00:00Z" }, "reported_at"],
  ];
  for (const [body, param] of reports) {
    await assertError(await report(lot, user.token, body), { code: "validation_error", param });
  }
  const good = { parking_lot_id: lot, state: "full" };
  const feeds: [unknown, string][] = [
    [{ source: "driver", reports: [good] }, "source"],
    [{ source: "sensor", reports: [] }, "reports"],
    [{ source: "sensor", reports: Array.from({ length: 501 }, () => good) }, "reports"],
    [{ source: "sensor", reports: [good, { parking_lot_id: lot }] }, "reports.1.state"],
    [{ source: "sensor", reports: [{ ...good, reported_at: "2026-09-01T00:00:00" }] }, "reports.0.reported_at"],
    [{ source: "sensor", reports: [{ ...good, reported_at: "2096-09-01T00:00:00Z" }] }, "reports.0.reported_at"],
    [{ source: "sensor", reports: [{ ...good, parking_lot_id: "7" }] }, "reports.0.parking_lot_id"],
  ];
  for (const [body, param] of feeds) {
    await assertError(await feed(body, bearer(serviceRoleKey)), { code: "validation_error", param });
  }
});

Deno.test("occupancy: a lot that is not public shows nothing and takes no reports", async () => {
  const user = await signUp();
  for (const lot of Object.values(await hiddenLots())) {
    await assertError(await ask(`/parking-lots/${lot}/occupancy`), { code: "lot_not_found" });
    await assertError(await report(lot, user.token, { state: "full" }), { code: "lot_not_found" });
  }
});
