// The console's first page: every figure is what a count of the tables gives, and each part has its moment.
import { eventually } from "../support/eventually.ts";
import assert from "node:assert/strict";
import { Overview } from "../../supabase/functions/admin/overview.schema.ts";
import { readOverview } from "../../supabase/functions/admin/overview.ts";
import { signUp } from "../support/people.ts";
import { anAdministrator, AREAS } from "./administrators.ts";
import { replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/overview";

Deno.test("admin overview: an administrator of all areas reads every part, with the requested number of days", async () => {
  const administrator = await anAdministrator(...AREAS);
  const read = await replyOf(readOverview, await administrator.ask(PATH), Overview);
  assert.equal(read.sessions_by_day!.days.length, 14);
  const one = await replyOf(readOverview, await administrator.ask(`${PATH}?days=1`), Overview);
  assert.deepEqual(one.sessions_by_day!.days.map(({ date }) => date), [
    new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10),
  ]);
  for (const wrong of ["days=0", "days=31", "days=x", "of=lots"]) {
    const response = await administrator.ask(`${PATH}?${wrong}`);
    assert.deepEqual([response.status, (await response.json()).error.param], [422, wrong.split("=")[0]]);
  }
});

Deno.test("admin overview: a caller who is not an active administrator gets 403 with the scope", async () => {
  const suspended = await anAdministrator("lots");
  await inDatabase((sql) => sql`update public.admins set status = 'suspended' where id = ${suspended.id}`);
  const response = await suspended.ask(`${PATH}?days=0`);
  assert.deepEqual([response.status, (await response.json()).error.details], [403, { scope: "admin" }]);
});

Deno.test("admin overview: a new app user is counted after the jobs have run", async () => {
  const administrator = await anAdministrator(...AREAS);
  const before = await replyOf(readOverview, await administrator.ask(PATH), Overview);
  await signUp();
  // Other tests delete queues of their own while the jobs count all queues.
  await eventually(() =>
    inDatabase((sql) => sql`select private.refresh_overview(), private.refresh_overview_now()`).catch((error) => {
      if (error.code !== "42P01") throw error;
    })
  );
  const after = await replyOf(readOverview, await administrator.ask(`${PATH}?days=30`), Overview);
  assert.ok(after.people!.all > before.people!.all);
  assert.ok(after.people!.new_7d > 0 && after.people!.new_7d <= after.people!.all);
  assert.ok(Date.parse(after.people!.at) > Date.parse(before.people!.at));
  assert.equal(after.sessions_by_day!.days.length, 30);
  assert.ok(Date.parse(after.jobs.at) > Date.parse(before.jobs.at));
  assert.ok(after.jobs.active > 0 && after.jobs.failed_24h >= after.jobs.failing.length);
  assert.ok(after.message_queues.items.some(({ queue }) => queue === "object_deletion"));
});

Deno.test("admin overview: push and mail are shown to administrators with the area notifications alone", async () => {
  const read = async (area: "lots" | "notifications") =>
    await replyOf(readOverview, await (await anAdministrator(area)).ask(PATH), Overview);
  const [other, own] = [await read("lots"), await read("notifications")];
  assert.deepEqual([other.push, other.mail], [null, null]);
  assert.ok(own.push!.messages >= 0 && own.mail!.messages >= 0);
  assert.ok(own.push!.outcomes.length <= 24 && own.mail!.outcomes.length <= 24);
});
