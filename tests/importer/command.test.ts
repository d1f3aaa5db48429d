import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { fileOf } from "./files.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const MAIN = fileURLToPath(new URL("../../tools/importer/main.ts", import.meta.url));

async function command(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", MAIN, ...args],
    env: { DB_URL: db.url, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

const GOOD = "id,name,lat,lng\na,A,35.1,139.1\nb,B,35.2,139.2\n";

Deno.test("import command: prints its counts and exits 0, and a second run changes nothing", async () => {
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

Deno.test("import command: a rejected row gives exit code 3, with line, field and reason on stdout and in the report", async () => {
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

Deno.test("import command: a file that cannot be read gives exit code 1 and a sentence with the reason", async () => {
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
    [
      [await fileOf("b.csv", GOOD), "--db-url", "postgresql://postgres@127.0.0.1:1/none"],
      /^The database does not respond/,
    ],
    [[await fileOf("c.csv", GOOD), "--source", "s".repeat(101)], /^The database refused:/],
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

Deno.test("import command: needs --db-url or DB_URL unless --local-default is set", async () => {
  const file = await fileOf("nowhere.csv", GOOD);
  const withoutAddress = { args: ["run", "-A", "--quiet", MAIN, file], env: { DB_URL: "", NO_COLOR: "1" } };
  const refused = await new Deno.Command(Deno.execPath(), withoutAddress).output();
  assert.equal(refused.code, 1);
  assert.match(new TextDecoder().decode(refused.stderr), /^No database\. Set --db-url or DB_URL\.$/m);
  const withLocal = {
    args: [...withoutAddress.args, "--local-default"],
    env: { ...withoutAddress.env, LOCAL_PORT: "1" },
  };
  const local = await new Deno.Command(Deno.execPath(), withLocal).output();
  assert.equal(local.code, 1);
  assert.match(new TextDecoder().decode(local.stderr), /^No database\. Start the local platform/m);
});

Deno.test("import command: a wrong option gives exit code 2 and the help, --help gives 0", async () => {
  for (const args of [[], ["a.csv", "b.csv"], ["a.csv", "--colour"], ["a.csv", "--encoding", "klingon"]]) {
    const { code, stderr } = await command(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, /deno task import <file>/);
  }
  const help = await command("--help");
  assert.equal(help.code, 0);
  assert.match(help.stdout, /Exit code:/);
});

const MANY = 8_000;

/** A file of many lots, each with hours and a tag, and the options of its import. */
async function manyLots(source: string): Promise<string[]> {
  const rows = Array.from(
    { length: MANY },
    (_, n) => `${n},駐車場${n},${35 + n % 100 / 100},${139 + n / MANY},8:00,20:00,${n % 100}`,
  );
  const file = await fileOf("big.csv", `id,name,lat,lng,open_time,close_time,total_spaces\n${rows.join("\n")}\n`);
  return [file, "--source", source];
}

const written = async (source: string) => {
  const [row] = await db.sql<{ lots: number }[]>`
    select count(*)::integer as lots from public.parking_lots where source = ${source}`;
  return row!.lots;
};

/** Everything that an import writes of its lots, but ids and times. */
async function stored(source: string) {
  const [row] = await db.sql`
    select md5(string_agg(concat_ws('|', l.external_id, l.name, l.lat, l.lng, l.total_spaces, l.tag_slugs, w.open_time, w.close_time,
        e.rank_key), e'\n' order by l.external_id)) as lots
    from public.parking_lots l
    join public.parking_lot_windows w on w.parking_lot_id = l.id
    join private.search_entries e on e.parking_lot_id = l.id
    where l.source = ${source}`;
  return row!["lots"] as string;
}

Deno.test("import command: after a kill and a lost connection, a further run gives the result of one complete run", async () => {
  const source = "command-killed";
  const args = await manyLots(source);
  const begun = async (lots: number) => {
    await eventually(async () => await written(source) >= lots || undefined);
  };
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", MAIN, ...args],
    env: { DB_URL: db.url },
    stdout: "null",
    stderr: "null",
  }).spawn();
  await begun(1_000);
  child.kill("SIGKILL");
  await child.status;
  const killed = await written(source);
  assert.ok(killed >= 1_000 && killed < MANY && killed % 1_000 === 0, `${killed} lots`);

  const second = command(...args);
  await begun(killed + 2_000);
  await db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'import'`;
  const { code, stderr } = await second;
  assert.equal(code, 1);
  // Above it a slow run has printed how far it is.
  assert.match(stderr, /^(The connection to the database was lost|The database refused)/m);
  assert.match(stderr, /^\d+ lots of earlier batches were written\. Run the command again to continue\.$/m);
  const lost = await written(source);
  assert.ok(lost >= killed + 2_000 && lost < MANY && lost % 1_000 === 0, `${lost} lots`);

  const third = await command(...args);
  assert.equal(third.code, 0, third.stderr);
  assert.ok(third.stdout.split("\n").includes(`unchanged  ${lost}`), third.stdout);
  assert.match((await command(...await manyLots("command-whole"))).stdout, new RegExp(`^inserted   ${MANY}$`, "m"));
  assert.equal(await stored(source), await stored("command-whole"));
});
