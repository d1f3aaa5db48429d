// Data of an older commit under a newer one: what fits is upgraded, anything else is left as it is. The repositories here
// have the platform's own SQL and a few migrations.
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { startDatabase } from "../../local/postgres/database.ts";
import { identify } from "../../local/postgres/identity.ts";
import { ROOT, STATE } from "../../local/settings.ts";
import { removeIfExists } from "../../local/files.ts";
import { processes } from "../../local/process.ts";
import { git } from "../../tools/release/git.ts";

const MIGRATIONS = "supabase/migrations";
const [FIRST, SECOND, THIRD] = ["20260901000100_first.sql", "20260901000200_second.sql", "20260901000300_third.sql"];
const CONFIG = `project_id = "upgrade"\n[db]\nmajor_version = 17\n`;
const OWN = [
  "auth/tables.sql",
  "auth/functions.sql",
  "postgres/roles.sql",
  "postgres/second_factors.sql",
  "realtime/schema.sql",
  "realtime/access.sql",
];

interface Fixture {
  /** Writes files (null deletes one) and commits them; returns the commit. */
  commit(files: Record<string, string | null>): Promise<string>;
  checkout(commit: string): Promise<void>;
  /** Starts the database of the checked-out commit, runs the statement and stops it; returns the rows. */
  start(statement?: string): Promise<Record<string, unknown>[]>;
  /** The platform's folder. */
  readonly folder: string;
}

async function withRepository(run: (fixture: Fixture) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir();
  const name = `test-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const folder = join((await identify(STATE)).home, name);
  const write = async (path: string, text: string) => {
    await Deno.mkdir(dirname(join(root, path)), { recursive: true });
    await Deno.writeTextFile(join(root, path), text);
  };
  try {
    await git(root, "init", "--quiet");
    await write("supabase/config.toml", CONFIG);
    await write("supabase/seed.sql", "");
    for (const file of OWN) await write(`local/${file}`, await Deno.readTextFile(join(ROOT, "local", file)));
    await write("local/postgres/extensions/none--1.0.sql", "-- nothing\n");
    await run({
      folder,
      commit: async (files) => {
        for (const [path, text] of Object.entries(files)) {
          if (text === null) await Deno.remove(join(root, path));
          else await write(path, text);
        }
        await git(root, "add", "--all");
        const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
        await git(root, ...author, "commit", "--quiet", "--message", "a commit");
        return (await git(root, "rev-parse", "HEAD")).trim();
      },
      checkout: async (commit) => void await git(root, "checkout", "--quiet", commit),
      start: async (statement) => {
        const server = await startDatabase({ name, root, durable: false, onStep: () => {} });
        const sql = postgres(server.url(), { max: 1, onnotice: () => {} });
        try {
          return statement === undefined ? [] : await sql.unsafe(statement);
        } finally {
          await sql.end();
          await server.stop();
        }
      },
    });
  } finally {
    await removeIfExists(folder);
    await Deno.remove(root, { recursive: true });
  }
}

/** The content of every file of a folder. */
async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) Object.assign(found, await contents(path));
    else found[path] = createHash("sha256").update(await Deno.readFile(path)).digest("hex");
  }
  return found;
}

const OLD = {
  [`${MIGRATIONS}/${FIRST}`]: "create table public.things (id integer);\n",
  [`${MIGRATIONS}/${SECOND}`]: "create table public.others (id integer);\n",
};
/** A newer commit whose platform has a function that the older one's scripts cannot name. */
const OTHER_REALTIME =
  `\ncreate function realtime.topic(p_text text) returns text language sql as $$ select p_text $$;\n`;

/** What a newer commit does that older data does not fit, and what the error says. */
const BREAKS: Record<string, { files: (own: typeof OLD) => Record<string, string | null>; error: RegExp }> = {
  "an applied migration was edited and others were added": {
    files: (old) => ({
      [`${MIGRATIONS}/${FIRST}`]: `${old[`${MIGRATIONS}/${FIRST}`]}-- edited\n`,
      [`${MIGRATIONS}/20260901000150_between.sql`]: "create table public.between (id integer);\n",
    }),
    error: new RegExp(`Edited since they were applied: ${FIRST}\\.`),
  },
  "the schema realtime changed and an applied migration is gone": {
    files: () => ({
      "local/realtime/schema.sql": OTHER_REALTIME,
      [`${MIGRATIONS}/${SECOND}`]: null,
      [`${MIGRATIONS}/${THIRD}`]: "create table public.more (id integer);\n",
    }),
    error: new RegExp(`Applied and not in this folder: ${SECOND}\\.`),
  },
  "the tables of the auth server changed": {
    files: () => ({ "local/auth/tables.sql": "create schema auth;\n" }),
    error: /Edited since they were applied: local\/auth\/tables\.sql\./,
  },
};

for (const [name, { files, error }] of Object.entries(BREAKS)) {
  Deno.test(`migrations: if ${name}, the start stops, changes nothing, and the older commit starts`, async () => {
    await withRepository(async ({ commit, checkout, start, folder }) => {
      const old = await commit(OLD);
      await start("insert into public.things values (1)");
      const before = await contents(folder);

      await commit(files(OLD));
      const rejection = await start().then(() => undefined, (error: Error) => error.message);
      assert.match(rejection ?? "started", error);
      assert.ok(rejection!.includes(`it still fits commit ${old.slice(0, 12)}.`), rejection!);
      assert.ok(rejection!.includes("`deno task reset`") && rejection!.includes(`copy ${folder} first`), rejection!);
      assert.deepEqual(await contents(folder), before);

      await checkout(old);
      assert.deepEqual((await start("select id from public.things")).map((row) => ({ ...row })), [{ id: 1 }]);
    });
  });
}

Deno.test("migrations: new files are applied to the data of an older commit, which then names the newer one", async () => {
  await withRepository(async ({ commit, checkout, start }) => {
    const old = await commit(OLD);
    await start("insert into public.things values (1)");
    const newer = await commit({
      [`${MIGRATIONS}/${THIRD}`]: "alter table public.things add note text default 'new';\n",
    });
    const rows = await start("select id, note from public.things");
    assert.deepEqual(rows.map((row) => ({ ...row })), [{ id: 1, note: "new" }]);

    await checkout(old);
    const fits = `it still fits commit ${newer.slice(0, 12)}.`;
    await assert.rejects(start(), (error: Error) => error.message.includes(THIRD) && error.message.includes(fits));
    await checkout(newer);
    assert.equal((await start("select id, note from public.things")).length, 1);
  });
});

Deno.test("migrations: after a new file that fails, the corrected file is applied", async () => {
  await withRepository(async ({ commit, start }) => {
    await commit(OLD);
    await start();
    await commit({
      [`${MIGRATIONS}/${THIRD}`]: "create table public.third (id integer);\n",
      [`${MIGRATIONS}/20260901000400_wrong.sql`]: "create table public.wrong (id intger);\n",
    });
    await assert.rejects(start(), /The migrations failed:[^]*intger/);
    await commit({ [`${MIGRATIONS}/20260901000400_wrong.sql`]: "create table public.wrong (id integer);\n" });
    assert.equal((await start("select from public.third, public.wrong")).length, 0);
  });
});

Deno.test("migrations: applied ones of which a killed start left no record are compared with the folder", async () => {
  await withRepository(async ({ commit, start, folder }) => {
    await commit(OLD);
    await start();
    await Deno.remove(join(folder, "migrations.json"));
    await commit({ [`${MIGRATIONS}/${SECOND}`]: null });
    await assert.rejects(start(), /Applied and not in this folder: 20260901000200\./);
    const left = (await processes()).filter(({ args }) => args.includes(folder));
    assert.deepEqual(left, []);
  });
});
