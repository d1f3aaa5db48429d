// What accounts answer to their callers: my_account, update_my_account and the two predicates other domains stand on.
import assert from "node:assert/strict";
import { callerOf, createPeople } from "../policies/people.ts";
import { type Caller, database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";

const db = await database();
const users = await createPeople(db.sql);
Deno.test.afterAll(() => db.close());

const owner = callerOf("owner", users);
const administrator = callerOf("administrator", users);

interface Me {
  readonly user_id: string;
  readonly email: string | null;
  readonly app_user: { id: string; display_name: string | null; status: string; created_at: string } | null;
  readonly admin: { id: string; name: string | null; status: string } | null;
  readonly permission_scopes: string[];
}

async function myAccount(caller: Caller): Promise<Me> {
  const [row] = await db.as(caller, (sql) => sql<{ me: Me }[]>`select api.my_account() as me`);
  return row!.me;
}

async function rename(caller: Caller, name: string | null): Promise<Me> {
  const [row] = await db.as(caller, (sql) => sql<{ me: Me }[]>`select commands.update_my_account(${name}) as me`);
  return row!.me;
}

async function newUser(): Promise<string> {
  const id = crypto.randomUUID();
  await db.sql`insert into auth.users (id, email) values (${id}, ${`${id}@example.test`})`;
  return id;
}

Deno.test("accounts interface: my_account returns an app user's account", async () => {
  const { app_user, ...me } = await myAccount(owner);
  assert.deepEqual(me, {
    user_id: users.owner,
    email: `owner.${users.owner}@example.test`,
    admin: null,
    permission_scopes: ["user"],
  });
  assert.deepEqual(Object.keys(app_user ?? {}).sort(), [
    "avatar",
    "created_at",
    "display_name",
    "id",
    "lang",
    "status",
  ]);
  assert.equal(app_user?.status, "active");
  assert.match(app_user?.created_at ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/);
});

Deno.test("accounts interface: my_account shows an administrator their areas as scopes", async () => {
  const me = await myAccount(administrator);
  assert.equal(me.app_user, null);
  assert.deepEqual(me.admin, { id: users.administrator, name: "Administrator", status: "active" });
  assert.deepEqual(me.permission_scopes, [
    "admin",
    "admin:lots",
    "admin:reviews",
    "admin:search_presets",
    "admin:users",
  ]);
});

Deno.test("accounts interface: my_account returns the account of suspended and withdrawn users, without scopes", async () => {
  for (const status of ["suspended", "withdrawn"]) {
    const id = await newUser();
    await db.sql`update public.app_users set status = ${status} where id = ${id}`;
    const me = await myAccount({ role: "authenticated", sub: id });
    assert.equal(me.app_user?.status, status);
    assert.deepEqual(me.permission_scopes, []);
  }
  const boss = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, raw_app_meta_data)
    values (${boss}, '{"admin": {"areas": ["lots"], "status": "suspended"}}')`;
  const me = await myAccount({ role: "authenticated", sub: boss });
  assert.equal(me.admin?.status, "suspended");
  assert.deepEqual(me.permission_scopes, []);
});

Deno.test("accounts interface: my_account returns the current e-mail, not that of the token", async () => {
  const id = await newUser();
  await db.sql`update auth.users set email = 'new@example.test' where id = ${id}`;
  const me = await myAccount({ role: "authenticated", sub: id, claims: { email: "old@example.test" } });
  assert.equal(me.email, "new@example.test");
});

Deno.test("accounts interface: an account without an e-mail has the e-mail null", async () => {
  const id = crypto.randomUUID();
  await db.sql`insert into auth.users (id) values (${id})`;
  assert.equal((await myAccount({ role: "authenticated", sub: id })).email, null);
});

Deno.test("accounts interface: a token that outlives its account is rejected as unauthorized", async () => {
  const [deleted, softDeleted] = [await newUser(), await newUser()];
  await db.sql`delete from auth.users where id = ${deleted}`;
  await db.sql`update auth.users set deleted_at = now() where id = ${softDeleted}`;
  for (const sub of [deleted, softDeleted]) {
    const error = await errorOf(myAccount({ role: "authenticated", sub }));
    assert.deepEqual([error.code, error.status], ["unauthorized", 401]);
  }
});

Deno.test("accounts interface: a caller without an id is rejected as unauthorized", async () => {
  for (const attempt of [myAccount, (caller: Caller) => rename(caller, "x")]) {
    const error = await errorOf(attempt({ role: "authenticated" }));
    assert.deepEqual([error.code, error.status], ["unauthorized", 401]);
  }
});

Deno.test("accounts interface: a user changes their display name and nothing else", async () => {
  const sub = await newUser();
  const caller: Caller = { role: "authenticated", sub };
  const before = await db.sql`select * from public.app_users where id <> ${sub} order by id`;
  const me = await rename(caller, "新しい名前");
  assert.equal(me.app_user?.display_name, "新しい名前");
  assert.deepEqual(await myAccount(caller), me);
  assert.deepEqual(await db.sql`select * from public.app_users where id <> ${sub} order by id`, before);
});

Deno.test("accounts interface: a display name that is left out stays as it is", async () => {
  const caller: Caller = { role: "authenticated", sub: await newUser() };
  await rename(caller, "Kept");
  const [row] = await db.as(caller, (sql) => sql<{ me: Me }[]>`select commands.update_my_account() as me`);
  assert.equal(row?.me.app_user?.display_name, "Kept");
});

Deno.test("accounts interface: an update sets updated_at", async () => {
  const sub = await newUser();
  await rename({ role: "authenticated", sub }, "Dated");
  const [row] = await db.sql`select updated_at > created_at as dated from public.app_users where id = ${sub}`;
  assert.equal(row?.dated, true);
});

Deno.test("accounts interface: a display name of 1 and of 100 characters is accepted, of 0 and of 101 rejected", async () => {
  for (const name of ["a", "🅿".repeat(100)]) {
    assert.equal((await rename(owner, name)).app_user?.display_name, name);
  }
  for (const name of ["", "a".repeat(101)]) {
    assert.equal(await sqlstate(rename(owner, name)), "23514");
  }
});

Deno.test("accounts interface: suspended and withdrawn users and pure administrators change no account", async () => {
  const withdrawn = await newUser();
  await db.sql`select private.empty_account(${withdrawn})`;
  for (const sub of [users.suspended, withdrawn, users.administrator]) {
    const { code, status } = await errorOf(rename({ role: "authenticated", sub }, "x"));
    assert.deepEqual({ code, status }, { code: "forbidden", status: 403 });
  }
});

Deno.test("accounts interface: active_user returns an active caller", async () => {
  const [row] = await db.as(owner, (sql) => sql`select private.active_user() as id`);
  assert.equal(row?.id, users.owner);
});

Deno.test("accounts interface: optional_user accepts anonymous and active users, and rejects suspended and withdrawn ones", async () => {
  const caller = async (who: Caller) =>
    (await db.as(who, (sql) => sql`select private.optional_user() as id`))[0]?.id as string | null;
  assert.equal(await caller({ role: "anon" }), null);
  assert.equal(await caller(owner), users.owner);
  assert.equal(await caller(administrator), users.administrator);
  const { code, status, message } = await errorOf(caller(callerOf("suspended", users)));
  assert.deepEqual([code, status, message], ["forbidden", 403, "This account is suspended."]);
});

Deno.test("accounts interface: check_admin accepts an active administrator of the area, and no other caller", async () => {
  const check = (id: string, area: string) =>
    db.as({ role: "service_role" }, (sql) => sql`select private.check_admin(${id}, ${area})`);
  await check(users.administrator, "lots");

  const suspended = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, raw_app_meta_data)
    values (${suspended}, '{"admin": {"areas": ["lots"], "status": "suspended"}}')`;
  const cases: [id: string, area: string][] = [
    [users.administrator, "support"],
    [users.owner, "lots"],
    [suspended, "lots"],
  ];
  for (const [id, area] of cases) {
    const { code, status } = await errorOf(check(id, area));
    assert.deepEqual({ code, status }, { code: "forbidden", status: 403 });
  }
});

Deno.test("accounts interface: invalid admin metadata rejects the new user and names the wrong field", async () => {
  const cases: [unknown, string][] = [
    [true, "app_metadata.admin"],
    ["lots", "app_metadata.admin"],
    [["lots"], "app_metadata.admin"],
    [{ role: "root" }, "app_metadata.admin.role"],
    [{ name: "" }, "app_metadata.admin.name"],
    [{ name: "n".repeat(101) }, "app_metadata.admin.name"],
    [{ name: 7 }, "app_metadata.admin.name"],
    [{ areas: "lots" }, "app_metadata.admin.areas"],
    [{ areas: ["everything"] }, "app_metadata.admin.areas"],
    [{ areas: ["lots", null] }, "app_metadata.admin.areas"],
    [{ areas: [["lots"]] }, "app_metadata.admin.areas"],
    [{ areas: null }, "app_metadata.admin.areas"],
    [{ status: "withdrawn" }, "app_metadata.admin.status"],
    [{ status: null }, "app_metadata.admin.status"],
  ];
  for (const [admin, expected] of cases) {
    const id = crypto.randomUUID();
    const { code, status, param } = await errorOf(
      db.sql`
        insert into auth.users (id, raw_app_meta_data)
        values (${id}, ${JSON.stringify({ admin })}::text::jsonb)`,
    );
    assert.deepEqual(
      { code, status, param },
      { code: "validation_error", status: 422, param: expected },
      JSON.stringify(admin),
    );
    assert.equal((await db.sql`select from auth.users where id = ${id}`).length, 0);
  }
});
