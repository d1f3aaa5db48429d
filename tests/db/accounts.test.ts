import assert from "node:assert/strict";
import { textLengths } from "../support/cases.ts";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Metadata {
  readonly user?: unknown;
  readonly app?: unknown;
}

async function newUser({ user = {}, app = {} }: Metadata = {}): Promise<string> {
  const id = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_user_meta_data, raw_app_meta_data)
    values (${id}, ${`${id}@example.test`}, ${JSON.stringify(user)}::text::jsonb, ${JSON.stringify(app)}::text::jsonb)`;
  return id;
}

async function setAppMetadata(id: string, metadata: unknown): Promise<void> {
  await db.sql`update auth.users set raw_app_meta_data = ${JSON.stringify(metadata)}::text::jsonb where id = ${id}`;
}

const appUser = async (id: string) =>
  (await db.sql`select id, display_name, status from public.app_users where id = ${id}`)[0];
const admin = async (id: string) => (await db.sql`select name, status, areas from public.admins where id = ${id}`)[0];

Deno.test("accounts: a sign-up opens an active account under the name that the user gave", async () => {
  const id = await newUser({ user: { display_name: "青木" } });
  assert.deepEqual({ ...await appUser(id) }, { id, display_name: "青木", status: "active" });
});

Deno.test("accounts: a sign-up succeeds with any metadata of the user", async () => {
  const oddities = [
    {},
    { display_name: "" },
    { display_name: "n".repeat(101) },
    { display_name: 5 },
    { display_name: null },
    { display_name: ["a"] },
    { display_name: { ja: "a" } },
    { admin: { areas: ["lots"] } },
    "display_name",
    ["display_name"],
    17,
    null,
  ];
  for (const user of oddities) {
    const id = await newUser({ user });
    assert.deepEqual(
      { ...await appUser(id) },
      { id, display_name: null, status: "active" },
      JSON.stringify(user),
    );
    assert.equal(await admin(id), undefined, "a person does not make themselves an administrator");
  }
});

Deno.test("accounts: the length of a display name counts code points after NFC, of which it has at most 100", async () => {
  const id = await newUser();
  const hangul = { text: "\u1112\u1161\u11ab".repeat(100), length: 100 };
  for (const { text, length } of [...textLengths(), hangul]) {
    const update = db.sql`
      update public.app_users set display_name = ${text} where id = ${id} returning char_length(display_name) as length`;
    if (length > 100) await assert.rejects(update, /app_users_display_name_length/);
    else assert.deepEqual([...await update], [{ length }]);
  }
});

Deno.test("accounts: a display name is counted in characters: a hundred four-byte ones fit", async () => {
  const name = "🅿".repeat(100);
  assert.equal((await appUser(await newUser({ user: { display_name: name } })))?.display_name, name);
});

Deno.test("accounts: a sign-up survives app metadata that is no object", async () => {
  for (const app of [null, "admin", ["admin"], 1, { admin: null }]) {
    const id = await newUser({ app });
    assert.equal((await appUser(id))?.status, "active", JSON.stringify(app));
    assert.equal(await admin(id), undefined, JSON.stringify(app));
  }
  const id = crypto.randomUUID();
  await db.sql`insert into auth.users (id, raw_app_meta_data, raw_user_meta_data) values (${id}, null, null)`;
  assert.equal((await appUser(id))?.status, "active");
});

Deno.test("accounts: a user created with admin metadata is an administrator and not an app user", async () => {
  const id = await newUser({ app: { admin: { name: "Boss", areas: ["reviews", "lots", "reviews"] } } });
  assert.deepEqual({ ...await admin(id) }, { name: "Boss", status: "active", areas: ["lots", "reviews"] });
  assert.equal(await appUser(id), undefined);
});

Deno.test("accounts: admin metadata written later in the creating transaction creates no app user either", async () => {
  const id = crypto.randomUUID();
  await db.sql.begin(async (sql) => {
    await sql`insert into auth.users (id, raw_app_meta_data) values (${id}, '{"provider": "email"}')`;
    await sql`update auth.users set raw_app_meta_data = '{"provider": "email", "admin": {}}' where id = ${id}`;
  });
  assert.deepEqual({ ...await admin(id) }, { name: null, status: "active", areas: [] });
  assert.equal(await appUser(id), undefined);
});

Deno.test("accounts: an app user who becomes an administrator keeps the app account", async () => {
  const id = await newUser({ user: { display_name: "Aki" } });
  await setAppMetadata(id, { admin: { name: "Aki", areas: ["support"] } });
  assert.equal((await appUser(id))?.display_name, "Aki");
  assert.deepEqual((await admin(id))?.areas, ["support"]);
});

Deno.test("accounts: the record follows the admin object of the metadata", async () => {
  const id = await newUser({ app: { admin: { name: "Boss", areas: ["lots"] } } });
  await setAppMetadata(id, { admin: { name: "Chief", areas: ["support", "lots"], status: "suspended" } });
  assert.deepEqual({ ...await admin(id) }, { name: "Chief", status: "suspended", areas: ["lots", "support"] });
  await setAppMetadata(id, { admin: { name: "Chief", areas: [] } });
  assert.deepEqual({ ...await admin(id) }, { name: "Chief", status: "active", areas: [] });
});

Deno.test("accounts: without the admin object an administrator is suspended and has no areas", async () => {
  for (const metadata of [{}, { admin: null }, null]) {
    const id = await newUser({ app: { admin: { name: "Boss", areas: ["lots"] } } });
    await setAppMetadata(id, metadata);
    assert.deepEqual({ ...await admin(id) }, { name: "Boss", status: "suspended", areas: [] });
  }
});

Deno.test("accounts: a change of the row by SQL is written to the metadata, and other app metadata does not undo it", async () => {
  const id = await newUser({ app: { admin: { name: "Boss", areas: ["lots"] } } });
  await db.as({ role: "service_role" }, (sql) => sql`update public.admins set status = 'suspended' where id = ${id}`);
  await db.sql`
    update auth.users set raw_app_meta_data = raw_app_meta_data || '{"provider": "email"}' where id = ${id}`;
  assert.equal((await admin(id))?.status, "suspended");
  const [user] = await db.sql`select raw_app_meta_data -> 'admin' as admin from auth.users where id = ${id}`;
  assert.deepEqual(user?.["admin"], { name: "Boss", areas: ["lots"], status: "suspended" });
});

Deno.test("accounts: a row with an unknown area, an unknown status or an invalid name is rejected", async () => {
  const id = await newUser({ app: { admin: {} } });
  for (
    const change of [
      "areas = '{lots,everything}'",
      "areas = array['lots', null]",
      "status = 'withdrawn'",
      "name = ''",
    ]
  ) {
    await assert.rejects(
      db.sql.unsafe(`update public.admins set ${change} where id = '${id}'`),
      { code: "23514" },
      change,
    );
  }
});

Deno.test("accounts: deleting the auth user removes the account", async () => {
  const user = await newUser();
  const boss = await newUser({ app: { admin: {} } });
  await db.sql`delete from auth.users where id in ${db.sql([user, boss])}`;
  assert.equal(await appUser(user), undefined);
  assert.equal(await admin(boss), undefined);
});
