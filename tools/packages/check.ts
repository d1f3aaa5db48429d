// Checks the types of every program with the packages of its group (`deno task check`), as many groups at once as there
// are cores. What a check prints stands together.
import { forEach } from "../../supabase/functions/_shared/queue/pool.ts";
import { announcement, configOf, groupOf, readGroups, ROOT, trackedPrograms } from "./groups.ts";

const groups = await readGroups();
const programs = Map.groupBy(await trackedPrograms(), (path) => groupOf(groups, path));
// The longest first.
const checks = [...programs].sort(([, a], [, b]) => b.length - a.length);
let failed = false;
await forEach(checks, navigator.hardwareConcurrency, async ([group, files]) => {
  const line = await announcement(group);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", `--config=${configOf(group)}`, ...files],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (line !== undefined) console.log(line);
  console.log(`Types of ${group.folder || "the service"}: ${files.length} files`);
  await Deno.stderr.write(stderr);
  failed ||= !success;
});
if (failed) Deno.exit(1);
