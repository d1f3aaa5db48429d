// Sponsors through HTTP.
import assert from "node:assert/strict";
import { Checkin, NearbySponsors, Sponsors } from "../../supabase/functions/_shared/schema/sponsors.ts";
import { checkIn, listSponsors, nearbySponsors } from "../../supabase/functions/sponsors/routes.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, query, replyOf, tagOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

/** A place of its own for every test, far from any other's. */
let meridian = 60;
const somewhere = () => ({ lat: -10, lng: meridian++ });

async function aSponsor(columns: Record<string, string | number | boolean> = {}): Promise<string> {
  return await inDatabase(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into public.sponsors ${sql({ name: "Cafe", ...somewhere(), ...columns })} returning id`;
    return row!.id;
  });
}

const arrive = ({ token }: Person, id: string, body: unknown) =>
  ask(`/sponsors/${id}/checkin`, { method: "POST", ...jsonBody(body, bearer(token)) });

Deno.test("sponsors: any client lists the sponsors of a category, page by page, and revalidates with an ETag", async () => {
  const category = `c${crypto.randomUUID().slice(0, 8)}`;
  const ids = [await aSponsor({ category, sort_order: 1 }), await aSponsor({ category, sort_order: 2 })];
  await aSponsor({ category, is_active: false });
  const path = `/sponsors${query({ category, limit: 1 })}`;
  const answer = await ask(path);
  assert.match(answer.headers.get("cache-control") ?? "", /public, max-age=60/);
  const tag = tagOf(answer)!;
  const first = await replyOf(listSponsors, answer, Sponsors);
  const second = await replyOf(
    listSponsors,
    await ask(`/sponsors${query({ category, limit: 1, cursor: first.next_cursor })}`),
    Sponsors,
  );
  assert.deepEqual([...first.items, ...second.items].map(({ id }) => id), ids);
  assert.equal(second.next_cursor, null);
  const same = await ask(path, { headers: { "if-none-match": tag } });
  await same.body?.cancel();
  assert.equal(same.status, 304);
});

Deno.test("sponsors: an invalid link of one sponsor does not fail the list", async () => {
  const category = `c${crypto.randomUUID().slice(0, 8)}`;
  await aSponsor({ category, website: "https://cafe.example:99999/" });
  const { items } = await replyOf(listSponsors, await ask(`/sponsors${query({ category })}`), Sponsors);
  assert.deepEqual(items.map(({ website }) => website), ["https://cafe.example:99999/"]);
});

Deno.test("sponsors: a cursor of another category is rejected", async () => {
  const category = `c${crypto.randomUUID().slice(0, 8)}`;
  for (const sort_order of [1, 2]) await aSponsor({ category, sort_order });
  const page = await replyOf(listSponsors, await ask(`/sponsors${query({ category, limit: 1 })}`), Sponsors);
  const other = await ask(`/sponsors${query({ category: "other", limit: 1, cursor: page.next_cursor })}`);
  await assertError(other, { code: "validation_error", param: "cursor" });
});

Deno.test("sponsors: any client finds sponsors near a point, nearest first, with their distance and whether they are open", async () => {
  const place = somewhere();
  const always = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens: "00:00", closes: "24:00" }));
  const far = await aSponsor({ ...place, lat: place.lat + 0.003 });
  const near = await aSponsor({ ...place, lat: place.lat + 0.001 });
  await aSponsor({ ...place, lat: place.lat + 0.1 });
  await inDatabase((sql) => sql`update public.sponsors set opening_hours = ${sql.json(always)} where id = ${near}`);
  const found = await replyOf(
    nearbySponsors,
    await ask(`/sponsors/nearby${query({ ...place, radius_m: 1000 })}`),
    NearbySponsors,
  );
  assert.deepEqual(found.map(({ id, distance_m, is_open_now }) => [id, distance_m, is_open_now]), [
    [near, 111.2, true],
    [far, 333.59, null],
  ]);
  const one = await ask(`/sponsors/nearby${query({ ...place, radius_m: 1000, limit: 1 })}`);
  assert.deepEqual((await replyOf(nearbySponsors, one, NearbySponsors)).map(({ id }) => id), [near]);
});

Deno.test("sponsors: an invalid point or radius is rejected by name", async () => {
  for (const [param, value] of [["lat", 91], ["lng", -181], ["radius_m", 0], ["limit", 101]] as const) {
    const answer = await ask(`/sponsors/nearby${query({ lat: 35, lng: 139, [param]: value })}`);
    await assertError(answer, { code: "validation_error", param });
  }
});

Deno.test("sponsors: a check-in is made once: 201 with counted, then 200 with the same one", async () => {
  const user = await signUp();
  const place = somewhere();
  const sponsor = await aSponsor(place);
  const first = await replyOf(checkIn, await arrive(user, sponsor, { ...place, accuracy_m: 8 }), Checkin);
  assert.deepEqual([first.counted, first.sponsor_id, first.distance_m], [true, sponsor, 0]);
  const answer = await arrive(user, sponsor, { ...place, accuracy_m: 8 });
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { ...first, counted: false });
});

Deno.test("sponsors: a check-in too far away or too inaccurate is rejected with the figures, and does not count", async () => {
  const user = await signUp();
  const place = somewhere();
  const sponsor = await aSponsor({ ...place, checkin_radius_m: 200 });
  const far = await arrive(user, sponsor, { ...place, lat: place.lat + 0.002, accuracy_m: 8 });
  assert.equal(far.status, 422);
  const { error } = await far.json();
  const { errors, ...figures } = error.details;
  assert.deepEqual([error.code, figures], [
    "validation_error",
    { reason: "too_far", distance_m: 222.39, allowed_m: 200 },
  ]);
  assert.deepEqual(errors.map(({ param }: { param: string }) => param), ["lat"]);
  const unsure = await arrive(user, sponsor, { ...place, accuracy_m: 101 });
  await assertError(unsure, { code: "validation_error", param: "accuracy_m" });
  for (const missing of [{ lat: place.lat, lng: place.lng }, { lat: place.lat, accuracy_m: 1 }]) {
    await assertError(await arrive(user, sponsor, missing), { code: "validation_error" });
  }
  assert.equal((await arrive(user, sponsor, { ...place, lat: place.lat + 0.001, accuracy_m: 100 })).status, 201);
});

Deno.test("sponsors: a check-in at a sponsor that is not shown, or by an anonymous user, is rejected", async () => {
  const user = await signUp();
  const place = somewhere();
  const hidden = await aSponsor({ ...place, is_active: false });
  for (const id of [hidden, crypto.randomUUID()]) {
    await assertError(await arrive(user, id, { ...place, accuracy_m: 8 }), { code: "not_found", param: "id" });
  }
  const anonymous = await ask(`/sponsors/${hidden}/checkin`, {
    method: "POST",
    ...jsonBody({ ...place, accuracy_m: 8 }),
  });
  await assertError(anonymous, { code: "unauthorized" });
});
