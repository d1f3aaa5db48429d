// A database is built once in a run; the platforms of the tests begin with a copy of its files.
import { join } from "node:path";
import { removeIfExists } from "../../local/files.ts";
import { RECORD } from "../../local/postgres/built.ts";
import { removeCrashed, startDatabase } from "../../local/postgres/database.ts";
import { identify } from "../../local/postgres/identity.ts";
import { STATE } from "../../local/settings.ts";

const PREFIX = "built";
const VARIABLE = "BUILT_DATA";

/** Builds it without the sample data, for this process and those that it starts. */
export async function buildOnce(): Promise<{ remove(): Promise<void> }> {
  await removeCrashed(PREFIX);
  const server = await startDatabase({
    name: `${PREFIX}-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`,
    durable: false,
    withSeed: false,
    onStep: () => {},
  });
  await server.stop();
  const { folder } = server.options;
  Deno.env.set(VARIABLE, folder);
  return { remove: () => removeIfExists(folder) };
}

/** Copies it for the platform of this name. Without a run around the test the platform builds its own. */
export async function copyBuiltData(name: string): Promise<void> {
  const built = Deno.env.get(VARIABLE);
  if (!built) return;
  const { command, home, own } = await identify(STATE);
  const folder = join(home, name);
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  await own(folder);
  const { success, stderr } = await command("cp", ["-Rp", join(built, "data"), join(folder, "data")], {
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`The built data cannot be copied: ${new TextDecoder().decode(stderr)}`);
  await Deno.copyFile(join(built, RECORD), join(folder, RECORD));
}
