// The life of an uploaded file in the database: begun, looked at, attached to one thing, and to be deleted.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { refusal } from "../support/refusal.ts";
import { newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Created {
  readonly asset_id: string;
  readonly storage_key: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly is_public: boolean;
  readonly created_at: string;
}

interface Wish {
  readonly size?: number | null;
  readonly type?: string | null;
  readonly category?: string | null;
  readonly entityType?: string | null;
  readonly entityId?: string | null;
  readonly isPublic?: boolean | null;
}

const begin = async (user: string, wish: Wish = {}): Promise<Created> => {
  const { size = 12, type = "image/png", category = "review", entityType = null, entityId = null, isPublic = null } =
    wish;
  return await db.as(signedIn(user), async (sql) => {
    const [row] = await sql<{ created: Created }[]>`
      select commands.create_upload(${size}, ${type}, ${category}, ${entityType}, ${entityId}, ${isPublic}) as created`;
    return row!.created;
  });
};
const asService = <Result>(run: (sql: TransactionSql) => Promise<Result>) => db.as({ role: "service_role" }, run);
const pendingOf = async (asset: string, user: string, category = "review") =>
  (await asService((sql) => sql`select api.pending_asset(${asset}, ${user}, ${category}) as pending`))[0]!["pending"];
const place = (asset: string) => asService((sql) => sql`select api.place_asset(${asset})`);
const attach = (user: string, asset: string, entity: string, category = "review") =>
  db.as(signedIn(user), (sql) => sql`select private.attach_asset(${asset}, ${category}, ${category}, ${entity})`);
const detach = (asset: string) => db.sql`select private.detach_asset(${asset})`;
const attached = (user: string, entity: string, type = "review") =>
  db.as(
    signedIn(user),
    (sql) =>
      sql<{ storage_key: string; place: string }[]>`
      select storage_key, place::text from private.attached_assets(${type}, ${[entity]}::uuid[]) order by place`,
  );
const asset = async (id: string) => (await db.sql`select * from public.assets where id = ${id}`)[0];

/** An upload whose object has been looked at. */
async function placed(user: string, wish: Wish = {}): Promise<Created> {
  const created = await begin(user, wish);
  await place(created.asset_id);
  return created;
}

async function administrator(areas: string[]): Promise<string> {
  const id = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${id}, ${`${id}@example.test`}, ${db.sql.json({ admin: { name: "A", areas } })})`;
  return id;
}

Deno.test("an upload begins as a pending row of the caller, private unless it is asked to be public", async () => {
  const user = await newUser(db.sql);
  const secret = await begin(user);
  assert.deepEqual([secret.is_public, secret.size_bytes, secret.content_type], [false, 12, "image/png"]);
  assert.match(secret.storage_key, /^private\/review\/[0-9a-f]{32}\.png$/);
  const shown = await begin(user, { isPublic: true, type: "image/heic" });
  assert.match(shown.storage_key, /^review\/[0-9a-f]{32}\.heic$/);
  const row = await asset(secret.asset_id);
  assert.deepEqual([row!["status"], row!["created_by"], row!["attached_at"]], ["pending", user, null]);
});

Deno.test("keys tell nothing of the asset, its uploader or another key", async () => {
  const user = await newUser(db.sql, "Yamada");
  const [one, other] = [await begin(user), await begin(user)];
  assert.notEqual(one.storage_key, other.storage_key);
  for (const told of [user, one.asset_id, "Yamada"]) {
    assert.ok(!one.storage_key.includes(told.replaceAll("-", "")));
  }
});

Deno.test("what cannot be uploaded is refused by its field", async () => {
  const user = await newUser(db.sql);
  const id = crypto.randomUUID();
  const wrong: [Wish, string][] = [
    [{ size: 0 }, "file_size"],
    [{ size: 10 * 1024 * 1024 + 1 }, "file_size"],
    [{ size: null }, "file_size"],
    [{ type: "image/gif" }, "mime_type"],
    [{ type: null }, "mime_type"],
    [{ category: "video" }, "category"],
    [{ category: null }, "category"],
    [{ entityType: "review" }, "entity_id"],
    [{ entityId: id }, "entity_type"],
    [{ entityType: "Review", entityId: id }, "entity_type"],
    ...["session_photo", "error_report", "support"].map((category): [Wish, string] => [
      { category, isPublic: true },
      "is_public",
    ]),
  ];
  for (const [wish, param] of wrong) {
    const refused = await refusal(begin(user, wish));
    assert.deepEqual([refused.code, refused.param], ["validation_error", param], JSON.stringify(wish));
  }
  for (const category of ["review", "avatar"]) await begin(user, { category, isPublic: true, size: 10 * 1024 * 1024 });
});

Deno.test("lots' pictures are uploaded by administrators of lots, everything else by people in good standing", async () => {
  const [user, suspended] = [await newUser(db.sql), await newUser(db.sql)];
  await db.sql`update public.app_users set status = 'suspended' where id = ${suspended}`;
  const [ofLots, ofReviews] = [await administrator(["lots"]), await administrator(["reviews"])];
  for (const id of [user, ofReviews]) {
    assert.equal((await refusal(begin(id, { category: "parking_lot" }))).code, "forbidden");
  }
  for (const id of [suspended, ofLots]) assert.equal((await refusal(begin(id))).code, "forbidden");
  assert.match((await begin(ofLots, { category: "parking_lot", isPublic: true })).storage_key, /^parking_lot\//);
});

Deno.test("only the service learns of an upload that is to be looked at, and marks it", async () => {
  const [user, other] = [await newUser(db.sql), await newUser(db.sql)];
  const { asset_id, storage_key } = await begin(user);
  const expected = { storage_key, content_type: "image/png", size_bytes: 12 };
  assert.deepEqual(await pendingOf(asset_id, user), expected);
  assert.equal(await pendingOf(asset_id, other), null);
  assert.equal(await pendingOf(asset_id, user, "support"), null);
  for (const call of [`api.place_asset('${asset_id}')`, `api.pending_asset('${asset_id}', '${user}', 'review')`]) {
    await assert.rejects(db.as(signedIn(user), (sql) => sql.unsafe(`select ${call}`)), /permission denied/);
  }
  await place(asset_id);
  assert.equal((await asset(asset_id))!["status"], "placed");
  assert.equal(await pendingOf(asset_id, user), null);
});

Deno.test("a file is attached by its uploader, for what it is for, to one thing", async () => {
  const [user, other] = [await newUser(db.sql), await newUser(db.sql)];
  const [pending, file] = [await begin(user), await placed(user)];
  const [entity, another] = [crypto.randomUUID(), crypto.randomUUID()];
  const refused = [
    () => attach(user, pending.asset_id, entity),
    () => attach(other, file.asset_id, entity),
    () => attach(user, file.asset_id, entity, "support"),
    () => attach(user, crypto.randomUUID(), entity),
  ];
  for (const attempt of refused) {
    const { code, status, param } = await refusal(attempt());
    assert.deepEqual([code, status, param], ["not_found", 404, "asset_id"]);
  }
  await attach(user, file.asset_id, entity);
  await attach(user, file.asset_id, entity);
  assert.equal((await refusal(attach(user, file.asset_id, another))).code, "not_found");
  await detach(file.asset_id);
  assert.equal((await refusal(attach(user, file.asset_id, entity))).code, "not_found");
});

Deno.test("of many that want one file at once, one gets it", async () => {
  const user = await newUser(db.sql);
  const { asset_id } = await placed(user);
  const attempts = await Promise.allSettled(
    Array.from({ length: 20 }, () => attach(user, asset_id, crypto.randomUUID())),
  );
  assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 1);
});

Deno.test("attached files are given in their order to their uploader and to administrators; public ones to everybody", async () => {
  const [user, stranger, admin] = [await newUser(db.sql), await newUser(db.sql), await administrator([])];
  const entity = crypto.randomUUID();
  const files = [await placed(user), await placed(user, { isPublic: true }), await placed(user)];
  for (const { asset_id } of files) await attach(user, asset_id, entity);
  const keys = files.map(({ storage_key }, index) => ({ storage_key, place: String(index + 1) }));
  assert.deepEqual([...await attached(user, entity)], keys);
  assert.deepEqual([...await attached(admin, entity)], keys);
  assert.deepEqual([...await attached(stranger, entity)], [{ storage_key: files[1]!.storage_key, place: "1" }]);
  assert.deepEqual([...await attached(user, entity, "support")], []);
  await detach(files[0]!.asset_id);
  assert.equal((await attached(user, entity)).length, 2);
});

Deno.test("uploads that nothing has used for a day are to be deleted, and nothing else", async () => {
  const user = await newUser(db.sql);
  const [fresh, pending, unused, used] = [await begin(user), await begin(user), await placed(user), await placed(user)];
  await attach(user, used.asset_id, crypto.randomUUID());
  const [byHand] = await db.sql`insert into public.assets (storage_key) values ('by/hand') returning id`;
  const old = [pending.asset_id, unused.asset_id, used.asset_id, byHand!["id"]];
  await db.sql`update public.assets set created_at = now() - interval '25 hours' where id in ${db.sql(old)}`;
  await db.sql`select private.sweep_assets()`;
  const deleted = await db.sql`
    select id from public.assets where deleted_at is not null and id in ${db.sql([fresh.asset_id, ...old])}`;
  assert.deepEqual(deleted.map(({ id }) => id).sort(), [pending.asset_id, unused.asset_id].sort());
});

for (
  const [what, leave] of [
    ["withdraws", (id: string) => db.sql`update public.app_users set status = 'withdrawn' where id = ${id}`],
    ["is deleted", (id: string) => db.sql`delete from auth.users where id = ${id}`],
  ] as const
) {
  Deno.test(`when a person ${what}, reviews' pictures stay without a name and every other file is to be deleted`, async () => {
    const user = await newUser(db.sql);
    const files = new Map<string, Created>();
    for (const category of ["review", "session_photo", "error_report", "support", "avatar"]) {
      const file = await placed(user, { category });
      await attach(user, file.asset_id, crypto.randomUUID(), category);
      files.set(category, file);
    }
    files.set("unused", await placed(user));
    await leave(user);
    for (const [category, { asset_id }] of files) {
      const row = await asset(asset_id);
      assert.deepEqual([row!["created_by"], row!["deleted_at"] === null], [null, category === "review"], category);
    }
  });
}

const read = async () => {
  const [row] = await asService((sql) =>
    sql<{ messages: { msg_id: number; message: { storage_key: string } }[] }[]>`
      select api.read_object_deletions(1000) as messages`
  );
  return row!.messages;
};
const finish = (messages: Awaited<ReturnType<typeof read>>) =>
  asService((sql) =>
    sql`select api.finish_object_deletions(
      ${messages.map(({ msg_id }) => msg_id)}::bigint[], ${messages.map(({ message }) => message.storage_key)})`
  );

Deno.test("whatever marks a file for deletion queues its object once, and its row goes when the object is gone", async () => {
  await finish(await read());
  const user = await newUser(db.sql);
  const files = [await placed(user), await placed(user), await placed(user)];
  await detach(files[0]!.asset_id);
  await detach(files[0]!.asset_id);
  await db.sql`update public.assets set deleted_at = now() where id = ${files[1]!.asset_id}`;
  const messages = await read();
  const keys = files.slice(0, 2).map(({ storage_key }) => storage_key);
  assert.deepEqual(messages.map(({ message }) => message), keys.map((storage_key) => ({ storage_key })));
  assert.deepEqual(await read(), []);

  await finish(messages.slice(0, 1));
  assert.equal(await asset(files[0]!.asset_id), undefined);
  assert.ok(await asset(files[1]!.asset_id));
  await db.sql`select pgmq.set_vt('object_deletion', ${messages[1]!.msg_id}, 0)`;
  assert.deepEqual((await read()).map(({ msg_id }) => msg_id), [messages[1]!.msg_id]);
  await finish([{ msg_id: messages[1]!.msg_id, message: { storage_key: files[2]!.storage_key } }]);
  assert.ok(await asset(files[2]!.asset_id), "a file that nobody marked is never deleted");
});

Deno.test("a file is deleted once more when the address that takes it has expired, and only then", async () => {
  const user = await newUser(db.sql);
  const [young, old] = [await placed(user), await placed(user)];
  await db.sql`update public.assets set created_at = now() - interval '11 minutes' where id = ${old.asset_id}`;
  for (const { asset_id } of [young, old]) await detach(asset_id);
  const waiting = async ({ storage_key }: Created) =>
    (await db.sql<{ minutes: number }[]>`
      select round(extract(epoch from vt - now()) / 60)::integer as minutes from pgmq.q_object_deletion
      where message = ${db.sql.json({ storage_key })} order by vt`).map(({ minutes }) => minutes);
  assert.deepEqual(await waiting(young), [0, 15]);
  assert.deepEqual(await waiting(old), [0]);
});

Deno.test("what should have been deleted a day ago is queued again", async () => {
  const user = await newUser(db.sql);
  const { asset_id, storage_key } = await placed(user);
  await detach(asset_id);
  await db.sql`update public.assets set deleted_at = now() - interval '25 hours' where id = ${asset_id}`;
  await db.sql`select pgmq.purge_queue('object_deletion')`;
  await db.sql`select private.sweep_assets()`;
  assert.ok((await read()).some(({ message }) => message.storage_key === storage_key));
});

Deno.test("no client reads or ends deletions", async () => {
  const user = await newUser(db.sql);
  for (const call of ["api.read_object_deletions(1)", "api.finish_object_deletions('{}', '{}')"]) {
    await assert.rejects(db.as(signedIn(user), (sql) => sql.unsafe(`select ${call}`)), /permission denied/);
  }
});
