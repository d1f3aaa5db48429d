// The list of faults that the tests must find (tests/planted/faults.ts): each can be planted in the code as it is now.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { ROOT } from "../../local/settings.ts";
import { AREAS, FAULTS, isInSchema, migrationOf, planted } from "../planted/faults.ts";

const read = (file: string) => Deno.readTextFile(join(ROOT, file));

Deno.test("planted faults: each is one change of a text that is there once, and names tests that are there", async () => {
  for (const fault of FAULTS) {
    for (const file of fault.tests) assert.ok((await Deno.stat(join(ROOT, file))).isFile, file);
    if ("sql" in fault) continue;
    const text = await read(fault.file);
    assert.notEqual(planted(text, fault), text, fault.change);
    if (isInSchema(fault.file)) {
      assert.match(migrationOf(text, fault), /^-- .*\ncreate or replace function /, fault.change);
    }
  }
});

Deno.test("planted faults: there are sixty or more, in every area, and no two are the same", () => {
  assert.ok(FAULTS.length >= 60);
  assert.deepEqual(AREAS.filter((area) => !FAULTS.some((fault) => fault.area === area)), []);
  assert.equal(new Set(FAULTS.map(({ change }) => change)).size, FAULTS.length);
});

Deno.test("planted faults: the migration of one is the whole function, with its fault and nothing after it", () => {
  const text =
    "create function a() returns text\nas $$\nbegin\n  return 'a';\nend\n$$;\n\ncreate function b() returns text\n" +
    "language sql\nreturn case\n  when true then 'b'\nend;\n\ncomment on function b() is 'b';\n";
  const fault = { area: "SQL condition", change: "", tests: [], file: "supabase/schemas/a/a.sql" } as const;
  assert.equal(
    migrationOf(`-- A file.\n\n${text}`, { ...fault, from: "return 'a';", to: "return 'c';" }),
    "-- A planted fault.\ncreate or replace function a() returns text\nas $$\nbegin\n  return 'c';\nend\n$$;\n",
  );
  assert.equal(
    migrationOf(text, { ...fault, from: "then 'b'", to: "then 'c'" }),
    "-- A planted fault.\ncreate or replace function b() returns text\nlanguage sql\nreturn case\n  when true then 'c'\nend;\n",
  );
  assert.throws(() => migrationOf(text, { ...fault, from: "return", to: "" }), /has this text 4 times/);
  assert.throws(() => migrationOf(text, { ...fault, from: "comment on", to: "" }), /is in no function/);
});
