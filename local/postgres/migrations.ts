// Migrations and seed are applied by the Supabase CLI, as they are to a hosted project.
import { join } from "node:path";
import { ROOT } from "../settings.ts";

/** Applies the pending migrations of a repository, and its seed unless `withSeed` is false. `onStep` receives each line of the CLI that names a file. */
export async function migrate(
  root: string,
  databaseUrl: string,
  onStep: (line: string) => void,
  withSeed = true,
): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      await cli(),
      "db",
      "push",
      "--include-all",
      ...(withSeed ? ["--include-seed"] : []),
      "--yes",
      "--workdir",
      root,
      "--db-url",
      databaseUrl,
    ],
    cwd: ROOT,
    env: { DO_NOT_TRACK: "1", SUPABASE_TELEMETRY_DISABLED: "1", NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { success, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  const output = `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`.trim();
  if (!success) throw new Error(`The migrations failed:\n${output}`);
  for (const line of output.split("\n")) {
    if (/^(Applying migration|Seeding data)/.test(line)) onStep(line.replace(/\.{3}$/, ""));
  }
}

/** The CLI in the version that deno.json pins. */
async function cli(): Promise<string> {
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  return imports.supabase;
}
