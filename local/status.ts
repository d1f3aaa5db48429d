// `deno task status [-o json|env]`: the addresses and keys of the running platform, under the names that
// `supabase status` uses. Exit code 1 when none runs or a part of it is down.
import { parseArgs } from "node:util";
import { gatewayPort } from "./settings.ts";
import { ownPlatform } from "./commands.ts";

const { values } = parseArgs({ options: { output: { type: "string", short: "o", default: "json" } } });
const port = gatewayPort();
const running = await ownPlatform(port);
if (running === undefined) {
  console.error(`No platform runs on port ${port}. \`deno task dev\` starts the platform.`);
  Deno.exit(1);
}
if (running.status === null) {
  console.error(`The platform on port ${port} is starting: process ${running.pid}.`);
  Deno.exit(1);
}
if (values.output === "env") {
  for (const [name, value] of Object.entries(running.status)) console.log(`${name}="${value}"`);
} else if (values.output === "json") {
  console.log(JSON.stringify(running.status, null, 2));
} else {
  console.error(`Unknown output "${values.output}": json or env`);
  Deno.exit(1);
}
for (const part of running.down) console.error(`Down: ${part}`);
if (running.down.length > 0) Deno.exit(1);
