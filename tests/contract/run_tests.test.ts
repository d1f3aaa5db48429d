// tests/run.ts as its users call it: help, wrong options and a signal. None of these starts a platform.
import assert from "node:assert/strict";
import { join } from "node:path";
import { isRunning } from "../../local/process.ts";
import { ROOT } from "../../local/settings.ts";
import { eventually } from "../support/eventually.ts";
import { byFolder, changed, inBatches } from "../support/durations.ts";
import { leftOut, staleFiles } from "../support/outcome.ts";
import { count, failuresIn, hungReport, secondsIn } from "../support/test_output.ts";

function run(args: string[]) {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tests/run.ts", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
}

for (const args of [["--help"], ["--", "--help"], ["-h"]]) {
  Deno.test(`task test: ${args.join(" ")} prints the usage and runs nothing`, async () => {
    const { code, stdout } = await run(args);
    const output = new TextDecoder().decode(stdout);
    assert.deepEqual([code, output.split("\n")[0]], [0, "deno task test [--replica] [files, folders, words of names]"]);
    assert.ok(!output.includes("passed"), output);
  });
}

Deno.test("task test: a file or folder that does not exist is named, and nothing runs", async () => {
  for (const path of ["tests/api/nerby.test.ts", "tests/nothing", "api/nearby.test.ts"]) {
    const { code, stdout, stderr } = await run(["--no-check", "tests/contract/run_tests.test.ts", path]);
    const decoder = new TextDecoder();
    assert.deepEqual([code, decoder.decode(stderr), decoder.decode(stdout)], [2, `There is no ${path}.\n`, ""]);
  }
});

/** Names of volumes, seeds and parts of the long run in the tests, each with its values. */
async function* sizesInTests(
  folder = join(ROOT, "tests"),
): AsyncGenerator<[kind: string, name: string, values: string]> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory && name !== "node_modules") yield* sizesInTests(path);
    if (!name.endsWith(".test.ts")) continue;
    const calls = (await Deno.readTextFile(path)).matchAll(/\b(volume|seed|onlyLong)\("([A-Z_]+)"(?:, ([\d_, ]+))?\)/g);
    for (const [, kind, name, values] of calls) yield [kind!, name!, (values ?? "").replaceAll("_", "")];
  }
}

Deno.test("task test:long: testing.md lists the volumes, the seeds and what only the long run has, as the tests have them", async () => {
  const used = await Array.fromAsync(sizesInTests());
  const section = (await Deno.readTextFile(join(ROOT, "docs/contributing/testing.md"))).match(
    /\n## Two sizes\n([^]*?)\n## /,
  )![1]!;
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) +\| (.*?) +\| /gm)].map(([, ...cells]) => cells.join(" "));
  const expected = new Set(
    used.flatMap(([kind, name, values]) => {
      if (kind === "seed") return [];
      const numbers = values.split(", ").map(Number);
      const [usual, long = 4 * usual!] = numbers;
      return [
        `${name} ${kind === "onlyLong" ? "no yes" : name === "FEE_SETS" ? "100 to 250 8 times" : `${usual} ${long}`}`,
      ];
    }),
  );
  assert.deepEqual(rows, [...expected].sort());
  const seeds = new Set(used.flatMap(([kind, name]) => kind === "seed" ? [name] : []));
  assert.deepEqual(section.match(/\w+_SEED\b/g)!.slice(1), [...seeds].sort());
});

Deno.test("task test: the summary has the number of tests that were left out, and where there is no browser that these are left out", () => {
  const summary = "ok | 12 passed (3 steps) | 0 failed | 4 ignored (2s)";
  assert.deepEqual(count(summary), { passed: 12, failed: 0, ignored: 4 });
  assert.deepEqual(count("FAILED | 12 passed | 1 failed (1 step) (2s)"), { passed: 12, failed: 1, ignored: 0 });
  assert.equal(leftOut(4, true), "4 left out");
  assert.equal(leftOut(4, false), "4 left out, with all browser tests: they need Linux on x86_64");
});

Deno.test("task test: generated files that are out of date are one line, with the commands that write them", () => {
  const failed = (test: string) => ({ file: "a.test.ts", test, message: "Error: other (deno task dev)" });
  const types = "types: each function is in it (deno task types)";
  const contract = "contract: it is what the routes print now (deno task openapi)";
  assert.equal(
    staleFiles([failed(types), failed("a count"), failed(contract), failed(types)]),
    "Generated files are out of date. Run deno task types; deno task openapi.",
  );
  assert.equal(staleFiles([failed("a count")]), undefined);
});

Deno.test("task test --changed: has one revision, which exists", async () => {
  for (
    const args of [["--changed", "HEAD", "tests/api"], ["--changed", "no_such_revision"], [
      "--quick",
      "no_such_revision",
    ]]
  ) {
    const { code, stderr } = await run(args);
    assert.equal(code, 2);
    assert.match(
      new TextDecoder().decode(stderr),
      /^(--changed has one revision, and no files or words\.$|git diff .*no_such_revision)/m,
    );
  }
});

Deno.test("task test: files are cut in batches of 20 seconds and more, of one group each, and the longest starts first", () => {
  const recorded = new Map([["a", 30], ["b", 460], ["c", 12], ["d", 5], ["e", 8], ["f", 4]]);
  const runs = [{ config: "one", files: ["new", "a", "c", "d", "e"] }, { config: "two", files: ["f", "b"] }];
  assert.deepEqual(inBatches(runs, recorded, 2).map(({ config, files }) => [config, ...files]), [
    ["two", "b"],
    ["one", "a"],
    ["one", "c", "e"],
    ["one", "d", "new"],
    ["two", "f"],
  ]);
});

Deno.test("task test: short files are divided among the workers", () => {
  const batches = inBatches([{ config: "one", files: ["a", "b", "c", "d"] }], new Map(), 2);
  assert.deepEqual(batches.map(({ files }) => files), [["a", "b"], ["c", "d"]]);
});

Deno.test("task test: the seconds of a file are those of its tests, and its share of the rest", () => {
  const output = [
    "running 3 tests from ./tests/a.test.ts",
    "first (of two) ... ok (1m2s)",
    "  a step ... ok (7s)",
    "second ... FAILED (500ms)",
    "third ... ignored (0ms)",
    "a line of a test (9s)",
    "\x1b[38;5;245mrunning 1 test from ./tests/b.test.tsx\x1b[0m",
    "other ... \x1b[32mok\x1b[0m \x1b[38;5;245m(200ms)\x1b[0m",
  ].join("\n");
  assert.deepEqual([...secondsIn(output, 63.7)], [["tests/a.test.ts", 63], ["tests/b.test.tsx", 0.7]]);
  const files = new Map([["tests/a/b.test.ts", 2], ["tests/c/d.test.ts", 3], ["tests/a/e/f.test.ts", 4]]);
  assert.deepEqual(byFolder(files), ["    6.0 s  tests/a", "    3.0 s  tests/c"]);
});

Deno.test("task test: the record of durations is written again when a file takes less than half or more than twice", () => {
  const before = new Map([["a", 10], ["close", 5], ["short", 4]]);
  assert.equal(changed(before, new Map([["a", 19], ["close", 3], ["short", 3], ["new", 2]])), before);
  assert.deepEqual(
    [...changed(before, new Map([["a", 21], ["close", 4.4], ["short", 2.4], ["new", 3.2], ["tiny", 0.1]]))],
    [["a", 21], ["close", 4], ["new", 3]],
  );
});

Deno.test("task test: the report about a process that hung names the file and the test that were running", () => {
  const output = [
    "running 1 test from ./tests/a.test.ts",
    "first ... ok (1ms)",
    "running 3 tests from ./tests/b.test.ts",
    "second ...",
    "------- output -------",
    "a line",
    "second ... ok (2ms)",
    "third ...",
    "  a step ... ok (0ms)",
    "  a step of two ...",
  ];
  const report = hungReport(output.join("\n"), "silent\n  7 deno test");
  const failure = { file: "tests/b.test.ts", test: "third ... a step of two", message: "silent" };
  assert.deepEqual(failuresIn(report), [failure]);
  assert.deepEqual(count(output.join("\n") + report), { passed: 0, failed: 1, ignored: 0 });
  const before = { file: "tests/b.test.ts", test: "", message: "silent" };
  assert.deepEqual(failuresIn(hungReport(output.slice(0, 3).join("\n"), "silent")), [before]);
});

Deno.test("task test: an unknown option is rejected with the usage", async () => {
  const { code, stderr } = await run(["--", "--fats"]);
  const output = new TextDecoder().decode(stderr);
  assert.equal(code, 2);
  assert.match(output, /^Unknown option '--fats'/);
  assert.match(output, /^deno task test /m);
});

/** Runs test files of these texts against no platform, with two workers. */
async function runFiles(
  ...texts: ((folder: string) => string)[]
): Promise<{ code: number; output: string }> {
  return await runArguments(["--no-check"], texts);
}

async function runArguments(
  options: readonly string[],
  texts: readonly ((folder: string) => string)[],
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const folder = await Deno.makeTempDir();
  const files = texts.map((_, n) => join(folder, `some_${n + 1}.test.ts`));
  for (const [n, text] of texts.entries()) await Deno.writeTextFile(files[n]!, text(folder));
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tests/run.ts", ...options, ...files],
    cwd: ROOT,
    env: { API_URL: "http://127.0.0.1:9", PROVIDERS_URL: "http://127.0.0.1:9", NO_COLOR: "1", DENO_JOBS: "2", ...env },
    stderr: "null",
  }).output();
  await Deno.remove(folder, { recursive: true });
  return { code, output: new TextDecoder().decode(stdout) };
}

Deno.test("task test: batches run at the same time, and each prints its output whole, when it ends", async () => {
  /** A file that prints, and passes when it meets the other batch between two lines. */
  const meets = (own: string, other: string) => (folder: string) =>
    `Deno.test("meets", async () => {
      console.log("${own} of " + Deno.pid);
      Deno.mkdirSync("${folder}/${own}");
      for (let n = 0; n < 600 && !Deno.readDirSync("${folder}").some(({ name }) => name === "${other}"); n++) {
        await new Promise((done) => setTimeout(done, 50));
      }
      Deno.statSync("${folder}/${other}");
      console.log("${own} met");
    });`;
  const { code, output } = await runFiles(
    meets("first", "third"),
    () => `Deno.test("short", () => console.log("second of " + Deno.pid));`,
    meets("third", "first"),
  );
  assert.equal(code, 0, output);
  const printed = output.split("\n").filter((line) => /^(first|second|third) /.test(line));
  const pids = new Map(printed.flatMap((line) => {
    const [name, of, pid] = line.split(" ");
    return of === "of" ? [[name, pid]] : [];
  }));
  assert.equal(pids.get("first"), pids.get("second"));
  assert.notEqual(pids.get("first"), pids.get("third"));
  const lines = printed.map((line) => line.split(" ").slice(0, 2).join(" "));
  const [batch, other] = [["first of", "first met", "second of"], ["third of", "third met"]];
  assert.ok([[...batch, ...other], [...other, ...batch]].some((order) => order.join() === lines.join()), output);
  assert.match(output, /\n2 batches on 2 workers: \d+ s\n3 passed, 0 failed\n$/);
});

/** A statement that is false in the first run of its file. */
const failsOnce = (folder: string) =>
  `try { Deno.mkdirSync(${JSON.stringify(join(folder, "ran"))}); } catch { isSecond = true; }`;

Deno.test("task test: a file that runs alone begins when all others have ended, and ends before the next one", async () => {
  const writes = (name: string) => (folder: string) =>
    `${name === "other" ? "" : "// Runs alone: it is planted."}
    Deno.test("writes", async () => {
      const line = (text) => Deno.writeTextFileSync("${folder}/lines", "${name} " + text + ", ", { append: true });
      line("begins");
      await new Promise((done) => setTimeout(done, 1_000));
      line("ends");
      if ("${name}" === "last") console.log(Deno.readTextFileSync("${folder}/lines"));
    });`;
  const { code, output } = await runFiles(writes("first"), writes("last"), writes("other"));
  assert.equal(code, 0, output);
  const order = "other begins, other ends, first begins, first ends, last begins, last ends, ";
  assert.ok(output.includes(`\n${order}\n`), output);
});

Deno.test("task test: of all batches only the file that failed is run once more, and all are counted", async () => {
  const passes = () => `Deno.test("always", () => {});`;
  const { code, output } = await runFiles(
    passes,
    (folder) =>
      `let isSecond = false;
      ${failsOnce(folder)}
      Deno.test("now and then", () => { if (!isSecond) throw new Error("too early"); });`,
    passes,
  );
  assert.equal(code, 0, output);
  const runs = [...output.matchAll(/^running 1 test from \S+some_(\d)\.test\.ts$/gm)].map(([, n]) => n);
  assert.deepEqual(runs.toSorted(), ["1", "2", "2", "3"]);
  assert.match(output, /^flaky: \S*some_2\.test\.ts: now and then: Error: too early\n3 passed, 0 failed\n$/m);
});

Deno.test("task test: a file that passes when it is run once more passes, and a line before the count names what failed", async () => {
  const { code, output } = await runFiles((folder) =>
    `let isSecond = false;
    ${failsOnce(folder)}
    Deno.test("now and then", () => { if (!isSecond) throw new Error("too early\\nsecond line"); });
    Deno.test("always", () => {});`
  );
  assert.equal(code, 0, output);
  const [flaky, last] = output.trimEnd().split("\n").slice(-2);
  assert.match(flaky!, /^flaky: \S*some_1\.test\.ts: now and then: Error: too early$/);
  assert.equal(last, "2 passed, 0 failed");
});

Deno.test("task test: a file that breaks before its tests, once, is flaky too", async () => {
  const { code, output } = await runFiles((folder) =>
    `let isSecond = false;
    ${failsOnce(folder)}
    if (!isSecond) throw new Error("no socket");
    Deno.test("always", () => {});`
  );
  assert.equal(code, 0, output);
  assert.match(output, /^flaky: \S*some_1\.test\.ts: .*Error: no socket\n1 passed, 0 failed\n$/m);
});

/** A file whose first run prints its process and that of a child of it, and then nothing. */
const hangsOnce = (folder: string) =>
  `let isSecond = false;
  ${failsOnce(folder)}
  Deno.test("waits", async () => {
    if (isSecond) return;
    const child = new Deno.Command("sleep", { args: ["600"] }).spawn();
    console.log("processes " + Deno.pid + " " + child.pid);
    await child.status;
  });`;

Deno.test("task test: a process that prints nothing for long is ended with its children, and its whole batch is run once more", async () => {
  const passes = () => `Deno.test("passes", () => {});`;
  const texts = [passes, passes, passes, hangsOnce].map((text) => (folder: string) => text(folder));
  const { code, output } = await runArguments(["--no-check"], texts, { DENO_SILENT_SECONDS: "3", DENO_JOBS: "1" });
  assert.equal(code, 0, output);
  const pids = output.match(/^processes (\d+) (\d+)$/m)!.slice(1).map(Number);
  assert.deepEqual(pids.map(isRunning), [false, false]);
  for (const pid of pids) assert.match(output, new RegExp(`^  ${pid} \\S`, "m"));
  assert.equal(output.match(/^passes \.\.\. ok/gm)!.length, 6);
  assert.match(output, /^flaky: \S*some_4\.test\.ts: waits: Nothing was printed for 3 s\. .*\n4 passed, 0 failed\n$/m);
});

Deno.test("task test: a file that fails twice fails the run", async () => {
  const { code, output } = await runFiles(() =>
    `Deno.test("never", () => { throw new Error("wrong"); });
    Deno.test("always", () => {});`
  );
  assert.equal(code, 1, output);
  assert.ok(!output.includes("flaky"), output);
  assert.equal(output.trimEnd().split("\n").at(-1), "1 passed, 1 failed");
});

Deno.test("task test: where types are wrong, no test runs", async () => {
  const { code, output } = await runArguments([], [() => `const n: number = "1"; Deno.test("passes", () => void n);`]);
  assert.equal(code, 1, output);
  assert.match(output, /TS2322/);
  assert.ok(output.endsWith("\nTypes are wrong: nothing was run.\n0 passed, 1 failed\n"), output);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`task test: ${signal} ends the tests of all workers, and then the run with exit code 130`, async () => {
    const folder = await Deno.makeTempDir();
    const files = ["one", "two", "three"].map((name) => join(folder, `${name}.test.ts`));
    for (const file of files) {
      await Deno.writeTextFile(
        file,
        `Deno.test("endless", async () => {
          await Deno.writeTextFile(${JSON.stringify(folder)} + "/" + Deno.pid + ".pid", "");
          await new Promise((done) => setTimeout(done, 600_000));
        });`,
      );
    }
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "tests/run.ts", ...files],
      cwd: ROOT,
      env: { API_URL: "http://127.0.0.1:9", PROVIDERS_URL: "http://127.0.0.1:9", DENO_JOBS: "2" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const pids = async () => {
      const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
      return names.filter((name) => name.endsWith(".pid")).map((name) => parseInt(name));
    };
    try {
      await eventually(async () => (await pids()).length === 2 || undefined);
      assert.ok((await pids()).every(isRunning));
      child.kill(signal);
      assert.equal((await child.status).code, 130);
      assert.deepEqual((await pids()).map(isRunning), [false, false]);
    } finally {
      for (const pid of await pids()) if (isRunning(pid)) Deno.kill(pid, "SIGKILL");
      await Deno.remove(folder, { recursive: true });
    }
  });
}
