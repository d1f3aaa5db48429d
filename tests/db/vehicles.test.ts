// Vehicles: at most ten, one default, and nothing personal in one that is deleted.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, purge, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Vehicle {
  readonly id: string;
  readonly vehicle_type: string;
  readonly nickname: string | null;
  readonly plate_number: string | null;
  readonly height_m: number | null;
  readonly is_default: boolean;
}

type Fields = Record<string, string | number | boolean | null>;

async function add(user: string, fields: Fields = {}): Promise<Vehicle> {
  const vehicle = { vehicle_type: "standard", ...fields };
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ vehicle: Vehicle }[]>`select commands.add_my_vehicle(${sql.json(vehicle)}) as vehicle`,
  );
  return row!.vehicle;
}

async function change(user: string, id: string, changes: Fields): Promise<Vehicle> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ vehicle: Vehicle }[]>`select commands.update_my_vehicle(${id}, ${sql.json(changes)}) as vehicle`,
  );
  return row!.vehicle;
}

async function remove(user: string, id: string): Promise<void> {
  await db.as(signedIn(user), (sql) => sql`select commands.delete_my_vehicle(${id})`);
}

async function list(user: string): Promise<Vehicle[]> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ page: { items: Vehicle[] } }[]>`select api.list_my_vehicles() as page`,
  );
  return row!.page.items;
}

const defaults = async (user: string) => (await list(user)).filter(({ is_default }) => is_default).map(({ id }) => id);

Deno.test("vehicles: the first vehicle is the default, and a later one only on request", async () => {
  const user = await newUser(db.sql);
  const first = await add(user, { is_default: false });
  assert.deepEqual(await defaults(user), [first.id]);
  const second = await add(user);
  assert.deepEqual(await defaults(user), [first.id]);
  const third = await add(user, { is_default: true });
  assert.deepEqual(await defaults(user), [third.id]);
  await change(user, second.id, { is_default: true });
  assert.deepEqual(await defaults(user), [second.id]);
  assert.deepEqual((await list(user)).map(({ id }) => id), [first.id, second.id, third.id]);
});

Deno.test("vehicles: a deleted default moves to the vehicle that was added first, and to none when none is left", async () => {
  const user = await newUser(db.sql);
  const [first, second, third] = [await add(user), await add(user), await add(user, { is_default: true })];
  await remove(user, third.id);
  assert.deepEqual(await defaults(user), [first.id]);
  await remove(user, second.id);
  assert.deepEqual(await defaults(user), [first.id]);
  await remove(user, first.id);
  assert.deepEqual(await list(user), []);
  assert.deepEqual(await defaults(user), []);
  const next = await add(user);
  assert.deepEqual(await defaults(user), [next.id]);
});

Deno.test("vehicles: rows that the service writes and deletes itself keep one default too", async () => {
  const user = await newUser(db.sql);
  const rows = await db.sql<{ id: string }[]>`
    insert into public.user_vehicles (user_id, vehicle_type) values (${user}, 'kei'), (${user}, 'bus') returning id`;
  assert.equal((await defaults(user)).length, 1);
  await db.sql`delete from public.user_vehicles where id in ${db.sql(await defaults(user))}`;
  const left = await defaults(user);
  assert.equal(left.length, 1);
  assert.ok(rows.some(({ id }) => id === left[0]));
});

Deno.test("vehicles: the default cannot be unset, only moved", async () => {
  const user = await newUser(db.sql);
  const [first, second] = [await add(user), await add(user)];
  const { code, param, details } = await errorOf(change(user, first.id, { is_default: false }));
  assert.deepEqual([code, param, details], ["conflict", "is_default", { reason: "default_required" }]);
  assert.equal((await change(user, second.id, { is_default: false })).is_default, false);
});

Deno.test("vehicles: a user has at most ten vehicles; a deleted one makes room", async () => {
  const user = await newUser(db.sql);
  const all = await Array.fromAsync({ length: 10 }, () => add(user));
  const { code, details } = await errorOf(add(user));
  assert.deepEqual([code, details], ["conflict", { reason: "limit_reached", limit: 10 }]);
  const insert = db.sql`insert into public.user_vehicles (user_id, vehicle_type) values (${user}, 'kei')`;
  assert.equal(await sqlstate(insert), "23514");
  await remove(user, all[4]!.id);
  await add(user);
  assert.equal((await list(user)).length, 10);
  assert.equal(
    await sqlstate(db.sql`update public.user_vehicles set slot = slot % 10 + 1 where id = ${all[0]!.id}`),
    "23505",
  );
});

Deno.test("vehicles: a field that is given is changed, null removes it, and what is absent stays", async () => {
  const user = await newUser(db.sql);
  const { id } = await add(user, { nickname: "　赤い車 ", plate_number: "12-34", height_m: 1.9, color: "  " });
  const changed = await change(user, id, { plate_number: null, vehicle_type: "kei" });
  assert.deepEqual(
    [changed.vehicle_type, changed.nickname, changed.plate_number, changed.height_m],
    ["kei", "赤い車", null, 1.9],
  );
  assert.equal((await change(user, id, { height_m: null })).height_m, null);
  assert.equal((await change(user, id, {})).nickname, "赤い車");
});

Deno.test("vehicles: a plate is kept as it was written, without what cannot be seen", async () => {
  const user = await newUser(db.sql);
  const { id } = await add(user);
  const plates = [
    "品川 300 さ 12-34",
    "品川３００さ・・・1",
    "品川 30A さ ・・12",
    "なにわ 500 わ 12-34",
    "横浜 外 12-34",
    "臨時運行 12-34 足立",
    "ﾅｺﾞﾔ 58 ｶ 1",
    "AB-123-CD",
    "M·AB 1234",
    "ZH 123 456",
    "القاهرة ١٢٣",
  ];
  for (const plate_number of plates) {
    assert.equal((await change(user, id, { plate_number: ` ${plate_number}\u3000` })).plate_number, plate_number);
  }
  assert.equal((await change(user, id, { plate_number: "品川\u200b 300\u202e さ 12-34" })).plate_number, plates[0]);
  assert.equal((await change(user, id, { plate_number: "\u3164" })).plate_number, null);
});

Deno.test("vehicles: a deleted vehicle stays as a row with its type only, and is not found by any user", async () => {
  const user = await newUser(db.sql);
  const personal = { nickname: "赤い車", plate_number: "12-34", color: "red", height_m: 1.5, tire_width_mm: 200 };
  const { id } = await add(user, personal);
  await remove(user, id);
  const [row] = await db.sql`
    select (jsonb_strip_nulls(to_jsonb(v)) - '{id,user_id,slot,created_at,updated_at}'::text[])
      || jsonb_build_object('deleted_at', deleted_at is not null) as row
    from public.user_vehicles v where id = ${id}`;
  assert.deepEqual(row!["row"], { vehicle_type: "standard", is_default: false, deleted_at: true });
  const written = db.sql`update public.user_vehicles set plate_number = '12-34' where id = ${id}`;
  assert.equal(await sqlstate(written), "23514");
  assert.equal((await errorOf(remove(user, id))).code, "not_found");
  assert.equal((await errorOf(change(user, id, {}))).code, "not_found");
});

Deno.test("vehicles: vehicles that are added and deleted in a loop leave ten rows, and those that a session names", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const named: string[] = [];
  for (let n = 0; n < 14; n++) {
    const { id } = await add(user, {});
    if (n < 2) {
      await db.sql`
        insert into public.parking_sessions (user_id, parking_lot_id, vehicle_id, status)
        values (${user}, ${lot}, ${id}, 'cancelled')`;
      named.push(id);
    }
    await remove(user, id);
  }
  const left = () => db.sql<{ id: string }[]>`select id from public.user_vehicles where user_id = ${user}`;
  assert.equal((await left()).length, 12);
  await db.sql`update public.user_vehicles set deleted_at = now() - interval '29 days' where user_id = ${user}`;
  await purge(db.sql);
  assert.equal((await left()).length, 12);
  await db.sql`update public.user_vehicles set deleted_at = now() - interval '31 days' where user_id = ${user}`;
  await purge(db.sql);
  assert.deepEqual((await left()).map(({ id }) => id).sort(), named.sort());
});

Deno.test("vehicles: another user's vehicle is neither listed, changed nor deleted", async () => {
  const [user, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  const { id } = await add(user, { plate_number: "12-34" });
  assert.deepEqual(await list(stranger), []);
  assert.equal((await errorOf(change(stranger, id, { nickname: "mine" }))).code, "not_found");
  assert.equal((await errorOf(remove(stranger, id))).code, "not_found");
});

Deno.test("vehicles: a wrong field is rejected by its name", async () => {
  const user = await newUser(db.sql);
  const wrong: [Fields, string][] = [
    [{ vehicle_type: "hovercraft" }, "vehicle_type"],
    [{ vehicle_type: null }, "vehicle_type"],
    [{ vehicle_type: 7 }, "vehicle_type"],
    [{ nickname: "a".repeat(51) }, "nickname"],
    [{ nickname: 5 }, "nickname"],
    [{ plate_number: "a".repeat(31) }, "plate_number"],
    [{ color: "a".repeat(31) }, "color"],
    [{ height_m: 0 }, "height_m"],
    [{ height_m: 10.01 }, "height_m"],
    [{ clearance_cm: 1.5 }, "clearance_cm"],
    [{ clearance_cm: -1 }, "clearance_cm"],
    [{ tire_width_mm: "200" }, "tire_width_mm"],
    [{ is_default: "true" }, "is_default"],
    [{ slot: 3 }, "slot"],
    [{ user_id: crypto.randomUUID() }, "user_id"],
  ];
  for (const [fields, param] of wrong) {
    const { code, param: found } = await errorOf(add(user, fields));
    assert.deepEqual([code, found], ["validation_error", param], JSON.stringify(fields));
  }
  const missing = db.as(signedIn(user), (sql) => sql`select commands.add_my_vehicle('{}')`);
  assert.equal((await errorOf(missing)).param, "vehicle_type");
  const none = db.as(signedIn(user), (sql) => sql`select commands.add_my_vehicle('[]')`);
  assert.equal((await errorOf(none)).code, "validation_error");
  assert.deepEqual(await list(user), []);
});

Deno.test("vehicles: a user suspended or withdrawn cannot read or write vehicles", async () => {
  for (const status of ["suspended", "withdrawn"]) {
    const user = await newUser(db.sql);
    const { id } = await add(user);
    await db.sql`update public.app_users set status = ${status} where id = ${user}`;
    for (const activity of [() => list(user), () => add(user), () => change(user, id, {}), () => remove(user, id)]) {
      assert.equal((await errorOf(activity())).code, "forbidden", status);
    }
  }
});

Deno.test("vehicles: a vehicle that is added during a withdrawal waits for it, and is rejected", async () => {
  const user = await newUser(db.sql);
  const adding = await db.sql.begin(async (sql) => {
    await sql`select private.empty_account(${user})`;
    const error = errorOf(add(user));
    await eventually(async () => {
      const waiting = await db.sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length > 0 ? true : undefined;
    });
    return { refused: error };
  });
  assert.equal((await adding.refused).code, "forbidden");
  assert.deepEqual([...await db.sql`select id from public.user_vehicles where user_id = ${user}`], []);
});

Deno.test("vehicles: deleting an account deletes its vehicles", async () => {
  const user = await newUser(db.sql);
  await add(user);
  await add(user);
  await db.sql`delete from auth.users where id = ${user}`;
  assert.deepEqual([...await db.sql`select id from public.user_vehicles where user_id = ${user}`], []);
});
