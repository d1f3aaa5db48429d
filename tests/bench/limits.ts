// Boot, CPU, memory and size of every function beside the limits of the platform. Each function runs under the Deno of hosted
// functions, from nothing but the files that `supabase functions deploy` uploads.
// deno run -A tests/bench/limits.ts   (starts a platform of its own; `deno task bench limits --lots 100000`)
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import postgres from "postgres";
import { configArguments, Worker } from "../../local/functions/worker.ts";
import { startTestPlatform } from "../support/platform.ts";
import { hostedDeno } from "../support/hosted_deno.ts";
import { isInterval, type ScheduledJob, startsByMinute } from "../support/job_starts.ts";
import { ACCESS_TOKEN, documented, ProjectCopy } from "../deploy/cli.ts";
import { ManagementApi, type UploadedFunction } from "../deploy/management_api.ts";
import { type Case, casesOf } from "./limits_cases.ts";
import { loadLots } from "./lots.ts";
import { table } from "./measure.ts";
import { LIMIT_TEXTS, LIMITS, MEGABYTE } from "./platform_limits.ts";

/** A typical request is sent so many times, but not for longer than this. */
const ROUNDS = 10;
const TYPICAL_SECONDS = 5;
/** Of the clock of Linux, by which /proc counts the time of processes. */
const TICK_MS = 10;

interface Deployed {
  readonly name: string;
  readonly entry: string;
  readonly importMap: string;
  readonly uploadedBytes: number;
  readonly packagesBytes: number;
}

interface Row {
  readonly name: string;
  readonly cells: readonly (string | number)[];
}

if (Deno.build.os !== "linux") throw new Error("This bench reads /proc, which only Linux has.");
const folder = await Deno.makeTempDir({ prefix: "bench-limits-" });
const platform = await startTestPlatform();
try {
  const deno = await hostedDeno();
  for (const [name, value] of Object.entries(platform.status)) Deno.env.set(name, value); // for tests/support/stack.ts
  console.log(await loadLots(platform.status.DB_URL, Number(Deno.env.get("BENCH_LOTS") || 100_000)));
  const sql = postgres(platform.status.DB_URL, { max: 2, onnotice: () => {} });
  const functions = await unpack(deno, await uploaded());
  const cases = await casesOf(sql, platform.status);
  const missing = functions.filter(({ name }) => !Object.hasOwn(cases, name)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`limits_cases.ts has no requests for ${missing.join(", ")}`);
  const figures: Row[] = [];
  const worst: Row[] = [];
  for (const one of functions) {
    const found = await measure(deno, one, cases[one.name]!);
    figures.push(found.figures);
    worst.push(...found.worst);
    console.error(one.name);
  }
  const jobs = await sql<ScheduledJob[]>`select jobname, schedule from cron.job where active`;
  await sql.end();
  print(figures, worst, jobs);
} finally {
  await platform.stop();
  await Deno.remove(folder, { recursive: true });
}

/** What the CLI uploads for each function, by the command of docs/operations/deploy.md. */
async function uploaded(): Promise<ReadonlyMap<string, UploadedFunction>> {
  await using project = await ProjectCopy.make();
  await using api = new ManagementApi(ACCESS_TOKEN);
  const { code, output } = await project.run(await documented("functions", "deploy"), { api });
  if (code !== 0) throw new Error(output);
  return api.functions;
}

async function unpack(deno: string, functions: ReadonlyMap<string, UploadedFunction>): Promise<Deployed[]> {
  const found: Deployed[] = [];
  for (const [name, { metadata, files }] of [...functions].sort(([a], [b]) => a < b ? -1 : 1)) {
    let uploadedBytes = 0;
    for (const [path, content] of files) {
      const place = join(folder, name, path);
      await Deno.mkdir(dirname(place), { recursive: true });
      await Deno.writeFile(place, content);
      uploadedBytes += content.length;
    }
    const entry = join(folder, name, metadata.entrypoint_path);
    const importMap = join(folder, name, metadata.import_map_path);
    found.push({ name, entry, importMap, uploadedBytes, packagesBytes: await packagesOf(deno, entry, importMap) });
  }
  return found;
}

interface Graph {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<
    Record<string, { readonly name: string; readonly version: string; readonly dependencies: readonly string[] }>
  >;
}

/** The bytes of the packages that a function imports, with all their files. Its bundle has the imported ones only. */
async function packagesOf(deno: string, entry: string, importMap: string): Promise<number> {
  const graph: Graph = await denoInfo(deno, "--no-lock", ...configArguments(importMap), entry);
  const cache = await denoInfo<{ npmCache: string }>(deno);
  const ids = new Set<string>();
  const add = (id: string) => {
    if (ids.has(id)) return;
    ids.add(id);
    graph.npmPackages[id]!.dependencies.forEach(add);
  };
  for (const { npmPackage } of graph.modules) if (npmPackage !== undefined) add(npmPackage);
  let bytes = 0;
  const [registry] = await Array.fromAsync(Deno.readDir(cache.npmCache));
  for (const id of ids) {
    const { name, version } = graph.npmPackages[id]!;
    bytes += await sizeOf(join(cache.npmCache, registry!.name, name, version));
  }
  return bytes;
}

async function denoInfo<T>(deno: string, ...args: string[]): Promise<T> {
  const { success, stdout, stderr } = await new Deno.Command(deno, { args: ["info", "--json", ...args], cwd: folder })
    .output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr));
  return JSON.parse(decoder.decode(stdout));
}

async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory, isFile } of Deno.readDir(path)) {
    const below = join(path, name);
    if (isDirectory) bytes += await sizeOf(below);
    if (isFile) bytes += (await Deno.stat(below)).size;
  }
  return bytes;
}

/** The second start counts: the first one translates TypeScript, which a bundle does not need. */
async function measure(deno: string, one: Deployed, { typical, worst }: { typical: Case; worst: readonly Case[] }) {
  const module = join(folder, `${one.name}.js`);
  const boot = new URL("../../local/functions/boot.ts", import.meta.url);
  await Deno.writeTextFile(module, `import "${boot}";\nimport "${pathToFileURL(one.entry)}";\n`);
  const log: string[] = [];
  const start = () =>
    Worker.boot({
      name: one.name,
      deno,
      entry: module,
      importMap: one.importMap,
      environment: platform.functionEnvironment,
      log: (line) => log.push(line),
    });
  await (await start()).stop();
  const started = performance.now();
  const worker = await start();
  try {
    const bootMs = performance.now() - started;
    const bootCpu = await cpuMs(worker);
    const bootMemory = await memoryMb(worker, "VmRSS");
    const first = await costs(worker, typical, 1);
    const each = await costs(
      worker,
      typical,
      Math.max(1, Math.min(ROUNDS, Math.floor(TYPICAL_SECONDS / first.seconds))),
    );
    const rows: Row[] = [];
    let mostCpu = Math.max(first.cpuMs, each.cpuMs);
    for (const request of worst) {
      const { cpuMs, seconds, status } = await costs(worker, request, 1);
      mostCpu = Math.max(mostCpu, cpuMs);
      const memory = Math.round(await memoryMb(worker, "VmHWM"));
      rows.push({ name: one.name, cells: [request.words, status, cpuMs.toFixed(0), seconds.toFixed(1), memory] });
    }
    const longest = Math.max(0, ...log.map((line) => line.length));
    return {
      figures: {
        name: one.name,
        cells: [
          (one.uploadedBytes / MEGABYTE).toFixed(2),
          ((one.uploadedBytes + one.packagesBytes) / MEGABYTE).toFixed(1),
          Math.round(bootMs),
          bootCpu,
          first.cpuMs.toFixed(0),
          each.cpuMs.toFixed(1),
          mostCpu.toFixed(0),
          Math.round(bootMemory),
          Math.round(await memoryMb(worker, "VmHWM")),
          longest,
        ],
      },
      worst: rows,
    };
  } finally {
    await worker.stop();
  }
}

/** What a case costs, as the mean of so many rounds. The CPU is that of the process, with its garbage collector. */
async function costs(worker: Worker, { send, together = 1, before: prepare }: Case, rounds: number) {
  await prepare?.();
  const [before, started] = [await cpuMs(worker), performance.now()];
  let [count, status] = [0, 0];
  const one = async (round: number) => {
    for await (const response of send(`http://127.0.0.1:${worker.port}`, round)) {
      for await (const _ of response.body ?? []);
      [count, status] = [count + 1, response.status];
      if (status >= 400) throw new Error(`${response.url}: ${status}`);
    }
  };
  for (let round = 0; round < rounds; round++) await Promise.all(Array.from({ length: together }, () => one(round)));
  const seconds = (performance.now() - started) / 1000 / rounds;
  return { cpuMs: (await cpuMs(worker) - before) / count, seconds, status };
}

async function cpuMs({ child }: Worker): Promise<number> {
  const fields = (await Deno.readTextFile(`/proc/${child.pid}/stat`)).split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function memoryMb({ child }: Worker, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${child.pid}/status`);
  return Number(status.match(new RegExp(`^${field}:\\s+(\\d+) kB`, "m"))![1]) / 1024;
}

function print(figures: readonly Row[], worst: readonly Row[], jobs: readonly ScheduledJob[]): void {
  const together = Math.max(...[...startsByMinute(jobs).values()].map(({ length }) => length));
  const intervals = jobs.filter(isInterval).length;
  console.log(`\nThe limits: ${Object.values(LIMIT_TEXTS).join("; ")}.\n`);
  console.log(
    table([
      "function",
      "uploaded MB",
      "with packages MB",
      "boot ms",
      "boot CPU ms",
      "first request CPU ms",
      "typical CPU ms",
      `most CPU ms (of ${LIMITS.cpuMs})`,
      "MB at boot",
      `most MB (of ${LIMITS.memoryMb})`,
      "longest log line",
    ], figures.map(({ name, cells }) => [name, ...cells])),
  );
  console.log("\nThe worst requests, one at a time unless their words say otherwise\n");
  console.log(
    table(
      ["function", "request", "status", "CPU ms each", "seconds", "most MB until then"],
      worst.map(({ name, cells }) => [name, ...cells]),
    ),
  );
  console.log(
    `\n${jobs.length} jobs, each with a connection while it runs: at most ${together} start in one second, ` +
      `and ${intervals} run every so many seconds (of ${LIMITS.connections} connections)`,
  );
}
