// Lists return their total with include=total.
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { aLot } from "./lots.ts";
import { age, inMinutes } from "./sessions.ts";

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

Deno.test("lists: a reply has total with include=total, and only then", async () => {
  const [user, other, lot] = [await signUp(), await signUp(), await aLot()];
  for (const one of [user, other]) await write(one, `/parking-lots/${lot}/reviews`, { rating: 4 });
  await write(user, `/parking-lots/${await aLot()}/reviews`, { rating: 3 });
  for (const one of [user, user, other]) {
    await write(one, "/me/vehicles", { vehicle_type: "kei" });
    await write(one, "/me/search-presets", { name: "Near work", query_json: {} });
    await write(one, "/error-reports", { parking_lot_id: lot, report_type: "price", description: "Dearer" });
    await write(one, "/support/tickets", { category: "other", subject: "Hello", message: "Hello" });
    const { session_id } = await write(one, "/parking-sessions", { parking_lot_id: lot });
    await write(one, `/parking-sessions/${session_id}/cancel`);
  }
  const things = ["me/vehicles", "me/search-presets", "me/error-reports", "support/tickets", "me/parking-sessions"];
  for (const path of [...things, "me/reviews"].map((thing) => `/${thing}`)) {
    const first = await list(user, `${path}?limit=1&include=total`);
    assert.deepEqual([first.items.length, first.total], [1, 2], path);
    const second = await list(user, `${path}?limit=1&include=total&cursor=${first.next_cursor}`);
    assert.deepEqual([second.items.length, second.total, second.next_cursor], [1, 2, null], path);
    assert.ok(!("total" in await list(user, path)), path);
  }
  await write(user, "/parking-sessions", { parking_lot_id: lot });
  for (const [filter, total] of [["status=parking", 1], ["status=cancelled", 2], ["to=2020-01-01T00:00:00Z", 0]]) {
    assert.equal((await list(user, `/me/parking-sessions?include=total&${filter}`)).total, total, String(filter));
  }
});

async function walked(user: Person, path: string): Promise<number> {
  let count = 0;
  for (let cursor = "";;) {
    const page = await list(user, `${path}?limit=100${cursor}`);
    assert.ok(!("total" in page), path);
    count += page.items.length;
    if (page.next_cursor === null) return count;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

Deno.test("lists: points, badges, themes, gifts, sponsors, plans, articles and advertisements have total as well", async () => {
  const user = await signUp();
  const { session_id } = await write(user, "/parking-sessions", { parking_lot_id: await aLot() });
  await age(session_id, 5);
  await write(user, `/parking-sessions/${session_id}/finalize`, { exit_at: inMinutes(0) });
  const own = ["me/exp/history", "me/badges", "me/badge-progress", "me/themes", "me/theme-gifts"];
  for (const path of [...own, "sponsors", "subscription-plans", "articles", "ads"].map((thing) => `/${thing}`)) {
    // Others may publish meanwhile.
    await eventually(async () => {
      const { items, total } = await list(user, `${path}?include=total&limit=1`);
      assert.equal(items.length, Math.min(total, 1), path);
      if (path !== "/me/theme-gifts") assert.ok(total > 0, `${path} has nothing to count`);
      return total === await walked(user, path) ? true : undefined;
    });
  }
  const { catalogue, total } = await list(user, "/me/themes?include=total,catalogue");
  assert.deepEqual([Array.isArray(catalogue), typeof total], [true, "number"]);
});
