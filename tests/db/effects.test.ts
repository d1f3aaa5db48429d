// What follows from a write is drawn in docs/contributing/effects.md, from the catalogue that the migrations make.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import {
  bodyOf,
  type Catalogue,
  chainOf,
  commandChains,
  effectsPage,
  FILE,
  firstSentence,
  functionNamed,
  maxDepth,
  readCatalogue,
  writesOf,
} from "../../tools/effects.ts";

Deno.test("docs/contributing/effects.md: it is what the catalogue prints now (deno task effects, with task dev running)", async () => {
  assert.equal(
    await Deno.readTextFile(FILE),
    await inCatalogue(effectsPage),
    "Run `deno task effects` and commit the page.",
  );
});

Deno.test("effects: no command has a chain of more than 6 steps, or 8 where a session changes", async () => {
  const chains = commandChains(await inCatalogue(readCatalogue));
  assert.ok(chains.length > 10);
  assert.deepEqual(
    chains.filter(({ name, depth }) => depth > maxDepth(name)).map(({ name, depth }) => [name, depth]),
    [],
  );
  const bounds = Map.groupBy(chains, ({ name }) => maxDepth(name));
  assert.deepEqual([...bounds].map(([bound, { length }]) => [bound, length]), [[8, 3], [6, 9]]);
});

async function inCatalogue<Read>(read: (sql: Sql) => Promise<Read>): Promise<Read> {
  const sql = postgres(Deno.env.get("DB_URL") ?? assert.fail("DB_URL is not set"), { max: 1, onnotice: () => {} });
  try {
    return await read(sql);
  } finally {
    await sql.end();
  }
}

const names = new Set(["private.a", "private.b"]);

Deno.test("effects: a body's calls and writes are found with the columns of updates, and a lock is no write", () => {
  const body = `
    -- update public.commented set x = 1
    perform private.a (1), private.unknown(2);
    select private.b() from public.read where id = 1 for update;
    insert into public.t as t (id, n) values (1, 2)
      on conflict (id) do update set n = excluded.n, m = coalesce(t.m, 0) where t.n <> 1;
    with gone as (delete from private.q where id = 1 returning id)
    update public.u u set (c, d) = (1, 2), e = (select max(f) from public.v where g = 3) from gone where u.id = gone.id;`;
  assert.deepEqual(bodyOf(body, names), {
    calls: ["private.a", "private.b"],
    writes: [
      { operation: "insert", table: "public.t" },
      { operation: "update", table: "public.t", columns: ["n", "m"] },
      { operation: "delete", table: "private.q" },
      { operation: "update", table: "public.u", columns: ["c", "d", "e"] },
    ],
  });
});

const trigger = (table: string, columns: readonly string[], calls: string) =>
  ({ table, name: "_100", isBefore: false, operations: ["update"], columns, calls }) as const;
const update = (table: string, ...columns: string[]) => ({ operation: "update", table, columns }) as const;
const insert = (table: string) => ({ operation: "insert", table }) as const;

const catalogue: Catalogue = {
  functions: new Map([
    ["api.start", { calls: ["private.step", "private.reads"], writes: [] }],
    ["private.step", { calls: [], writes: [update("public.t", "n"), insert("public.w")] }],
    ["private.reads", { calls: [], writes: [] }],
    ["private.tg_n", { calls: ["private.step"], writes: [update("public.u", "m")] }],
    ["private.tg_other", { calls: [], writes: [update("public.v", "m")] }],
  ]),
  sentences: new Map(),
  triggers: [trigger("public.t", ["n"], "private.tg_n"), trigger("public.t", ["other"], "private.tg_other")],
};

Deno.test("effects: a chain has the triggers of the columns that are set, ends in a circle, and leaves out what only reads", () => {
  const { lines, depth, functions, tables } = chainOf("api.start", catalogue);
  assert.deepEqual(lines.map(({ depth, text }) => `${depth} ${text}`), [
    "0 api.start()",
    "1 private.step()",
    "2 update public.t (n)",
    "3 → private.tg_n()",
    "4 private.step() ↑",
    "4 update public.u (m)",
    "2 insert public.w",
  ]);
  assert.deepEqual([depth, functions, tables], [4, 3, 3]);
  assert.deepEqual(
    writesOf("api.start", catalogue),
    [update("public.t", "n"), insert("public.w")],
    "the chain is cut at triggers",
  );
});

Deno.test("effects: the depth of a chain is its longest way, also through a part that was drawn on a shorter one", () => {
  const { lines, depth } = chainOf("api.start", {
    ...catalogue,
    functions: new Map([
      ["api.start", { calls: ["private.short", "private.long"], writes: [] }],
      ["private.short", { calls: [], writes: [update("public.w", "n"), insert("public.w")] }],
      ["private.long", { calls: ["private.longer"], writes: [] }],
      ["private.longer", { calls: ["private.short"], writes: [] }],
    ]),
  });
  assert.deepEqual([lines.at(-1), depth], [{ depth: 3, text: "private.short() ↑" }, 4]);
});

Deno.test("effects: the one write of a function that does nothing else is its caller's, and its triggers follow", () => {
  const chain = (name: string) =>
    chainOf(name, {
      ...catalogue,
      functions: new Map([
        ...catalogue.functions,
        ["private.write", { calls: ["private.reads"], writes: [update("public.t", "n")] }],
        ["private.tg_n", { calls: [], writes: [insert("public.u")] }],
        ["private.call", { calls: ["private.write"], writes: [] }],
        ["private.call_and_write", { calls: ["private.write"], writes: [insert("public.u")] }],
        ["api.write", { calls: ["private.write"], writes: [] }],
        ["api.call", { calls: ["private.call"], writes: [] }],
        ["api.call_and_write", { calls: ["private.call_and_write"], writes: [] }],
      ]),
    });
  const { lines, depth, functions, tables } = chain("api.write");
  assert.deepEqual(lines.map(({ depth, text }) => `${depth} ${text}`), [
    "0 api.write()",
    "1 update public.t (n) by private.write()",
    "2 → private.tg_n()",
    "3 insert public.u",
  ]);
  assert.deepEqual([depth, functions, tables], [3, 3, 2]);
  for (const step of ["api.call", "api.call_and_write"]) {
    const { lines, depth } = chain(step);
    assert.deepEqual(lines.map(({ depth, text }) => `${depth} ${text}`).slice(1, 3), [
      `1 ${step.replace("api", "private")}()`,
      "2 update public.t (n) by private.write()",
    ]);
    assert.equal(depth, 4, "a function that calls another is a step");
  }
});

Deno.test("effects: what many chains end in is drawn by itself only, and a function is found without its schema", () => {
  const shared: Catalogue = {
    ...catalogue,
    functions: new Map([
      ["commands.act", { calls: ["private.notify"], writes: [] }],
      ["private.notify", { calls: ["private.inbox"], writes: [] }],
      ["private.inbox", { calls: [], writes: [update("public.w", "n"), insert("public.w")] }],
    ]),
  };
  const { lines, depth } = chainOf("commands.act", shared);
  assert.deepEqual([lines.at(-1), depth], [{ depth: 1, text: "private.notify() ↗" }, 1]);
  assert.equal(chainOf("private.notify", shared).depth, 2);
  assert.deepEqual(["act", "notify", "unknown"].map((name) => functionNamed(name, shared)), [
    "commands.act",
    "private.notify",
    undefined,
  ]);
});

Deno.test("effects: a sentence ends at its full stop, and a colon before a list ends it too", () => {
  assert.equal(firstSentence("Gives points\nfor a review. Again."), "Gives points for a review.");
  assert.equal(firstSentence("Reads api.x() first. Then writes."), "Reads api.x() first.");
  assert.equal(firstSentence(""), "");
});
