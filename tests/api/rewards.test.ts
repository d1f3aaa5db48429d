// Points and badges, through HTTP.
import assert from "node:assert/strict";
import { MyBadgeProgressList, MyBadges } from "../../supabase/functions/_shared/schema/badges.ts";
import { ExpEntries, MyExp } from "../../supabase/functions/_shared/schema/exp.ts";
import { listMyBadgeProgress, listMyBadges } from "../../supabase/functions/me/badges.ts";
import { listMyExpEntries, readMyExp } from "../../supabase/functions/me/exp.ts";
import { signUp } from "../support/people.ts";
import { assertRefused } from "../support/refusals.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot } from "./lots.ts";

Deno.test("a deed through HTTP is in the caller's points and progress when it is answered", async () => {
  const [person, lot] = [await signUp(), await aLot()];
  const asked = { method: "POST", ...jsonBody({ state: "full" }, bearer(person.token)) };
  assert.equal((await ask(`/parking-lots/${lot}/occupancy-reports`, asked)).ok, true);
  const get = (path: string) => ask(path, { headers: bearer(person.token) });
  const exp = await replyOf(readMyExp, await get("/me/exp"), MyExp);
  assert.deepEqual(exp, { total_exp: 8, level: 1, next_level_exp: 50, exp_to_next_level: 42 });
  const history = await replyOf(listMyExpEntries, await get("/me/exp/history"), ExpEntries);
  assert.deepEqual(history.items.map(({ reason }) => reason), ["first_of_day", "occupancy_report"]);
  const progress = await replyOf(listMyBadgeProgress, await get("/me/badge-progress?limit=100"), MyBadgeProgressList);
  assert.equal(progress.items.find(({ badge }) => badge?.category === "streak")?.count, 1);
  assert.deepEqual((await replyOf(listMyBadges, await get("/me/badges"), MyBadges)).items, []);
});

Deno.test("a visitor has no points", async () => {
  await assertRefused(await ask("/me/exp"), { code: "unauthorized" });
});
