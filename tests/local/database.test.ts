import { strict as assert } from "node:assert";
import { join } from "node:path";
import { ServerLog } from "../../local/postgres/log.ts";
import { database } from "../support/database.ts";

Deno.test("test databases: are migrated and separate from each other", async () => {
  const [one, two] = await Promise.all([database(), database()]);
  try {
    await one.sql`create table public.only_here (id integer)`;
    const [row] = await two.sql`
      select to_regclass('public.only_here') is null as apart, to_regproc('private.raise_error') is not null as migrated`;
    assert.deepEqual({ ...row }, { apart: true, migrated: true });
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

Deno.test("test databases: a caller has the user and the rights of its token", async () => {
  const db = await database();
  const sub = crypto.randomUUID();
  try {
    const [seen] = await db.as(
      { role: "authenticated", sub },
      (sql) => sql`select current_user::text as role, auth.uid()::text as sub, auth.role() as claimed`,
    );
    assert.deepEqual({ ...seen }, { role: "authenticated", sub, claimed: "authenticated" });
    await assert.rejects(db.as({ role: "anon" }, (sql) => sql`select from auth.users`), { code: "42501" });
  } finally {
    await db.close();
  }
});

Deno.test("Postgres log: a start adds to it, and at its limit it becomes postgres.log.1", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "postgres.log");
    const write = (text: string) => {
      const log = new ServerLog(path, 100);
      log.write(new TextEncoder().encode(text));
      log.close();
    };
    const [crash, start, next] = ["crash".padEnd(60, "."), "start".padEnd(40, "."), "next"];
    write(crash);
    write(start);
    assert.equal(await Deno.readTextFile(path), crash + start);
    write(next);
    assert.deepEqual(await Promise.all([`${path}.1`, path].map((one) => Deno.readTextFile(one))), [
      crash + start,
      next,
    ]);
    write("large".padEnd(100, "."));
    assert.equal(await Deno.readTextFile(`${path}.1`), next);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Postgres: new data has checksums", async () => {
  const db = await database();
  try {
    assert.deepEqual({ ...(await db.sql`show data_checksums`)[0] }, { data_checksums: "on" });
  } finally {
    await db.close();
  }
});
