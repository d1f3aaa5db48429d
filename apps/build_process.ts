// Builds an application in a process of its own, with the packages that only its build needs.
import { join } from "node:path";
import { announcement, groupOf, readGroups, ROOT } from "../tools/packages/groups.ts";

/** Runs apps/<name>/build.ts. Requests of the platform do not wait for it. */
export async function buildInProcess(name: string, args: readonly string[]): Promise<void> {
  const line = await announcement(groupOf(await readGroups(), join("apps", name)));
  if (line !== undefined) console.log(line);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", join(ROOT, "apps", name, "build.ts"), ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`apps/${name} could not be built:\n${new TextDecoder().decode(stderr)}`);
}
