// Error reports about lots, through HTTP: evidence, the caller's list, and each status.
import assert from "node:assert/strict";
import { MeErrorReport, MeErrorReports } from "../../supabase/functions/_shared/schema/error_reports.ts";
import { postErrorReport } from "../../supabase/functions/error-reports/routes.ts";
import { listMyErrorReports } from "../../supabase/functions/me/error_reports.ts";
import { picture } from "../support/files.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, query, replyOf } from "./client.ts";
import { aLot, hiddenLots, inDatabase } from "./lots.ts";
import { uploaded } from "./uploaded.ts";

const post = ({ token }: Person, body: unknown) =>
  ask("/error-reports", { method: "POST", ...jsonBody(body, bearer(token)) });
const posted = async (user: Person, body: unknown) =>
  await replyOf(postErrorReport, await post(user, body), MeErrorReport);
const list = async ({ token }: Person, args: Record<string, unknown> = {}) =>
  await replyOf(
    listMyErrorReports,
    await ask(`/me/error-reports${query(args)}`, { headers: bearer(token) }),
    MeErrorReports,
  );

const report = { report_type: "price", description: "　200 yen a 20 minutes now " };

Deno.test("error reports: a report names a public lot, keeps its name at that time, and leaves an activity row", async () => {
  const [user, lot] = [await signUp(), await aLot({ name: "Reported" })];
  const made = await posted(user, { ...report, parking_lot_id: lot, severity: "high" });
  assert.deepEqual(
    { ...made, id: "", created_at: "" },
    {
      id: "",
      parking_lot_id: lot,
      parking_lot_name: "Reported",
      report_type: "price",
      severity: "high",
      status: "open",
      description: "200 yen a 20 minutes now",
      evidence_urls: null,
      created_at: "",
    },
  );
  await inDatabase(async (sql) => {
    const activity = await sql`
      select activity_type, parking_lot_id, subject_id from public.user_activity_logs where user_id = ${user.id}`;
    assert.deepEqual([...activity].map((row) => ({ ...row })), [
      { activity_type: "error_report_post", parking_lot_id: lot, subject_id: made.id },
    ]);
    await sql`update public.parking_lots set name = 'Renamed' where id = ${lot}`;
  });
  assert.equal((await list(user)).items[0]?.parking_lot_name, "Reported");
});

Deno.test("error reports: a missing lot is reported by its name; a report that names none, or both ways, or one that is not public is rejected", async () => {
  const user = await signUp();
  const made = await posted(user, {
    report_type: "missing",
    description: "It is there",
    parking_lot_name: "New lot",
  });
  assert.deepEqual([made.parking_lot_id, made.parking_lot_name], [null, "New lot"]);
  await assertError(await post(user, report), { code: "validation_error", param: "parking_lot_name" });
  const both = { ...report, parking_lot_id: await aLot(), parking_lot_name: "Both" };
  await assertError(await post(user, both), { code: "validation_error", param: "parking_lot_name" });
  for (const [name, id] of Object.entries(await hiddenLots())) {
    await assertError(await post(user, { ...report, parking_lot_id: id }), { code: "lot_not_found" })
      .catch((error) => assert.fail(`${name}: ${error}`));
  }
  assert.equal((await list(user)).items.length, 1);
});

Deno.test("error reports: every field that is wrong is named", async () => {
  const [user, parking_lot_id] = [await signUp(), await aLot()];
  const good = { ...report, parking_lot_id };
  for (
    const [param, wrong] of [
      ["report_type", "rumour"],
      ["report_type", ""],
      ["severity", "awful"],
      ["description", ""],
      ["description", "　 "],
      ["description", "x".repeat(2001)],
      ["evidence_asset_ids", Array.from({ length: 6 }, () => crypto.randomUUID())],
    ] as const
  ) {
    await assertError(await post(user, { ...good, [param]: wrong }), { code: "validation_error", param });
  }
});

Deno.test("error reports: evidence is shown to its author in order, and is used by one report", async () => {
  const [user, other, parking_lot_id] = [await signUp(), await signUp(), await aLot()];
  const files = [picture("image/jpeg", 300), picture("image/jpeg", 400)];
  const ids = [];
  for (const file of files) ids.push(await uploaded(user, "error_report", file));
  const wanted = { ...report, parking_lot_id, evidence_asset_ids: ids };
  await assertError(await post(other, wanted), { code: "not_found", param: "evidence_asset_ids" });
  const { evidence_urls } = await posted(user, wanted);
  const read = await Promise.all(
    evidence_urls!.map(async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer())),
  );
  assert.deepEqual(read, files);
  assert.equal((await list(user)).items[0]?.evidence_urls?.length, 2);
  await assertError(await post(user, wanted), { code: "not_found", param: "evidence_asset_ids" });
  const notUploaded = { ...wanted, evidence_asset_ids: [crypto.randomUUID()] };
  await assertError(await post(user, notUploaded), { code: "not_found", param: "evidence_asset_ids" });
  const ofSupport = { ...wanted, evidence_asset_ids: [await uploaded(user, "support")] };
  await assertError(await post(user, ofSupport), { code: "not_found", param: "evidence_asset_ids" });
  // Rejected reports were not stored.
  assert.equal((await list(user)).items.length, 1);
});

Deno.test("error reports: the list has the caller's own, newest first, page by page, in every state", async () => {
  const [user, other, lot] = [await signUp(), await signUp(), await aLot()];
  await posted(other, { ...report, parking_lot_id: lot });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await posted(user, { ...report, parking_lot_id: lot })).id);
  await inDatabase(async (sql) => {
    for (const status of ["in_review", "resolved"]) {
      await sql`update public.error_reports set status = ${status} where id = ${ids[0]!}`;
    }
  });
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await list(user, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, ids);
  assert.equal((await list(user)).items[0]?.status, "resolved");
});

Deno.test("POST /error-reports: the 101st report in 24 hours is rejected with 429 and the time to wait", async () => {
  const [user, lot] = [await signUp(), await aLot()];
  await inDatabase((sql) =>
    sql`
      insert into public.error_reports (user_id, parking_lot_id, parking_lot_name, report_type, description, created_at)
      select ${user.id}, ${lot}, 'Lot', 'price', 'Dearer', now() - interval '23 hours' from generate_series(1, 99)`
  );
  await posted(user, { ...report, parking_lot_id: lot });
  const rejection = await post(user, { ...report, parking_lot_id: lot });
  const wait = Number(rejection.headers.get("retry-after"));
  assert.ok(wait > 3500 && wait <= 3600, `retry after ${wait}`);
  await assertError(rejection, { code: "rate_limited" });
  await inDatabase((sql) =>
    sql`update public.error_reports set created_at = created_at - interval '2 hours' where user_id = ${user.id}`
  );
  await posted(user, { ...report, parking_lot_id: lot });
});
