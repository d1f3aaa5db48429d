import assert from "node:assert/strict";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";

Deno.test("account deletion: deleting an account deletes the user's rows, and the counts of lots equal a recount", async () => {
  const [lot, user] = [await aLot({ total_spaces: 40 }), await signUp()];
  const write = async (method: string, path: string, body: unknown) => {
    const answer = await ask(`/parking-lots/${lot}${path}`, { method, ...jsonBody(body, bearer(user.token)) });
    assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
    return await answer.json();
  };
  const review = await write("POST", "/reviews", { rating: 4, comment: "wide" });
  await write("PUT", "/rating", { value: "good" });
  await write("POST", "/occupancy-reports", { state: "available" });
  const keep = async (method: string, path: string, body: unknown) =>
    assert.ok((await ask(path, { method, ...jsonBody(body, bearer(user.token)) })).ok, path);
  for (let n = 0; n < 2; n++) {
    await keep("POST", "/me/vehicles", { vehicle_type: "standard", plate_number: "12-34" });
    await keep("POST", "/me/search-presets", { name: "Preset", query_json: {} });
  }
  await keep("POST", "/me/saved-parking-lots", { parking_lot_id: lot });
  await keep("PUT", "/me/push-tokens", { fcm_token: crypto.randomUUID(), device_type: "ios" });
  const words = `For support alone ${crypto.randomUUID()}`;
  await keep("POST", "/support/tickets", { category: "other", subject: "Hello", message: words });
  await inDatabase(async (sql) => {
    await sql`select private.notify_user(${user.id}, 'announcement', 'Title', 'Body')`;
    await sql`update public.reviews set status = 'approved' where id = ${review.id}`;
    const [value] = await sql`select id from private.current_field_values(${lot}) where field_name = 'total_spaces'`;
    await write("POST", `/field-values/${value!["id"]}/confirm`, {});

    const { apiUrl, secretKey } = stack();
    const deleted = await fetch(`${apiUrl}/auth/v1/admin/users/${user.id}`, {
      method: "DELETE",
      headers: { apikey: secretKey },
    });
    assert.equal(deleted.status, 200, await deleted.text());
    assert.deepEqual([...await sql`select from public.support_messages where body = ${words}`], []);

    const [kept] = await sql`
      select l.review_count, l.avg_rating::float8, v.confirm_count,
        (select n.good_count from public.parking_lot_rating_counts n where n.parking_lot_id = l.id) as good_count,
        (select r.user_id from public.reviews r where r.id = ${review.id}) as author,
        (select count(*)::int from public.parking_lot_ratings where user_id = ${user.id})
          + (select count(*)::int from public.field_value_votes where user_id = ${user.id})
          + (select count(*)::int from public.user_vehicles where user_id = ${user.id})
          + (select count(*)::int from public.search_presets where user_id = ${user.id})
          + (select count(*)::int from public.saved_parking_lots where user_id = ${user.id})
          + (select count(*)::int from public.user_push_tokens where user_id = ${user.id})
          + (select count(*)::int from public.user_notifications where user_id = ${user.id})
          + (select count(*)::int from public.app_users where id = ${user.id}) as rows
      from public.parking_lots l join public.field_values v on v.id = ${value!["id"]}
      where l.id = ${lot}`;
    assert.deepEqual({ ...kept }, {
      review_count: 1,
      avg_rating: 4,
      good_count: 0,
      confirm_count: 0,
      author: null,
      rows: 0,
    });
  });
});
