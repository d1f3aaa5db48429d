import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { database } from "../support/database.ts";
import { fileOf } from "./files.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

async function command(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", fileURLToPath(new URL("../../importer/main.ts", import.meta.url)), ...args],
    env: { DB_URL: db.url, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

const GOOD = "id,name,lat,lng\na,A,35.1,139.1\nb,B,35.2,139.2\n";

Deno.test("the command prints what it did and exits 0; the second time it changed nothing", async () => {
  const file = await fileOf("good.csv", GOOD);
  const options = [file, "--source", "command-good", "--licence", "CC0-1.0"];
  const first = await command(...options);
  assert.equal(first.code, 0, first.stderr);
  for (
    const line of [
      "format     csv, utf-8",
      "source     command-good",
      "licence    CC0-1.0",
      "read       2",
      "inserted   2",
    ]
  ) {
    assert.ok(first.stdout.split("\n").includes(line), first.stdout);
  }
  assert.match((await command(...options)).stdout, /^unchanged {2}2$/m);
});

Deno.test("a rejected row makes the command exit 3, with line, field and reason on stdout and in the report", async () => {
  const file = await fileOf("mixed.csv", `${GOOD}c,C,95,139\n`);
  const reportFile = await fileOf("report.ndjson", "");
  const { code, stdout } = await command(file, "--source", "command-mixed", "--report", reportFile);
  assert.equal(code, 3);
  assert.match(stdout, /^ {2}line 4 \(c\): lat: 95 is outside -90\.\.90$/m);
  const [head, ...entries] = (await Deno.readTextFile(reportFile)).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual([head.outcome, head.read, head.inserted, head.rejected], ["summary", 3, 2, 1]);
  assert.deepEqual(entries, [{
    outcome: "rejected",
    position: 4,
    unit: "line",
    external_id: "c",
    problems: [{ field: "lat", reason: "95 is outside -90..90" }],
  }]);
});

Deno.test("a file that cannot be read makes the command exit 1 and say why in a sentence", async () => {
  const cases: [string[], RegExp][] = [
    [[await fileOf("cut.geojson", '{"type":"FeatureCollection","features":[{"type"')], /^The file ends in line 1/],
    [
      [await fileOf("page.csv", "\n<!DOCTYPE html>\n<html><body>Sign in</body></html>")],
      /^This is a web page \(HTML\)/,
    ],
    [[await fileOf("page.geojson", "<!-- cached -->\n<html lang=ja><head>")], /^This is a web page \(HTML\)/],
    [[await fileOf("page.ndjson", "<HTML>")], /^This is a web page \(HTML\)/],
    [[await fileOf("lots.kml", '<?xml version="1.0"?><kml/>')], /^This is XML/],
    [["nowhere.csv"], /^There is no file nowhere\.csv\./],
    [
      [await fileOf("b.csv", GOOD), "--source", "unreported", "--report", "nowhere/r.ndjson"],
      /^The report cannot be written to/,
    ],
    [[await fileOf("c.csv", GOOD), "--db-url", "nowhere"], /^This is no database address/],
    [[await fileOf("a.csv", GOOD), "--mapping", "nowhere.json"], /^nowhere\.json is neither a file nor a built-in/],
    [[await fileOf("b.csv", GOOD), "--db-url", "postgresql://postgres@127.0.0.1:1/none"], /^No database answers/],
    [[await fileOf("c.csv", GOOD), "--source", "s".repeat(101)], /^The database refused, and nothing was written:/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await command(...args);
    assert.match(stderr, message);
    assert.equal(code, 1, stderr);
    assert.equal(stdout, "");
    assert.doesNotMatch(stderr, /\bat .*\.ts:/);
  }
  assert.equal((await db.sql`select from public.parking_lots where source = 'unreported'`).length, 0);
});

Deno.test("a wrong option makes the command exit 2 and print its help; asking for help exits 0", async () => {
  for (const args of [[], ["a.csv", "b.csv"], ["a.csv", "--colour"], ["a.csv", "--encoding", "latin-1"]]) {
    const { code, stderr } = await command(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, /deno task import <file>/);
  }
  const help = await command("--help");
  assert.equal(help.code, 0);
  assert.match(help.stdout, /Exit code:/);
});

/** Ends the connection that runs a COPY, as soon as there is one. */
async function endCopy(): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline) {
    const ended = await db.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'active' and query like 'copy import_stage%'`;
    if (ended.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail("No COPY ran");
}

Deno.test("a connection that is lost in the middle ends the command with a sentence and leaves nothing behind", async () => {
  const rows = Array.from({ length: 300_000 }, (_, n) => `${n},駐車場${n},35.1,${139 + n / 1_000_000}`);
  const file = await fileOf("big.csv", `id,name,lat,lng\n${rows.join("\n")}\n`);
  const [{ code, stderr }] = await Promise.all([command(file, "--source", "command-lost"), endCopy()]);
  assert.equal(code, 1);
  assert.match(stderr, /^(The connection to the database was lost|The database refused)/);
  const [left] = await db.sql`
    select count(*)::integer as lots from public.parking_lots where source = 'command-lost'`;
  assert.equal(left?.["lots"], 0);
});
