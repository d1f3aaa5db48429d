// `deno task examples`: uses every operation on a platform of its own, and writes supabase/functions/openapi/examples.json.
// With `--check` nothing is written: it ends with an error if an operation fails or its example has other fields.
import { startTestPlatform } from "../support/platform.ts";
import { type Examples, examplesOf } from "./normalise.ts";
import { differences } from "./shape.ts";

const FILE = new URL("../../supabase/functions/openapi/examples.json", import.meta.url);
const SEED = new URL("../../supabase/seed.sql", import.meta.url);

const platform = await startTestPlatform();
let examples: Examples;
try {
  for (const [name, value] of Object.entries(platform.status)) Deno.env.set(name, String(value));
  // Its modules read the environment when they load.
  const { walk } = await import("./walk.ts");
  examples = examplesOf(await walk(), await Deno.readTextFile(SEED));
} finally {
  await platform.stop();
}
if (Deno.args.includes("--check")) {
  const found = differences(JSON.parse(await Deno.readTextFile(FILE)), examples);
  for (const difference of found) console.error(difference);
  if (found.length > 0) console.error("Run `deno task examples`, then `deno task openapi`, and commit the files.");
  Deno.exit(found.length > 0 ? 1 : 0);
}
await Deno.writeTextFile(FILE, `${JSON.stringify(examples, null, 2)}\n`);
console.log(`wrote examples of ${Object.keys(examples).length} operations`);
Deno.exit();
