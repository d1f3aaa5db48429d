// The life of an uploaded file in the database: begun, looked at, attached to one thing, and to be deleted.
import assert from "node:assert/strict";
import postgres, { type TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { chance } from "../support/random.ts";
import { newUser, purge, signedIn } from "../support/rows.ts";
import { seed } from "../support/sizes.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Created {
  readonly asset_id: string;
  readonly storage_key: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly may_be_public: boolean;
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
  db.sql.begin(async (sql) => {
    // As the functions of the other domains, which are definers.
    await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: user, role: "authenticated" })}, true)`;
    await sql`select private.attach_asset(${asset}, ${category}, ${category}, ${entity})`;
  });
const detach = (asset: string) => db.sql`select private.detach_assets(array[${asset}]::uuid[])`;
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

Deno.test("assets: an upload begins as a pending row of the caller, private unless requested as public", async () => {
  const user = await newUser(db.sql);
  const secret = await begin(user);
  assert.deepEqual([secret.may_be_public, secret.size_bytes, secret.content_type], [false, 12, "image/png"]);
  assert.match(secret.storage_key, /^private\/review\/[0-9a-f]{32}\.png$/);
  const visible = await begin(user, { isPublic: true, type: "image/heic" });
  assert.match(visible.storage_key, /^review\/[0-9a-f]{32}\.heic$/);
  assert.deepEqual([visible.may_be_public, (await asset(visible.asset_id))!["is_public"]], [true, false]);
  const named = await begin(user, { type: "Image/JPG" });
  assert.deepEqual([named.content_type, named.storage_key.slice(-4)], ["image/jpeg", ".jpg"]);
  const row = await asset(secret.asset_id);
  assert.deepEqual([row!["status"], row!["created_by"], row!["attached_at"]], ["pending", user, null]);
});

Deno.test("assets: keys reveal nothing about the asset, its uploader or other keys", async () => {
  const user = await newUser(db.sql, "Yamada");
  const [one, other] = [await begin(user), await begin(user)];
  assert.notEqual(one.storage_key, other.storage_key);
  for (const hidden of [user, one.asset_id, "Yamada"]) {
    assert.ok(!one.storage_key.includes(hidden.replaceAll("-", "")));
  }
});

Deno.test("assets: an invalid upload is rejected with its field", async () => {
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
    const error = await errorOf(begin(user, wish));
    assert.deepEqual([error.code, error.param], ["validation_error", param], JSON.stringify(wish));
  }
  for (const category of ["review", "avatar"]) await begin(user, { category, isPublic: true, size: 10 * 1024 * 1024 });
});

Deno.test("assets: lots' pictures are uploaded by administrators of lots, everything else by users in good standing", async () => {
  const [user, suspended] = [await newUser(db.sql), await newUser(db.sql)];
  await db.sql`update public.app_users set status = 'suspended' where id = ${suspended}`;
  const [ofLots, ofReviews] = [await administrator(["lots"]), await administrator(["reviews"])];
  for (const id of [user, ofReviews]) {
    assert.equal((await errorOf(begin(id, { category: "parking_lot" }))).code, "forbidden");
  }
  for (const id of [suspended, ofLots]) assert.equal((await errorOf(begin(id))).code, "forbidden");
  assert.match((await begin(ofLots, { category: "parking_lot", isPublic: true })).storage_key, /^parking_lot\//);
});

Deno.test("assets: only the service reads and marks an upload that must be checked", async () => {
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

Deno.test("assets: a file is attached by its uploader, for its category, to one row", async () => {
  const [user, other] = [await newUser(db.sql), await newUser(db.sql)];
  const [pending, file] = [await begin(user), await placed(user)];
  const [entity, another] = [crypto.randomUUID(), crypto.randomUUID()];
  const error = [
    () => attach(user, pending.asset_id, entity),
    () => attach(other, file.asset_id, entity),
    () => attach(user, file.asset_id, entity, "support"),
    () => attach(user, crypto.randomUUID(), entity),
  ];
  for (const attempt of error) {
    const { code, status, param } = await errorOf(attempt());
    assert.deepEqual([code, status, param], ["not_found", 404, "asset_id"]);
  }
  await attach(user, file.asset_id, entity);
  await attach(user, file.asset_id, entity);
  assert.equal((await errorOf(attach(user, file.asset_id, another))).code, "not_found");
  await detach(file.asset_id);
  assert.equal((await errorOf(attach(user, file.asset_id, entity))).code, "not_found");
});

Deno.test("assets: of concurrent attachments of one file one succeeds", async () => {
  const user = await newUser(db.sql);
  const { asset_id } = await placed(user);
  const attempts = await Promise.allSettled(
    Array.from({ length: 20 }, () => attach(user, asset_id, crypto.randomUUID())),
  );
  assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 1);
});

Deno.test("assets: attached files are returned in order to their uploader, not to administrators; public ones to every client", async () => {
  const [user, stranger, admin] = [await newUser(db.sql), await newUser(db.sql), await administrator([])];
  const entity = crypto.randomUUID();
  const files = [await placed(user), await placed(user, { isPublic: true }), await placed(user)];
  for (const { asset_id } of files) await attach(user, asset_id, entity);
  assert.deepEqual([...await attached(stranger, entity)], []);
  await db.sql`update public.assets set is_public = true where id = ${files[1]!.asset_id}`;
  const keys = files.map(({ storage_key }, index) => ({ storage_key, place: String(index + 1) }));
  assert.deepEqual([...await attached(user, entity)], keys);
  for (const other of [admin, stranger]) {
    assert.deepEqual([...await attached(other, entity)], [{ storage_key: files[1]!.storage_key, place: "1" }]);
  }
  assert.deepEqual([...await attached(user, entity, "support")], []);
  await detach(files[0]!.asset_id);
  assert.equal((await attached(user, entity)).length, 2);
});

Deno.test("assets: only uploads unused for a day are marked for deletion", async () => {
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
    ["withdraws", async (id: string) => {
      await db.sql`select private.empty_account(${id})`;
      await eraseWithdrawn(db.sql);
    }],
    ["is deleted", async (id: string) => void await db.sql`delete from auth.users where id = ${id}`],
  ] as const
) {
  Deno.test(`assets: when a user ${what}, lots' pictures stay without a name and every other file is marked for deletion`, async () => {
    const user = await newUser(db.sql);
    const files = new Map<string, Created>();
    for (const category of ["review", "session_photo", "error_report", "support", "avatar"]) {
      const file = await placed(user, { category });
      await attach(user, file.asset_id, crypto.randomUUID(), category);
      files.set(category, file);
    }
    files.set("unused", await placed(user));
    const lots = await placed(user);
    await db.sql`
      update public.assets set category = 'parking_lot', attached_at = now() where id = ${lots.asset_id}`;
    files.set("parking_lot", lots);
    await leave(user);
    for (const [category, { asset_id }] of files) {
      const row = await asset(asset_id);
      assert.deepEqual([row!["created_by"], row!["deleted_at"] === null], [null, category === "parking_lot"], category);
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

Deno.test("assets: marking a file for deletion queues its object once, and its row is deleted after the object", async () => {
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

Deno.test("assets: a file is deleted once more when the address that takes it has expired, and only then", async () => {
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

Deno.test("assets: a deletion overdue for a day is queued again", async () => {
  const user = await newUser(db.sql);
  const { asset_id, storage_key } = await placed(user);
  await detach(asset_id);
  await db.sql`update public.assets set deleted_at = now() - interval '25 hours' where id = ${asset_id}`;
  await db.sql`select pgmq.purge_queue('object_deletion')`;
  await db.sql`select private.sweep_assets()`;
  assert.ok((await read()).some(({ message }) => message.storage_key === storage_key));
});

Deno.test("assets: no client can read or finish deletions", async () => {
  const user = await newUser(db.sql);
  for (const call of ["api.read_object_deletions(1)", "api.finish_object_deletions('{}', '{}')"]) {
    await assert.rejects(db.as(signedIn(user), (sql) => sql.unsafe(`select ${call}`)), /permission denied/);
  }
});

Deno.test("create_upload: the 21st upload that nothing uses is rejected with 409 conflict and the bounds; attaching makes room", async () => {
  const user = await newUser(db.sql);
  const uploads = [];
  for (let n = 0; n < 20; n++) uploads.push(await placed(user));
  const { code, status, details } = await errorOf(begin(user));
  assert.deepEqual([code, status, details], ["conflict", 409, {
    reason: "too_many_unattached_uploads",
    max_uploads: 20,
    max_bytes: 104_857_600,
    uploads: 20,
    bytes: 240,
  }]);
  await attach(user, uploads[0]!.asset_id, crypto.randomUUID());
  await begin(user);
  assert.equal((await errorOf(begin(user))).code, "conflict");
  await begin(await newUser(db.sql));
  await db.sql`update public.assets set created_at = now() - interval '25 hours' where created_by = ${user}`;
  await db.sql`select private.sweep_assets()`;
  await begin(user);
});

Deno.test("create_upload: uploads that nothing uses have at most 100 MiB of declared bytes, for administrators as well", async () => {
  const [user, admin] = [await newUser(db.sql), await administrator(["lots"])];
  for (const [who, category] of [[user, "review"], [admin, "parking_lot"]] as const) {
    for (let n = 0; n < 9; n++) await begin(who, { category, size: 10_485_760 });
    await begin(who, { category, size: 10_485_759 });
    assert.equal((await errorOf(begin(who, { category, size: 2 }))).code, "conflict");
    await begin(who, { category, size: 1 });
  }
});

Deno.test("create_upload: of forty at once, by forty connections, exactly twenty begin", async () => {
  const [user, admin] = [await newUser(db.sql), await administrator(["lots"])];
  for (const [who, category] of [[user, "avatar"], [admin, "parking_lot"]] as const) {
    const connections = Array.from({ length: 8 }, () => postgres(db.url, { max: 1, onnotice: () => {} }));
    const one = (sql: postgres.Sql) =>
      sql.begin(async (transaction) => {
        const claims = JSON.stringify({ sub: who, role: "authenticated" });
        await transaction`
          select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
        await transaction`select private.open_upload(12, 'image/png', ${category}, null, null, false)`;
      });
    try {
      const begun = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => one(connections[n % 8]!)));
      assert.equal(begun.filter(({ status }) => status === "fulfilled").length, 20, category);
    } finally {
      await Promise.all(connections.map((connection) => connection.end()));
    }
    const [row] = await db.sql`select count(*)::integer as count from public.assets where created_by = ${who}`;
    assert.equal(row!["count"], 20);
  }
});

const MIB = 1024 * 1024;
/** Files of a user that are in use, as a writer other than `create_upload` makes them. */
const addFiles = (user: string, count: number, bytes: number, category = "error_report") =>
  db.sql`
    insert into public.assets (storage_key, category, is_public, size_bytes, created_by)
    select 'private/' || ${category}::text || '/' || gen_random_uuid(), ${category}, false, ${bytes}::integer, ${user}
    from generate_series(1, ${count}::integer)`;
/** The day of every total becomes the day before. */
const endDay = () => db.sql`update private.file_totals set day = day - 1`;
const deleteFiles = (ids: readonly string[]) =>
  db.sql`delete from public.assets where id = any (${ids as string[]}::uuid[])`;
const filesOf = async (user: string) =>
  (await db.sql<{ id: string }[]>`select id from public.assets where created_by = ${user} order by id`)
    .map(({ id }) => id);

Deno.test("create_upload: a day adds at most 200 files and 200 MiB to an account, attached or not, deleted or not", async () => {
  const [many, large, admin] = [await newUser(db.sql), await newUser(db.sql), await administrator(["lots"])];
  await addFiles(many, 199, 1);
  await begin(many);
  const { code, status, param, details } = await errorOf(begin(many));
  const { retry_after, ...bounds } = details as { retry_after: number };
  assert.deepEqual([code, status, param, bounds], ["rate_limited", 429, "file_size", {
    policy: "daily_uploads",
    max_uploads: 200,
    max_bytes: 200 * MIB,
    uploads: 200,
    bytes: 211,
  }]);
  assert.ok(retry_after >= 1 && retry_after <= 86_400, String(retry_after));
  await deleteFiles(await filesOf(many));
  assert.equal((await errorOf(begin(many))).code, "rate_limited", "a deletion does not reduce the day");

  await addFiles(large, 20, 10 * MIB - 1);
  await begin(large, { size: 20 });
  assert.equal((await errorOf(begin(large, { size: 1 }))).code, "rate_limited");
  await addFiles(admin, 300, 10 * MIB, "parking_lot");
  await begin(admin, { category: "parking_lot" });
  await endDay();
  for (const user of [many, large]) await begin(user);
});

Deno.test("create_upload: the files of an account that exist have at most 500 MiB; a deleted file frees its bytes", async () => {
  const user = await newUser(db.sql);
  for (const count of [20, 20, 10]) {
    await addFiles(user, count, 10 * MIB);
    await endDay();
  }
  const full = await errorOf(begin(user, { size: 1 }));
  assert.deepEqual([full.code, full.status, full.param, full.details], ["conflict", 409, "file_size", {
    reason: "too_many_stored_bytes",
    max_bytes: 500 * MIB,
    bytes: 500 * MIB,
  }]);
  const [first] = await filesOf(user);
  await detach(first!);
  assert.equal(
    (await errorOf(begin(user, { size: 1 }))).code,
    "conflict",
    "the object exists until its row is deleted",
  );
  await db
    .sql`select api.finish_object_deletions('{}', array[(select storage_key from public.assets where id = ${first!})])`;
  assert.equal((await errorOf(begin(user, { size: 10 * MIB + 1 }))).param, "file_size");
  await begin(user, { size: 10 * MIB });
  assert.equal((await errorOf(begin(user, { size: 1 }))).code, "conflict");
});

Deno.test("assets: no writer exceeds the bounds of an account's files by any change", async () => {
  const [user, other] = [await newUser(db.sql), await newUser(db.sql)];
  assert.equal(await sqlstate(addFiles(user, 201, 1)), "23514");
  assert.equal(await sqlstate(addFiles(user, 21, 10 * MIB)), "23514");
  for (const count of [20, 20, 10]) {
    await addFiles(user, count, 10 * MIB);
    await endDay();
  }
  const [large] = await filesOf(user);
  assert.equal(await sqlstate(addFiles(user, 1, 1)), "23514");
  await addFiles(other, 1, 1);
  await addFiles(user, 1, 1, "parking_lot");
  for (
    const change of [
      `update public.assets set created_by = '${user}' where created_by = '${other}'`,
      `update public.assets set category = 'review' where created_by = '${user}' and category = 'parking_lot'`,
    ]
  ) {
    assert.equal(await sqlstate(db.sql.unsafe(change)), "23514", change);
  }
  await deleteFiles([large!]);
  await addFiles(user, 1, 10 * MIB);
});

Deno.test("assets: of files that are added at once by eight connections no more exist than the day allows", async () => {
  const user = await newUser(db.sql);
  const connections = Array.from({ length: 8 }, () => postgres(db.url, { max: 1, onnotice: () => {} }));
  try {
    const added = await Promise.allSettled(Array.from({ length: 40 }, (_, n) =>
      connections[n % 8]!`
        insert into public.assets (storage_key, category, is_public, size_bytes, created_by)
        values (${`private/support/${crypto.randomUUID()}`}, 'support', false, ${10 * MIB}, ${user})`));
    assert.equal(added.filter(({ status }) => status === "fulfilled").length, 20);
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
  assert.equal((await filesOf(user)).length, 20);
});

const FILES_SEED = seed("FILES_SEED", 20261128);

Deno.test(`assets: after random lives the totals of every account equal a recount of its rows (FILES_SEED=${FILES_SEED})`, async () => {
  const { below, pick } = chance(FILES_SEED);
  const users: string[] = [];
  const join = async () => void users.push(await newUser(db.sql));
  for (let n = 0; n < 5; n++) await join();
  const oneOf = async () => pick(await filesOf(pick(users))) as string | undefined;
  const steps: Record<string, () => Promise<unknown>> = {
    upload: async () => {
      const user = pick(users);
      const size = pick([1, 1000, 5 * MIB, 10 * MIB]);
      // A full account rejects the upload, and the totals stay.
      await begin(user, { size, category: pick(["review", "avatar", "support"]) }).catch(() => {});
    },
    write: () => addFiles(pick(users), 1 + below(3), below(MIB), pick(["review", "parking_lot"])).catch(() => {}),
    attach: async () =>
      await db.sql`
        update public.assets set attached_at = now(), status = 'placed' where id = ${await oneOf() ?? null}`,
    detach: async () => await detach(await oneOf() ?? crypto.randomUUID()),
    finish: async () => {
      const keys = await db.sql<{ key: string }[]>`
        select storage_key as key from public.assets where deleted_at is not null order by id limit ${below(20)}`;
      await db.sql`select api.finish_object_deletions('{}', ${keys.map(({ key }) => key)})`;
    },
    remove: async () => await deleteFiles([await oneOf() ?? crypto.randomUUID()]),
    resize: async () =>
      await db.sql`update public.assets set size_bytes = ${pick([null, 0, 7, MIB])} where id = ${await oneOf() ?? null}`
        .catch(() => {}),
    recategorize: async () =>
      await db.sql`
        update public.assets set category = ${pick(["parking_lot", "review"])} where id = ${await oneOf() ?? null}`
        .catch(() => {}),
    give: async () =>
      await db.sql`
        update public.assets set created_by = ${pick([null, ...users])} where id = ${await oneOf() ?? null}`
        .catch(() => {}),
    nightfall: endDay,
    purge: () => purge(db.sql),
    leave: async () => {
      const [user] = users.splice(below(users.length), 1);
      if (below(2) === 0) await db.sql`delete from auth.users where id = ${user!}`;
      else {
        await db.sql`select private.empty_account(${user!})`;
        await eraseWithdrawn(db.sql);
      }
      await join();
    },
  };
  const frequent = ["upload", "upload", "write", "write"];
  for (let n = 0; n < 400; n++) {
    const step = pick([...Object.keys(steps), ...frequent]);
    await steps[step]!();
    const wrong = await db.sql`
      select u.id, coalesce(t.bytes, 0) as kept, coalesce(f.bytes, 0) as counted from auth.users u
      left join private.file_totals t on t.user_id = u.id
      left join (
        select a.created_by, sum(a.size_bytes) as bytes from public.assets a
        where a.category <> 'parking_lot' group by a.created_by
      ) f on f.created_by = u.id
      where coalesce(t.bytes, 0) <> coalesce(f.bytes, 0)`;
    assert.deepEqual([...wrong], [], `after step ${n}, ${step}`);
  }
});

interface Publication {
  readonly msg_id: number;
  readonly storage_key: string;
  readonly is_wanted: boolean;
}

const publications = async () =>
  (await asService((sql) => sql<{ files: Publication[] }[]>`select api.read_object_publications(100) as files`))[0]!
    .files;
const finishPublication = async ({ msg_id, storage_key }: Publication, isCopied: boolean) =>
  (await asService((sql) =>
    sql<{ done: boolean }[]>`select api.finish_object_publication(${msg_id}, ${storage_key}, ${isCopied}) as done`
  ))[0]!.done;
const dueAgain = () => db.sql`select pgmq.set_vt('object_publication', msg_id, 0) from pgmq.q_object_publication`;
const isPublic = async (id: string) => (await asset(id))!["is_public"];

Deno.test("assets: a public file is published when it is attached, and public once its copy exists", async () => {
  await db.sql`select pgmq.purge_queue('object_publication')`;
  const user = await newUser(db.sql);
  const [visible, secret] = [
    await placed(user, { category: "avatar", isPublic: true }),
    await placed(user, { category: "avatar" }),
  ];
  for (const { asset_id } of [visible, secret]) await attach(user, asset_id, crypto.randomUUID(), "avatar");
  const [file, ...others] = await publications();
  assert.deepEqual([others.length, file!.storage_key, file!.is_wanted], [0, visible.storage_key, true]);
  assert.equal(await isPublic(visible.asset_id), false);
  assert.equal(await finishPublication(file!, true), true);
  assert.deepEqual([await isPublic(visible.asset_id), await isPublic(secret.asset_id)], [true, false]);
  await dueAgain();
  assert.deepEqual(await publications(), []);
});

Deno.test("assets: a copy made or deleted too late is detected, and the message stays until it is corrected", async () => {
  await db.sql`select pgmq.purge_queue('object_publication')`;
  const user = await newUser(db.sql);
  const { asset_id } = await placed(user, { category: "avatar", isPublic: true });
  const entity = crypto.randomUUID();
  await attach(user, asset_id, entity, "avatar");
  const [wanted] = await publications();
  await db.sql`select private.unpublish_assets('avatar', array[${entity}]::uuid[])`;
  assert.equal(await finishPublication(wanted!, true), false, "it is wanted no more");
  assert.equal(await isPublic(asset_id), false);

  await dueAgain();
  const unwanted = await publications();
  assert.deepEqual(unwanted.map(({ is_wanted }) => is_wanted), [false, false]);
  await db.sql`select private.publish_assets('avatar', array[${entity}]::uuid[])`;
  for (const file of unwanted) assert.equal(await finishPublication(file, false), false, "it is wanted again");
  await dueAgain();
  for (const file of await publications()) {
    assert.equal(file.is_wanted, true);
    assert.equal(await finishPublication(file, true), true);
  }
  assert.equal(await isPublic(asset_id), true);
  await dueAgain();
  assert.deepEqual(await publications(), []);

  await detach(asset_id);
  assert.equal(await finishPublication(wanted!, true), false, "a file that is to be deleted gets no copy");
});

Deno.test("assets: an operation that storage rejected too often is retried the next day", async () => {
  await db.sql`select pgmq.purge_queue('object_publication')`;
  await db.sql`
    insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at)
    values ('object_publication', 1, '{"storage_key": "review/a.png"}', 5, now()), ('object_publication', 2, '[]', 5, now())`;
  const [job] = await db.sql<
    { command: string }[]
  >`select command from cron.job where jobname = 'requeue_publications'`;
  await db.sql.unsafe(job!.command);
  assert.deepEqual((await publications()).map(({ storage_key }) => storage_key), ["review/a.png"]);
  const left = await db.sql`select message from private.dead_messages where queue = 'object_publication'`;
  assert.deepEqual(left.map(({ message }) => message), [[]]);
});

Deno.test("assets: a file that was uploaded as private is never published, by SQL either", async () => {
  const user = await newUser(db.sql);
  const { asset_id } = await placed(user, { category: "avatar" });
  assert.equal(await sqlstate(db.sql`update public.assets set published_at = now() where id = ${asset_id}`), "23514");
});

Deno.test("assets: no client can publish, finish, reject, attach or release a file directly", async () => {
  const user = await newUser(db.sql);
  for (
    const call of [
      "api.read_object_publications(1)",
      "api.object_publication(gen_random_uuid())",
      "api.finish_object_publication(1, 'a', true)",
      "api.reject_published_object('a')",
      "private.publish_assets('review', '{}')",
      "private.unpublish_assets('review', '{}')",
      "private.detach_assets(array[gen_random_uuid()])",
      "private.attach_asset(gen_random_uuid(), 'review', 'review', gen_random_uuid())",
    ]
  ) {
    await assert.rejects(db.as(signedIn(user), (sql) => sql.unsafe(`select ${call}`)), /permission denied/, call);
  }
});
