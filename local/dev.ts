// `deno task dev`: the whole backend on this machine, until Ctrl-C.
import { join } from "node:path";
import { sampleRequests } from "./gateway/home.ts";
import { changedFiles } from "./postgres/database.ts";
import { type Platform, startPlatform } from "./platform.ts";
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
import { SAMPLE_PASSWORD, type SamplePerson } from "./people/people.ts";
import { described, findRunning } from "./state.ts";

const started = performance.now();
const port = gatewayPort();
const host = publicHost();
const onStep = (line: string) =>
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${line}`);

console.log("The parking lot service on this machine. For development and tests: its keys are public.");
let platform: Platform | undefined;
let stopping = false;
const stop = async () => {
  if (stopping) return;
  stopping = true;
  console.log("Stopping");
  try {
    await platform?.stop();
    Deno.exit(0);
  } catch (error) {
    console.error(error);
    Deno.exit(1);
  }
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => stopping ? Deno.exit(130) : stop());
}
await onParentExit(stop);

try {
  platform = await startPlatform({
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
    onStep,
    log: (line) => console.log(line),
    onStop: stop,
  });
} catch (error) {
  if (error instanceof Deno.errors.AddrInUse) {
    const other = await findRunning(port);
    const by = other === undefined ? "" : ` by ${described(other)}`;
    console.error(`Port ${port} is taken${by}. LOCAL_PORT=<port> chooses another one.`);
  } else if (error instanceof Deno.errors.PermissionDenied && port < 1024) {
    console.error(`Port ${port} is for the superuser only. LOCAL_PORT=<port> chooses another one.`);
  } else {
    console.error(error instanceof Error ? error.message : error);
  }
  Deno.exit(1);
}

const { DB_URL, REPLICA_DB_URL } = platform.status;
const API_URL = platform.status.API_URL.replace("127.0.0.1", host);
/** The command line of a task of this platform, as README has it. */
const task = (name: string) =>
  `${Deno.env.has("LOCAL_PORT") ? `LOCAL_PORT=${port} ` : ""}npx -y deno@${Deno.version.deno} task ${name}`;

/** A line for each sample person. */
function signIns(people: readonly SamplePerson[]): string {
  if (people.length === 0) return "";
  const lines = people.map(({ email, description }) => `    ${email.padEnd(22)}${description}\n`);
  return `\n  Sign in with the password ${SAMPLE_PASSWORD}\n${lines.join("")}`;
}

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
${signIns(platform.people)}
  ${sampleRequests(API_URL).join("\n  ")}
${
  listenAddress(host) === "127.0.0.1"
    ? ""
    : "\n  Every machine in this network can reach it, and its keys are public.\n"
}
  Ctrl-C or \`${task("stop")}\` stops it; the data stays until \`${task("reset")}\`.
`);

let lastNews = "";
for await (const event of Deno.watchFs(join(ROOT, "supabase", "migrations"))) {
  if (event.kind === "access" || !event.paths.some((path) => path.endsWith(".sql"))) continue;
  const { edited, gone, added } = await changedFiles(String(port));
  const changed = [...edited, ...gone].join(", ");
  const news = [
    ...(changed !== "" ? [`Edited or deleted: ${changed}. \`deno task reset\` rebuilds the database.`] : []),
    ...(added.length > 0 ? [`New: ${added.join(", ")}. The next start applies it.`] : []),
  ].join("\n");
  if (news !== "" && news !== lastNews) onStep(news);
  lastNews = news;
}
