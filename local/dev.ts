// `deno task dev`: the whole backend on this machine, until Ctrl-C.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SAMPLE_PASSWORD, type SamplePerson } from "../tools/seed/people/sample_people.ts";
import { sampleRequests } from "./gateway/home.ts";
import { changedFiles } from "./postgres/database.ts";
import { type DatabaseMessage, type DatabaseUrls, LocalDatabases } from "./postgres/databases.ts";
import type { Ready, ServedMessage, ServedOptions } from "./serve.ts";
import {
  addressHeader,
  authRate,
  authRules,
  functionsDeno,
  gatewayPort,
  hasReplica,
  jwtAlgorithm,
  listenAddress,
  publicHost,
  PUBLISHABLE_KEY,
  realtimePrivateOnly,
  ROOT,
  SECRET_KEY,
} from "./settings.ts";
import { onParentExit } from "./parents.ts";
import { isRunning, waitForExit } from "./process.ts";
import { described, findRunning } from "./state.ts";
import { OPTIONS, Supervisor } from "./supervisor.ts";

/** The time for running requests and jobs to finish when the platform stops. */
const STOP_TIMEOUT_MS = 15_000;
/** The time for the gateway of a platform that was killed to end by itself. */
const ORPHAN_TIMEOUT_MS = 3_000;

const started = performance.now();
const port = gatewayPort();
const host = publicHost();
const onStep = (line: string) =>
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${line}`);

console.log("The parking lot service on this machine. For development and tests, not for production.");
const settings: ServedOptions = {
  port,
  durable: true,
  authRate: authRate(),
  authRules: authRules(),
  host,
  addressHeader: addressHeader(),
  jwtAlgorithm: jwtAlgorithm(),
  realtimePrivateOnly: realtimePrivateOnly(),
  replica: hasReplica() ? {} : undefined,
  functionsDeno: functionsDeno(),
  withPeople: true,
};
await requireFreePort();

// Postgres belongs to this process, so it runs on when the gateway's process is killed and started again.
const databases = new LocalDatabases({
  ...settings,
  name: String(port),
  withPlaces: true,
  onStep,
  onProblem: sendProblems,
});
const ready = Promise.withResolvers<Ready>();
const gateway = new Supervisor({
  name: "gateway",
  entry: fileURLToPath(new URL("serve.ts", import.meta.url)),
  args: [String(port)],
  env: { [OPTIONS]: JSON.stringify(settings) },
  stopTimeoutMs: STOP_TIMEOUT_MS,
  log: (line) => console.log(line),
  onStart: () => sendDatabases(databases.start()),
  onMessage: (message) => receive(message as ServedMessage),
  onGiveUp: fail,
});

let isReady = false;
let stopping = false;
async function stop(code = 0): Promise<void> {
  if (stopping) return;
  stopping = true;
  console.log("Stopping");
  try {
    await gateway.stop();
    await databases.stop();
    Deno.exit(code);
  } catch (error) {
    console.error(error);
    Deno.exit(1);
  }
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => stopping ? Deno.exit(130) : stop());
}
await onParentExit(stop);

function receive(message: ServedMessage): void {
  if ("step" in message) onStep(message.step);
  else if ("ready" in message) {
    if (isReady) onStep("The gateway is ready again");
    isReady = true;
    ready.resolve(message.ready);
  } else if ("failure" in message) {
    if (isReady) console.error(message.failure); // it is started again
    else fail(message.failure);
  } else if (message.request === "stop") stop();
  else sendDatabases(databases.rebuild());
}

function fail(reason: string): void {
  console.error(reason);
  stop(1);
}

async function sendDatabases(urls: Promise<DatabaseUrls>): Promise<void> {
  try {
    send({ urls: await urls });
    sendProblems();
  } catch (error) {
    send({ failure: error instanceof Error ? error.message : String(error) });
  }
}

function sendProblems(): void {
  send({ problems: databases.problems });
}

function send(message: DatabaseMessage): void {
  gateway.send(message);
}

/** Ends the command with a reason when the gateway could not listen. */
async function requireFreePort(): Promise<void> {
  try {
    while (!isPortFree()) {
      const other = await findRunning(port);
      const isOrphan = other?.root === ROOT && !isRunning(other.pid);
      if (!isOrphan) {
        const by = other === undefined ? "" : ` by ${described(other)}`;
        throw new Deno.errors.AddrInUse(`Port ${port} is taken${by}. LOCAL_PORT=<port> chooses another one.`);
      }
      // Its platform was killed, and it ends in a moment unless it hangs.
      if (!await waitForExit(other.gateway, ORPHAN_TIMEOUT_MS)) Deno.kill(other.gateway, "SIGKILL");
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}

function isPortFree(): boolean {
  try {
    Deno.listen({ hostname: listenAddress(host), port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    if (!(error instanceof Deno.errors.PermissionDenied && port < 1024)) throw error;
    throw new Error(`Port ${port} is for the superuser only. LOCAL_PORT=<port> chooses another one.`);
  }
}

/** The command line of a task of this platform, as README has it. */
const task = (name: string) =>
  `${Deno.env.has("LOCAL_PORT") ? `LOCAL_PORT=${port} ` : ""}npx -y deno@${Deno.version.deno} task ${name}`;

/** A line for each sample person. */
function signIns(people: readonly SamplePerson[]): string {
  if (people.length === 0) return "";
  const lines = people.map(({ email, description }) => `    ${email.padEnd(22)}${description}\n`);
  return `\n  Sign in with the password ${SAMPLE_PASSWORD}\n${lines.join("")}`;
}

const { status, people } = await ready.promise;
const { DB_URL, REPLICA_DB_URL } = status;
const API_URL = status.API_URL.replace("127.0.0.1", host);
onStep("Ready");
console.log(`
  Start page   ${API_URL}/
  Explorer     ${API_URL}/explore/
  API          ${API_URL}/v1 (also ${API_URL}/functions/v1)
  Contract     ${API_URL}/v1/openapi
  Docs         ${API_URL}/docs/
  Mails        ${API_URL}/_mail
  Database     ${DB_URL}${REPLICA_DB_URL ? `\n  Replica      ${REPLICA_DB_URL}` : ""}
  Publishable  ${PUBLISHABLE_KEY}
  Secret       ${SECRET_KEY}
${signIns(people)}
  ${sampleRequests(API_URL).join("\n  ")}
${listenAddress(host) === "127.0.0.1" ? "" : "\n  Every machine in this network can reach it, without encryption.\n"}
  Ctrl-C or \`${task("stop")}\` stops it; the data stays until \`${task("reset")}\`.
`);

let lastNews = "";
for await (const event of Deno.watchFs([join(ROOT, "supabase", "migrations"), join(ROOT, "supabase", "schemas")])) {
  if (event.kind === "access" || !event.paths.some((path) => path.endsWith(".sql"))) continue;
  const { edited, gone, added } = await changedFiles(String(port));
  const changed = [...edited, ...gone].join(", ");
  const isSource = event.paths.some((path) => path.includes(join("supabase", "schemas")));
  const news = [
    ...(isSource ? ["The schema was edited. `deno task schema` writes its migrations."] : []),
    ...(changed !== "" ? [`Edited or deleted: ${changed}. \`deno task reset\` rebuilds the database.`] : []),
    ...(added.length > 0 ? [`New: ${added.join(", ")}. The next start applies it.`] : []),
  ].join("\n");
  if (news !== "" && news !== lastNews) onStep(news);
  lastNews = news;
}
