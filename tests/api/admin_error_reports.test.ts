// Error reports and field values of the console: their queues, what administrators decide, and what follows for lots.
import assert from "node:assert/strict";
import { AdminErrorReport, AdminErrorReports } from "../../supabase/functions/admin/error_reports.schema.ts";
import { AdminFieldValue, AdminFieldValues } from "../../supabase/functions/admin/field_values.schema.ts";
import { listErrorReports, readErrorReport, updateErrorReport } from "../../supabase/functions/admin/error_reports.ts";
import { decideFieldValue, listFieldValues, readFieldValue } from "../../supabase/functions/admin/field_values.ts";
import { type Person, signUp } from "../support/people.ts";
import { makeVoters } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { actsOn, anAdministratingUser, anAdministrator, assertErrorDetails, sending } from "./administrators.ts";
import { ask, bearer, jsonBody, replyOf, tagOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";
import { uploaded } from "./uploaded.ts";

const PATH = "/admin/error-reports";
const editor = await anAdministrator("lots");

interface Reported {
  readonly id: string;
  readonly updated_at: string;
}

async function reported(author: Person, about: Record<string, unknown>): Promise<Reported> {
  const report = { report_type: "vehicle_limits", description: "It is lower", ...about };
  const reply = await ask("/error-reports", { method: "POST", ...jsonBody(report, bearer(author.token)) });
  assert.equal(reply.status, 201);
  const { id } = await reply.json();
  return await read(id);
}

const read = async (id: string) => await replyOf(readErrorReport, await editor.ask(`${PATH}/${id}`), AdminErrorReport);

const update = ({ id, updated_at }: Reported, changes: Record<string, unknown>, by = editor) =>
  by.ask(`${PATH}/${id}`, sending("PATCH", { seen_updated_at: updated_at, ...changes }));

const updated = async (report: Reported, changes: Record<string, unknown>) =>
  await replyOf(updateErrorReport, await update(report, changes), AdminErrorReport);

const notifications = (user: Person) =>
  inDatabase(async (sql) => {
    const rows = await sql<{ title: string; body: string }[]>`
      select title, body from public.user_notifications
      where user_id = ${user.id} and type = 'error_report_result' order by created_at`;
    return rows.map((row) => ({ ...row }));
  });

const points = (user: Person, source: string) =>
  inDatabase(async (sql) => {
    const rows = await sql<{ reason: string; amount: number }[]>`
      select reason, amount from public.exp_entries where user_id = ${user.id} and source_id = ${source}`;
    return rows.map((row) => ({ ...row }));
  });

Deno.test("GET /admin/error-reports: the queue of a lot has the reports that are open or in review, oldest first, with evidence", async () => {
  const [lot, author] = [await aLot({ name: "Reported" }), await signUp({ displayName: "Taro" })];
  const evidence = await uploaded(author, "error_report");
  const first = await reported(author, { parking_lot_id: lot, severity: "high", evidence_asset_ids: [evidence] });
  const second = await reported(author, { parking_lot_id: lot });
  const third = await reported(author, { parking_lot_id: lot, severity: "high" });
  const page = async (query: string) =>
    await replyOf(listErrorReports, await editor.ask(`${PATH}?parking_lot_id=${lot}${query}`), AdminErrorReports);
  const { updated_at } = await updated(first, { assigned_admin_id: editor.id });
  const one = await page("&limit=2&include=total");
  assert.deepEqual(one.items.map(({ id }) => id), [first.id, second.id]);
  assert.equal(one.total, 3);
  const { user_name, parking_lot_name, status, evidence_urls, assigned_admin_id } = one.items[0]!;
  assert.deepEqual([user_name, parking_lot_name, status, assigned_admin_id], [
    "Taro",
    "Reported",
    "in_review",
    editor.id,
  ]);
  const file = await fetch(evidence_urls[0]!);
  assert.equal(file.status, 200);
  await file.body?.cancel();
  assert.deepEqual((await page(`&limit=2&cursor=${one.next_cursor}`)).items.map(({ id }) => id), [third.id]);
  assert.deepEqual((await page("&severity=high")).items.map(({ id }) => id), [first.id, third.id]);
  assert.deepEqual((await page("&severity=high&status=open")).items.map(({ id }) => id), [third.id]);
  assert.deepEqual((await page(`&assigned_to=${editor.id}`)).items.map(({ id }) => id), [first.id]);
  await updated({ id: first.id, updated_at }, { status: "rejected" });
  assert.deepEqual((await page("")).items.map(({ id }) => id), [second.id, third.id]);
  assert.deepEqual((await page("&status=rejected")).items.map(({ id }) => id), [first.id]);
  await assertErrorDetails(await editor.ask(`${PATH}?severity=bad`), "validation_error", "severity");
  await assertErrorDetails(await editor.ask(`${PATH}?cursor=${one.next_cursor}`), "validation_error", "cursor");
  await assertErrorDetails(await editor.ask(`${PATH}/${crypto.randomUUID()}`), "not_found", "id");
});

Deno.test("admin error reports and field values: without the area every route is 403 with the missing scope", async () => {
  const other = await anAdministrator("reviews", "support");
  const report = await reported(await signUp(), { parking_lot_id: await aLot() });
  for (
    const response of [
      await other.ask(PATH),
      await other.ask(`${PATH}?status=gone`),
      await other.ask(`${PATH}/${report.id}`),
      await update(report, { status: "in_review" }, other),
      await update({ ...report, id: crypto.randomUUID() }, { status: "in_review" }, other),
      await other.ask(`${PATH}/${report.id}`, sending("PATCH", {})),
      await other.ask("/admin/field-values"),
      await other.ask(`/admin/field-values/${report.id}`),
      await other.ask(`/admin/field-values/${report.id}`, sending("PATCH", { state: "confirmed" })),
    ]
  ) {
    assert.equal(response.status, 403);
    assert.deepEqual((await response.json()).error.details, { scope: "admin:lots" });
  }
  assert.deepEqual(await actsOn(report.id), []);
});

Deno.test("PATCH /admin/error-reports/{id}: assigned, resolved with the correction of the lot; points and notification once", async () => {
  const [author, lot] = [await signUp(), await aLot({ name: "Low", max_height_m: 2.5 })];
  const open = await reported(author, { parking_lot_id: lot });
  const taken = await updated(open, { assigned_admin_id: editor.id });
  assert.deepEqual([taken.status, taken.assigned_admin_name], ["in_review", "Administrator"]);
  const same = await updated(taken, { assigned_admin_id: editor.id });
  assert.equal(same.updated_at, taken.updated_at);
  const resolved = await updated(taken, {
    status: "resolved",
    reason: "Thank you",
    correction: { max_height_m: 2.1, phone: "03-0000-0000" },
  });
  assert.equal(resolved.status, "resolved");
  const [row] = await inDatabase((sql) => sql`select max_height_m, phone from public.parking_lots where id = ${lot}`);
  assert.deepEqual({ ...row }, { max_height_m: "2.1", phone: "03-0000-0000" });
  const of = { admin_id: editor.id, target_type: "error_report", user_id: author.id };
  assert.deepEqual(await actsOn(open.id), [
    {
      ...of,
      action: "error_report.assign",
      changes: { status: { old: "open", new: "in_review" }, assigned_admin_id: { old: null, new: editor.id } },
    },
    {
      ...of,
      action: "error_report.resolve",
      changes: { status: { old: "in_review", new: "resolved" }, reason: "Thank you" },
    },
  ]);
  assert.deepEqual(await actsOn(lot), [{
    admin_id: editor.id,
    action: "parking_lot.correct",
    target_type: "parking_lot",
    user_id: null,
    changes: {
      max_height_m: { old: 2.5, new: 2.1 },
      phone: { old: null, new: "03-0000-0000" },
      error_report_id: open.id,
    },
  }]);
  assert.deepEqual(await points(author, open.id), [{ reason: "error_report_resolved", amount: 40 }]);
  const notified = {
    title: "ご報告いただいた箇所を修正しました",
    body: "「Low」についてのご報告、ありがとうございました。\n理由: Thank you",
  };
  assert.deepEqual(await notifications(author), [notified]);
  const closed = await assertErrorDetails(await update(resolved, { status: "rejected" }), "conflict", "status");
  assert.deepEqual(closed, { reason: "status_not_reachable", status: "resolved", allowed: [] });
  await assertErrorDetails(await update(resolved, { assigned_admin_id: editor.id }), "conflict", "status");
  await updated(resolved, { assigned_admin_id: null });
  assert.deepEqual(await notifications(author), [notified]);
});

Deno.test("PATCH /admin/error-reports/{id}: a correction that cannot be stored leaves the report, the lot and the record as they were", async () => {
  const [author, lot] = [await signUp(), await aLot({ max_height_m: 2.5 })];
  const open = await reported(author, { parking_lot_id: lot });
  const taken = await updated(open, { status: "in_review" });
  assert.deepEqual((await actsOn(open.id)).map(({ action }) => action), ["error_report.review"]);
  const resolve = (correction: unknown) => update(taken, { status: "resolved", correction });
  await assertErrorDetails(await resolve({ max_height_m: 2.1, color: "red" }), "validation_error", "correction.color");
  await assertErrorDetails(await resolve({ max_height_m: -1 }), "validation_error", "correction.max_height_m");
  await assertErrorDetails(
    await resolve({ max_height_m: 2.1, operator_code: "nobody" }),
    "validation_error",
    "operator_code",
  );
  await assertErrorDetails(await resolve("lower"), "validation_error", "correction");
  await assertErrorDetails(
    await update(taken, { status: "rejected", correction: {} }),
    "validation_error",
    "correction",
  );
  assert.equal((await read(open.id)).updated_at, taken.updated_at);
  const [row] = await inDatabase((sql) => sql`select max_height_m from public.parking_lots where id = ${lot}`);
  assert.equal(row!["max_height_m"], "2.5");
  assert.deepEqual([...await actsOn(lot), ...await notifications(author), ...await points(author, open.id)], []);
  const missing = await reported(author, {
    parking_lot_id: undefined,
    parking_lot_name: "New",
    report_type: "missing",
  });
  const found = await updated(missing, { status: "in_review" });
  const correction = { name: "New" };
  await assertErrorDetails(await update(found, { status: "resolved", correction }), "validation_error", "correction");
  assert.equal((await updated(found, { status: "rejected" })).status, "rejected");
  assert.deepEqual((await notifications(author)).map(({ title }) => title), ["ご報告の確認が終わりました"]);
  assert.deepEqual(await points(author, missing.id), []);
});

Deno.test("PATCH /admin/error-reports/{id}: wrong fields, a stale version and the caller's own report are rejected without effect", async () => {
  const open = await reported(await signUp(), { parking_lot_id: await aLot() });
  const refused = await update(open, { status: "resolved" });
  assert.match((await refused.clone().json()).error.message, /^The status of the error report cannot become resolved /);
  const unreachable = await assertErrorDetails(refused, "conflict", "status");
  assert.deepEqual(unreachable, { reason: "status_not_reachable", status: "open", allowed: ["in_review"] });
  const seen_updated_at = "2026-09-01T00:00:00Z";
  const stale = await assertErrorDetails(
    await update(open, { status: "in_review", seen_updated_at }),
    "conflict",
    "seen_updated_at",
  );
  assert.deepEqual(stale, { reason: "changed_meanwhile", updated_at: open.updated_at });
  for (
    const [param, changes] of [
      ["status", {}],
      ["status", { status: "open" }],
      ["seen_updated_at", { status: "in_review", seen_updated_at: undefined }],
      ["assigned_admin_id", { assigned_admin_id: crypto.randomUUID() }],
      ["assigned_admin_id", { assigned_admin_id: (await anAdministrator("support")).id }],
      ["reason", { status: "in_review", reason: "x".repeat(501) }],
      ["severity", { severity: "low" }],
    ] as const
  ) {
    await assertErrorDetails(await update(open, changes), "validation_error", param);
  }
  await assertErrorDetails(
    await update({ ...open, id: crypto.randomUUID() }, { status: "in_review" }),
    "not_found",
    "id",
  );
  const both = await anAdministratingUser("lots");
  const own = await reported(both, { parking_lot_id: await aLot() });
  const error = await assertErrorDetails(await update(own, { status: "in_review" }, both), "forbidden");
  assert.deepEqual(error, { reason: "own_entry" });
  assert.deepEqual([...await actsOn(open.id), ...await actsOn(own.id)], []);
});

Deno.test("api.admin_update_error_report: the back office decides by rpc with the same checks and record", async () => {
  const { apiUrl, secretKey } = stack();
  const rpc = (adminId: string, changes: unknown) =>
    fetch(`${apiUrl}/rest/v1/rpc/admin_update_error_report`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify({ p_admin_id: adminId, p_id: open.id, p_changes: changes }),
    });
  const open = await reported(await signUp(), { parking_lot_id: await aLot() });
  const good = { status: "in_review", seen_updated_at: open.updated_at };
  const error = await rpc((await anAdministrator("reviews")).id, good);
  assert.equal(error.status, 403, await error.text());
  for (
    const [param, changes] of [
      [undefined, "all"],
      ["severity", { ...good, severity: "low" }],
      ["status", { seen_updated_at: open.updated_at }],
      ["status", { ...good, status: null }],
      ["seen_updated_at", { ...good, seen_updated_at: 5 }],
      ["assigned_admin_id", { ...good, assigned_admin_id: "me" }],
    ] as const
  ) {
    const answer = await rpc(editor.id, changes);
    assert.deepEqual([answer.status, JSON.parse((await answer.json()).details).param], [422, param]);
  }
  assert.equal((await (await rpc(editor.id, good)).json()).status, "in_review");
  assert.deepEqual((await actsOn(open.id)).map(({ admin_id }) => admin_id), [editor.id]);
});

/** A value of a lot that so many deny; what the console reads of it. */
async function disputed(lot: string, field: string, denials = 3): Promise<AdminFieldValue> {
  const id = await inDatabase(async (sql) => {
    const [value] = await sql<{ id: string }[]>`
      select id from private.current_field_values(${lot}) where field_name = ${field}`;
    return value!.id;
  });
  for (let n = 0; n < denials; n++) await vote(lot, id, "deny");
  return await readValue(id);
}

async function vote(lot: string, id: string, vote: "confirm" | "deny"): Promise<void> {
  const voter = await signUp();
  await inDatabase((sql) => makeVoters(sql, [voter.id]));
  const path = `/parking-lots/${lot}/field-values/${id}/${vote}`;
  const reply = await ask(path, { method: "POST", headers: bearer(voter.token) });
  assert.equal(reply.status, 200, await reply.text());
}

const readValue = async (id: string) =>
  await replyOf(readFieldValue, await editor.ask(`/admin/field-values/${id}`), AdminFieldValue);

const decide = (id: string, body: unknown, headers = {}) =>
  editor.ask(`/admin/field-values/${id}`, sending("PATCH", body, headers));

type AdminFieldValue = Awaited<ReturnType<typeof readValue>>;

Deno.test("GET /admin/field-values: disputed values come first, by state and lot, page by page", async () => {
  const lot = await aLot({ name: "Disputed", max_height_m: 2.5, total_spaces: 10 });
  const unverified = await disputed(lot, "name", 1);
  const values = [await disputed(lot, "max_height_m"), await disputed(lot, "total_spaces")];
  const page = async (query: string) =>
    await replyOf(
      listFieldValues,
      await editor.ask(`/admin/field-values?parking_lot_id=${lot}${query}`),
      AdminFieldValues,
    );
  const one = await page("&limit=2&include=total");
  assert.deepEqual(one.items.map(({ id, state }) => [id, state]), values.map(({ id }) => [id, "disputed"]));
  assert.deepEqual([one.total, one.items[0]!.deny_count, one.items[0]!.parking_lot_name], [3, 3, "Disputed"]);
  const two = await page(`&limit=2&cursor=${one.next_cursor}`);
  assert.deepEqual([two.items.map(({ id }) => id), two.next_cursor], [[unverified.id], null]);
  assert.deepEqual((await page("&state=unverified")).items.map(({ id }) => id), [unverified.id]);
  const all = await replyOf(listFieldValues, await editor.ask("/admin/field-values?limit=100"), AdminFieldValues);
  // Other tests leave values of every state.
  const ranks = all.items.map(({ state }) => ["disputed", "unverified", "confirmed", "retired"].indexOf(state));
  assert.deepEqual(ranks, ranks.toSorted((a, b) => a - b));
  await assertErrorDetails(await editor.ask("/admin/field-values?state=wrong"), "validation_error", "state");
});

Deno.test("PATCH /admin/field-values/{id}: a confirmed value stays so until later votes dispute it", async () => {
  const lot = await aLot({ max_height_m: 2.5 });
  const { id } = await disputed(lot, "max_height_m");
  const answer = await decide(id, { state: "confirmed", reason: "Measured" });
  const confirmed = await replyOf(decideFieldValue, answer, AdminFieldValue);
  assert.equal(tagOf(answer), `"${confirmed.updated_at}"`);
  assert.deepEqual([confirmed.state, confirmed.last_verified_at], ["confirmed", confirmed.decided_at]);
  const [act] = await actsOn(id);
  assert.deepEqual([act!.action, act!.changes["state"], act!.changes["reason"]], [
    "field_value.confirm",
    { old: "disputed", new: "confirmed" },
    "Measured",
  ]);
  await vote(lot, id, "deny");
  await vote(lot, id, "deny");
  assert.equal((await readValue(id)).state, "confirmed");
  await vote(lot, id, "deny");
  assert.deepEqual((({ state, deny_count }) => [state, deny_count])(await readValue(id)), ["disputed", 6]);
});

Deno.test("PATCH /admin/field-values/{id}: a retired value is removed from the lot's row; one that a lot requires is 422", async () => {
  const lot = await aLot({ max_height_m: 2.5 });
  const [{ id, updated_at }, name] = [await disputed(lot, "max_height_m"), await disputed(lot, "name", 1)];
  const stale = await decide(id, { state: "retired" }, { "If-Match": `"${name.updated_at}"` });
  assert.deepEqual(await assertErrorDetails(stale, "precondition_failed", "If-Match"), { updated_at });
  const retired = await decide(id, { state: "retired" }, { "If-Match": `"${updated_at}"` });
  assert.equal((await replyOf(decideFieldValue, retired, AdminFieldValue)).state, "retired");
  const [row] = await inDatabase((sql) => sql`select max_height_m from public.parking_lots where id = ${lot}`);
  assert.equal(row!["max_height_m"], null);
  assert.deepEqual((await actsOn(lot)).map(({ action, changes }) => [action, changes]), [
    ["parking_lot.correct", { max_height_m: { old: 2.5, new: null }, field_value_id: id }],
  ]);
  assert.deepEqual((await actsOn(id)).map(({ action }) => action), ["field_value.retire"]);
  assert.deepEqual(await assertErrorDetails(await decide(id, { state: "confirmed" }), "conflict", "state"), {
    reason: "retired",
  });
  await assertErrorDetails(await decide(name.id, { state: "retired" }), "validation_error", "state");
  await assertErrorDetails(await decide(name.id, { state: "disputed" }), "validation_error", "state");
  await assertErrorDetails(await decide(crypto.randomUUID(), { state: "confirmed" }), "not_found", "id");
  assert.deepEqual(await actsOn(name.id), []);
});
