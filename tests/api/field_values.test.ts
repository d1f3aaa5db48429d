import assert from "node:assert/strict";
import { FieldValue } from "../../supabase/functions/parking-lots/field_values.schema.ts";
import { confirmFieldValue, denyFieldValue } from "../../supabase/functions/parking-lots/field_values.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { makeVoters } from "../support/rows.ts";
import { ask, bearer, replyOf } from "./client.ts";
import { aLot, hiddenLots, inDatabase } from "./lots.ts";

const vote = (lot: string, id: string, activity: string, token: string) =>
  ask(`/parking-lots/${lot}/field-values/${id}/${activity}`, { method: "POST", headers: bearer(token) });

async function heightOf(lot: string): Promise<string> {
  const [row] = await inDatabase((sql) =>
    sql<{ id: string }[]>`select private.field_value_ids(${lot}) ->> 'max_height_m' as id`
  );
  return row!.id;
}

Deno.test("field values: three users confirm a value, one changes their mind", async () => {
  const lot = await aLot({ max_height_m: "2.1", source: "city", licence: "CC0" });
  const id = await heightOf(lot);
  const users = [await signUp(), await signUp(), await signUp()];
  await inDatabase((sql) => makeVoters(sql, users.map(({ id }) => id)));
  const states: string[] = [];
  for (const { token } of users) {
    states.push((await replyOf(confirmFieldValue, await vote(lot, id, "confirm", token), FieldValue)).state);
  }
  assert.deepEqual(states, ["unverified", "unverified", "confirmed"]);
  const denied = await replyOf(denyFieldValue, await vote(lot, id, "deny", users[0]!.token), FieldValue);
  const { confirm_count, deny_count, state, value, my_vote, source } = denied;
  assert.deepEqual({ confirm_count, deny_count, state, value, my_vote, source }, {
    confirm_count: 2,
    deny_count: 1,
    state: "unverified",
    value: 2.1,
    my_vote: "deny",
    source: "city",
  });
});

Deno.test("field values: a value that the lot no longer has takes no votes; one that it never had is 404", async () => {
  const [lot, user] = [await aLot({ max_height_m: "2.1" }), await signUp()];
  const id = await heightOf(lot);
  await replyOf(confirmFieldValue, await vote(lot, id, "confirm", user.token), FieldValue);
  await inDatabase((sql) => sql`update public.parking_lots set max_height_m = 2 where id = ${lot}`);
  await assertError(await vote(lot, id, "deny", user.token), { code: "conflict" });
  await assertError(await vote(lot, crypto.randomUUID(), "deny", user.token), {
    code: "not_found",
    param: "fieldValueId",
  });
  await assertError(await vote(lot, "height", "deny", user.token), {
    code: "validation_error",
    param: "fieldValueId",
  });
});

Deno.test("field values: a lot that is not public takes no votes", async () => {
  const user = await signUp();
  for (const lot of Object.values(await hiddenLots())) {
    for (const activity of ["confirm", "deny"]) {
      await assertError(await vote(lot, crypto.randomUUID(), activity, user.token), { code: "lot_not_found" });
    }
  }
});
