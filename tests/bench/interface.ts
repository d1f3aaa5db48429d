// What the interface costs: the same call straight to the Data API and through its function, in turns; the cold start
// of each function; the size of its bundle. Needs a running platform (`deno task dev`), or API_URL and PUBLISHABLE_KEY
// of another one. Prints tables, asserts nothing. LOCAL_FUNCTIONS_DENO names another Deno for the cold starts.
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

interface Stack {
  readonly API_URL: string;
  readonly PUBLISHABLE_KEY: string;
}

interface Pair {
  readonly name: string;
  readonly direct: () => Request;
  readonly through: () => Request;
}

const ROUNDS = 400;
const WARM_UP = 100;
const STARTS = 7;
const WRITERS = 32;
const root = fileURLToPath(new URL("../..", import.meta.url));
const functions = join(root, "supabase/functions");
const names = ["codes", "health", "me", "openapi", "parking-lots"];

async function main(): Promise<void> {
  const stack = await runningStack();
  console.log(`\nInterface over ${stack.API_URL}: ${ROUNDS} calls each, in turns, milliseconds`);
  const rows: Record<string, unknown> = {};
  for (const pair of await pairs(stack)) rows[pair.name] = await compare(pair);
  console.table(rows);

  const deno = Deno.env.get("LOCAL_FUNCTIONS_DENO") ?? Deno.execPath();
  console.log(
    `\nFunctions under ${await version(deno)}: process start to first answer, median of ${STARTS}, milliseconds`,
  );
  const sizes: Record<string, unknown> = {};
  for (const name of names) {
    sizes[name] = { "cold start": await coldStart(deno, name), "bundle KiB": await bundle(name) };
  }
  console.table(sizes);
}

async function runningStack(): Promise<Stack> {
  const [API_URL, PUBLISHABLE_KEY] = [Deno.env.get("API_URL"), Deno.env.get("PUBLISHABLE_KEY")];
  if (API_URL && PUBLISHABLE_KEY) return { API_URL, PUBLISHABLE_KEY };
  const { code, stdout } = await run(Deno.execPath(), ["task", "--quiet", "status"]);
  if (code !== 0) throw new Error("No platform is running: start one with `deno task dev`");
  return JSON.parse(stdout);
}

async function pairs({ API_URL, PUBLISHABLE_KEY }: Stack): Promise<Pair[]> {
  const token = await signUp(API_URL, PUBLISHABLE_KEY);
  const rpc = (name: string, args: unknown, headers: Record<string, string> = {}) => () =>
    new Request(`${API_URL}/rest/v1/rpc/${name}`, {
      method: "POST",
      body: JSON.stringify(args),
      headers: { apikey: PUBLISHABLE_KEY, "content-type": "application/json", "content-profile": "api", ...headers },
    });
  const get = (path: string, headers: Record<string, string> = {}) => () => new Request(API_URL + path, { headers });
  const authorization = `Bearer ${token}`;
  const [lat, lng] = [35.6812, 139.7671];
  const near = { p_lat: lat, p_lng: lng, p_radius_m: 500, p_limit: 50, p_filters: {} };
  const nearest = await fetch(`${API_URL}/v1/parking-lots/nearby?lat=${lat}&lng=${lng}&radius_m=50000&limit=1`);
  const [lot] = await nearest.json();
  if (!lot) throw new Error("There is no lot: seed the database");
  return [
    { name: "codes", direct: rpc("list_codes", { p_lang: "ja" }), through: get("/v1/codes?lang=ja") },
    { name: "me", direct: rpc("my_account", {}, { authorization }), through: get("/v1/me", { authorization }) },
    {
      name: "nearby",
      direct: rpc("nearby_parking_lots", near),
      through: get(`/v1/parking-lots/nearby?lat=${lat}&lng=${lng}`),
    },
    {
      name: "nearby, signed in",
      direct: rpc("nearby_parking_lots", near, { authorization }),
      through: get(`/v1/parking-lots/nearby?lat=${lat}&lng=${lng}`, { authorization }),
    },
    ...await writes({ API_URL, PUBLISHABLE_KEY }, rpc),
    {
      name: "detail",
      direct: rpc("get_parking_lot", { p_parking_lot_id: lot.id }),
      through: get(`/v1/parking-lots/${lot.id}`),
    },
  ];
}

/** A write, whose requests are counted; and a POST without and with an Idempotency-Key, which is not. */
async function writes(
  { API_URL, PUBLISHABLE_KEY }: Stack,
  rpc: (name: string, args: unknown, headers: Record<string, string>) => () => Request,
): Promise<Pair[]> {
  const tokens = await Promise.all(Array.from({ length: WRITERS }, () => signUp(API_URL, PUBLISHABLE_KEY)));
  let written = 0;
  const name = "Bench";
  const command = { p_command: "update_my_account", p_arguments: { p_display_name: name } };
  const send = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
    new Request(API_URL + path, {
      method,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  // Each writer stays within the quota of a minute.
  const next = () => ({ authorization: `Bearer ${tokens[written++ % WRITERS]}` });
  const cheapest = await fetch(`${API_URL}/v1/parking-lots?sort=price&limit=1`);
  const { items: [lot] } = await cheapest.json();
  const stay = { entry_at: "2026-09-02T12:00:00+09:00", exit_at: "2026-09-02T13:00:00+09:00" };
  const fee = (headers: Record<string, string>) =>
    send("POST", `/v1/parking-lots/${lot.id}/calc-fee`, stay, { ...next(), ...headers });
  return [
    {
      name: "rename, a counted write",
      direct: () => rpc("run_command", command, next())(),
      through: () => send("PATCH", "/v1/me", { display_name: name }, next()),
    },
    {
      name: "calc-fee, without a key and with",
      direct: () => fee({}),
      through: () => fee({ "idempotency-key": crypto.randomUUID() }),
    },
  ];
}

async function signUp(apiUrl: string, apikey: string): Promise<string> {
  const response = await fetch(`${apiUrl}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey, "content-type": "application/json" },
    body: JSON.stringify({ email: `bench-${crypto.randomUUID()}@example.com`, password: "bench-password" }),
  });
  if (!response.ok) throw new Error(`Sign-up answered ${response.status}: ${await response.text()}`);
  return (await response.json()).access_token;
}

async function compare(pair: Pair): Promise<Record<string, number>> {
  const [direct, through]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const [one, other] = [await timed(pair.direct()), await timed(pair.through())];
    if (round < 0) continue;
    direct.push(one);
    through.push(other);
  }
  return {
    "direct p50": quantile(direct, 0.5),
    "function p50": quantile(through, 0.5),
    "difference p50": rounded(quantile(through, 0.5) - quantile(direct, 0.5)),
    "direct p95": quantile(direct, 0.95),
    "function p95": quantile(through, 0.95),
  };
}

async function timed(request: Request): Promise<number> {
  const started = performance.now();
  const response = await fetch(request);
  const body = await response.text();
  const took = performance.now() - started;
  if (response.status !== 200) throw new Error(`${request.url} answered ${response.status}: ${body}`);
  return took;
}

/** Starts the function as the platform does, and asks for something it answers without help. */
async function coldStart(deno: string, name: string): Promise<number> {
  const folder = await Deno.makeTempDir();
  try {
    const entry = join(folder, "entry.js");
    const modules = [join(root, "local/functions/boot.ts"), join(functions, name, "index.ts")];
    await Deno.writeTextFile(entry, modules.map((path) => `import "${pathToFileURL(path)}";\n`).join(""));
    const times: number[] = [];
    // The first start fills the cache of compiled code.
    for (let start = -1; start < STARTS; start++) {
      const took = await oneStart(deno, entry, name);
      if (start >= 0) times.push(took);
    }
    return quantile(times, 0.5);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function oneStart(deno: string, entry: string, name: string): Promise<number> {
  const marker = "port:";
  const started = performance.now();
  const child = new Deno.Command(deno, {
    args: [
      ...["run", "--quiet", "--no-lock", "--no-prompt", "--no-check", "--node-modules-dir=none"],
      ...[`--config=${join(functions, "deno.json")}`, "--allow-net", "--allow-env", entry, marker],
    ],
    env: { DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  try {
    const port = await announced(child.stdout, marker);
    const response = await fetch(`http://127.0.0.1:${port}/${name}`, { method: "OPTIONS" });
    await response.body?.cancel();
    return performance.now() - started;
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

async function announced(stream: ReadableStream<Uint8Array>, marker: string): Promise<number> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)) {
    text += chunk;
    const port = new RegExp(`${marker}(\\d+)\n`).exec(text)?.[1];
    if (port) return Number(port);
  }
  throw new Error(`The function ended before it listened: ${text}`);
}

async function bundle(name: string): Promise<number> {
  const config = `--config=${join(functions, "deno.json")}`;
  const args = ["bundle", "--quiet", "--no-lock", "--minify", config, join(functions, name, "index.ts")];
  const { code, stdout, stderr } = await run(Deno.execPath(), args);
  if (code !== 0) throw new Error(`deno bundle: ${stderr}`);
  return Math.round(new TextEncoder().encode(stdout).length / 1024);
}

async function version(deno: string): Promise<string> {
  return (await run(deno, ["--version"])).stdout.split(" (")[0]!;
}

async function run(command: string, args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, cwd: root }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

function quantile(values: number[], at: number): number {
  return rounded(values.toSorted((a, b) => a - b)[Math.floor(values.length * at)] ?? NaN);
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

if (import.meta.main) await main();
