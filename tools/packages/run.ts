// Runs a program with the packages of its group, and says what its first run downloads: deno run -A <script> [arguments].
import { join } from "node:path";
import { announcement, configOf, groupOf, readGroups, ROOT } from "./groups.ts";

const [script = "", ...args] = Deno.args;
const group = groupOf(await readGroups(), script);
const line = await announcement(group);
if (line !== undefined) console.error(line);
const child = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", `--config=${configOf(group)}`, join(ROOT, script), ...args],
}).spawn();
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => child.kill(signal));
Deno.exit((await child.status).code);
