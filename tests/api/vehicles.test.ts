import assert from "node:assert/strict";
import { UserVehicle, UserVehicles } from "../../supabase/functions/me/vehicles.schema.ts";
import { addVehicle, listVehicles, updateVehicle } from "../../supabase/functions/me/vehicles.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";

const send = (method: string, path: string, token: string, body: unknown) =>
  ask(`/me/vehicles${path}`, { method, ...jsonBody(body, bearer(token)) });
const remove = (id: string, token: string) => ask(`/me/vehicles/${id}`, { method: "DELETE", headers: bearer(token) });
const list = async (token: string, query = "") =>
  await replyOf(listVehicles, await ask(`/me/vehicles${query}`, { headers: bearer(token) }), UserVehicles);
const add = async (token: string, body: unknown = { vehicle_type: "standard" }) =>
  await replyOf(addVehicle, await send("POST", "", token, body), UserVehicle);

Deno.test("vehicles: a vehicle is registered, listed, changed and deleted", async () => {
  const { id, token } = await signUp();
  const vehicle = await add(token, {
    vehicle_type: "kei",
    nickname: "はやぶさ",
    plate_number: "品川 580 あ 12-34",
    color: null,
    height_m: 1.78,
    clearance_cm: 14,
  });
  assert.deepEqual(
    [vehicle.user_id, vehicle.vehicle_type, vehicle.plate_number, vehicle.height_m, vehicle.is_default],
    [id, "kei", "品川 580 あ 12-34", 1.78, true],
  );
  const changed = await replyOf(
    updateVehicle,
    await send("PATCH", `/${vehicle.id}`, token, { nickname: null, width_m: 1.48 }),
    UserVehicle,
  );
  assert.deepEqual([changed.nickname, changed.width_m, changed.height_m], [null, 1.48, 1.78]);
  assert.deepEqual((await list(token)).items, [changed]);
  const deleted = await remove(vehicle.id, token);
  assert.equal(deleted.status, 204);
  assert.equal(await deleted.text(), "");
  assert.deepEqual(await list(token), { items: [], next_cursor: null });
  await assertError(await remove(vehicle.id, token), { code: "not_found", param: "id" });
});

Deno.test("vehicles: exactly one vehicle is the default, and it cannot be unset", async () => {
  const { token } = await signUp();
  const [first, second] = [await add(token), await add(token)];
  const taken = await send("PATCH", `/${second.id}`, token, { is_default: true });
  assert.equal((await replyOf(updateVehicle, taken, UserVehicle)).is_default, true);
  assert.deepEqual((await list(token)).items.map(({ is_default }) => is_default), [false, true]);
  await assertError(await send("PATCH", `/${second.id}`, token, { is_default: false }), { code: "conflict" });
  const deleted = await remove(second.id, token);
  assert.equal(deleted.status, 204);
  assert.deepEqual((await list(token)).items.map(({ id, is_default }) => [id, is_default]), [[first.id, true]]);
});

Deno.test("vehicles: pages of vehicles follow one another, and the eleventh is rejected with 409 conflict", async () => {
  const { token } = await signUp();
  const all = await Array.fromAsync({ length: 10 }, () => add(token));
  await assertError(await send("POST", "", token, { vehicle_type: "bus" }), { code: "conflict", param: null });
  const first = await list(token, "?limit=7");
  const second = await list(token, `?limit=7&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.items, ...second.items].map(({ id }) => id), all.map(({ id }) => id));
  assert.equal(second.next_cursor, null);
  const stranger = await signUp();
  const response = await ask(`/me/vehicles?limit=7&cursor=${first.next_cursor}`, { headers: bearer(stranger.token) });
  await assertError(response, { code: "validation_error", param: "cursor" });
});

Deno.test("vehicles: another user's vehicle is 404", async () => {
  const [owner, stranger] = [await signUp(), await signUp()];
  const { id } = await add(owner.token);
  assert.deepEqual((await list(stranger.token)).items, []);
  await assertError(await send("PATCH", `/${id}`, stranger.token, { color: "red" }), { code: "not_found" });
  await assertError(await remove(id, stranger.token), { code: "not_found" });
});

Deno.test("vehicles: a wrong vehicle is rejected by its field", async () => {
  const { token } = await signUp();
  const wrong: [unknown, string, string?][] = [
    [{}, "vehicle_type", "required"],
    [{ vehicle_type: "hovercraft" }, "vehicle_type"],
    [{ vehicle_type: null }, "vehicle_type", "invalid_type"],
    [{ vehicle_type: "kei", nickname: "a".repeat(51) }, "nickname", "too_big"],
    [{ vehicle_type: "kei", plate_number: 7 }, "plate_number", "invalid_type"],
    [{ vehicle_type: "kei", height_m: 0 }, "height_m", "too_small"],
    [{ vehicle_type: "kei", length_m: 20.1 }, "length_m", "too_big"],
    [{ vehicle_type: "kei", tire_width_mm: 1.5 }, "tire_width_mm", "invalid_type"],
    [{ vehicle_type: "kei", is_default: null }, "is_default", "invalid_type"],
    [{ vehicle_type: "kei", deleted_at: null }, "deleted_at", "unknown_key"],
  ];
  for (const [body, param, field] of wrong) {
    const expected = { code: "validation_error", param, ...(field === undefined ? {} : { field }) } as const;
    await assertError(await send("POST", "", token, body), expected);
  }
});
