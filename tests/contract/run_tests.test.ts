// tests/run.ts as its users call it: help, wrong options and a signal. None of these starts a platform.
import assert from "node:assert/strict";
import { join } from "node:path";
import { isRunning } from "../../local/process.ts";
import { ROOT } from "../../local/settings.ts";
import { eventually } from "../support/eventually.ts";
import { changed, longestFirst } from "../support/durations.ts";
import { leftOut } from "../support/outcome.ts";
import { count, secondsIn } from "../support/test_output.ts";

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
        `${name} ${kind === "onlyLong" ? "no yes" : name === "FEE_SETS" ? "200 to 500 4 times" : `${usual} ${long}`}`,
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

Deno.test("task test: the longest files start first, and files without a record last", () => {
  const recorded = new Map([["a", 3], ["b", 460]]);
  assert.deepEqual(longestFirst(["new", "a", "b", "other"], recorded), ["b", "a", "new", "other"]);
});

Deno.test("task test: the seconds of a file are those of its tests", () => {
  const output = [
    "./tests/a.test.ts => first (of two) ... ok (1m2s)",
    "\x1b[38;5;245m./tests/b.test.tsx => \x1b[0mother ... \x1b[32mok\x1b[0m \x1b[38;5;245m(288µs)\x1b[0m",
    "./tests/a.test.ts => second ... FAILED (500ms)",
    "./tests/a.test.ts => third ... ignored (0ms)",
    "a line of a test (9s)",
  ].join("\n");
  assert.deepEqual([...secondsIn(output)], [["tests/a.test.ts", 62.5], ["tests/b.test.tsx", 288e-6]]);
});

Deno.test("task test: the record of durations changes only where a file takes less than half or more than twice", () => {
  const before = new Map([["a", 10], ["gone", 5], ["short", 4]]);
  assert.equal(changed(before, new Map([["a", 19], ["gone", 3], ["short", 3], ["new", 2]])), before);
  assert.deepEqual(
    [...changed(before, new Map([["a", 21], ["short", 2.4], ["new", 3.2], ["tiny", 0.1]]))],
    [["a", 21], ["short", 4], ["new", 3]],
  );
});

Deno.test("task test: an unknown option is rejected with the usage", async () => {
  const { code, stderr } = await run(["--", "--fats"]);
  const output = new TextDecoder().decode(stderr);
  assert.equal(code, 2);
  assert.match(output, /^Unknown option '--fats'/);
  assert.match(output, /^deno task test /m);
});

/** Runs a test file of this text against no platform. */
async function runFile(text: (folder: string) => string): Promise<{ code: number; output: string }> {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "some.test.ts");
  await Deno.writeTextFile(file, text(folder));
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tests/run.ts", "--no-check", file],
    cwd: ROOT,
    env: { API_URL: "http://127.0.0.1:9", PROVIDERS_URL: "http://127.0.0.1:9", NO_COLOR: "1" },
    stderr: "null",
  }).output();
  await Deno.remove(folder, { recursive: true });
  return { code, output: new TextDecoder().decode(stdout) };
}

/** A statement that is false in the first run of its file. */
const failsOnce = (folder: string) =>
  `try { Deno.mkdirSync(${JSON.stringify(join(folder, "ran"))}); } catch { isSecond = true; }`;

Deno.test("task test: a file that passes when it is run once more passes, and a line before the count names what failed", async () => {
  const { code, output } = await runFile((folder) =>
    `let isSecond = false;
    ${failsOnce(folder)}
    Deno.test("now and then", () => { if (!isSecond) throw new Error("too early\\nsecond line"); });
    Deno.test("always", () => {});`
  );
  assert.equal(code, 0, output);
  const [flaky, last] = output.trimEnd().split("\n").slice(-2);
  assert.match(flaky!, /^flaky: \S*some\.test\.ts: now and then: Error: too early$/);
  assert.equal(last, "2 passed, 0 failed");
});

Deno.test("task test: a file that breaks before its tests, once, is flaky too", async () => {
  const { code, output } = await runFile((folder) =>
    `let isSecond = false;
    ${failsOnce(folder)}
    if (!isSecond) throw new Error("no socket");
    Deno.test("always", () => {});`
  );
  assert.equal(code, 0, output);
  assert.match(output, /^flaky: \S*some\.test\.ts: .*Error: no socket\n1 passed, 0 failed\n$/m);
});

Deno.test("task test: a file that fails twice fails the run", async () => {
  const { code, output } = await runFile(() =>
    `Deno.test("never", () => { throw new Error("wrong"); });
    Deno.test("always", () => {});`
  );
  assert.equal(code, 1, output);
  assert.ok(!output.includes("flaky"), output);
  assert.equal(output.trimEnd().split("\n").at(-1), "1 passed, 1 failed");
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`task test: ${signal} ends the tests, and then the run with exit code 130`, async () => {
    const folder = await Deno.makeTempDir();
    const file = join(folder, "endless.test.ts");
    await Deno.writeTextFile(
      file,
      `Deno.test("endless", async () => {
        await Deno.writeTextFile(${JSON.stringify(join(folder, "pid"))}, String(Deno.pid));
        await new Promise((done) => setTimeout(done, 600_000));
      });`,
    );
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "tests/run.ts", file],
      cwd: ROOT,
      env: { API_URL: "http://127.0.0.1:9", PROVIDERS_URL: "http://127.0.0.1:9" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    let tests: number | undefined;
    try {
      const pid = tests = await eventually(async () => {
        const text = await Deno.readTextFile(join(folder, "pid")).catch(() => "");
        return Number(text) || undefined;
      });
      assert.ok(isRunning(pid));
      child.kill(signal);
      assert.equal((await child.status).code, 130);
      assert.ok(!isRunning(pid));
    } finally {
      if (tests !== undefined && isRunning(tests)) Deno.kill(tests, "SIGKILL");
      await Deno.remove(folder, { recursive: true });
    }
  });
}
