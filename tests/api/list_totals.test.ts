// The lists of what is the caller's own count all of it when they are asked.
import assert from "node:assert/strict";
import { type Person, signUp } from "../support/people.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { aLot } from "./lots.ts";

async function write({ token }: Person, path: string, body: unknown = {}) {
  const answer = await ask(path, { method: "POST", ...jsonBody(body, bearer(token)) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return await answer.json();
}

async function list({ token }: Person, path: string) {
  const answer = await ask(path, { headers: bearer(token) });
  assert.equal(answer.status, 200, path);
  return await answer.json();
}

Deno.test("a list tells how many there are in all when it is asked with include=total, and only then", async () => {
  const [person, other, lot] = [await signUp(), await signUp(), await aLot()];
  for (const one of [person, other]) await write(one, `/parking-lots/${lot}/reviews`, { rating: 4 });
  await write(person, `/parking-lots/${await aLot()}/reviews`, { rating: 3 });
  for (const one of [person, person, other]) {
    await write(one, "/me/vehicles", { vehicle_type: "kei" });
    await write(one, "/me/search-presets", { name: "Near work", query_json: {} });
    await write(one, "/error-reports", { parking_lot_id: lot, report_type: "price", description: "Dearer" });
    await write(one, "/support/tickets", { category: "other", subject: "Hello", message: "Hello" });
    const { session_id } = await write(one, "/parking-sessions", { parking_lot_id: lot });
    await write(one, `/parking-sessions/${session_id}/cancel`);
  }
  const things = ["me/vehicles", "me/search-presets", "me/error-reports", "support/tickets", "me/parking-sessions"];
  for (const path of [...things, "me/reviews"].map((thing) => `/${thing}`)) {
    const first = await list(person, `${path}?limit=1&include=total`);
    assert.deepEqual([first.items.length, first.total], [1, 2], path);
    const second = await list(person, `${path}?limit=1&include=total&cursor=${first.next_cursor}`);
    assert.deepEqual([second.items.length, second.total, second.next_cursor], [1, 2, null], path);
    assert.ok(!("total" in await list(person, path)), path);
  }
  await write(person, "/parking-sessions", { parking_lot_id: lot });
  for (const [filter, total] of [["status=parking", 1], ["status=cancelled", 2], ["to=2020-01-01T00:00:00Z", 0]]) {
    assert.equal((await list(person, `/me/parking-sessions?include=total&${filter}`)).total, total, String(filter));
  }
});
