// Migrations and seed are applied by the Supabase CLI, as they are to a hosted project.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { ROOT } from "../settings.ts";
import { readOr } from "../files.ts";

const MIGRATIONS = join(ROOT, "supabase", "migrations");

/** The fingerprint of each migration file, by file name. */
export type Fingerprints = Record<string, string>;

/** Applies the pending migrations and the seed. `onStep` receives each line of the CLI that names a file. */
export async function migrate(databaseUrl: string, onStep: (line: string) => void): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      await cli(),
      "db",
      "push",
      "--include-all",
      "--include-seed",
      "--yes",
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
  if (!success) throw new Error(`The migrations failed:\n${output}${remedy(output)}`);
  for (const line of output.split("\n")) {
    if (/^(Applying migration|Seeding data)/.test(line)) onStep(line.replace(/\.{3}$/, ""));
  }
}

/** Data from migration files that were deleted or renamed can only be rebuilt. */
function remedy(output: string): string {
  if (!/not found in local migrations directory/i.test(output)) return "";
  return "\n\nThe data was built by other migration files. `deno task reset` throws it away; the next start builds it.";
}

export async function fingerprints(): Promise<Fingerprints> {
  const found: Fingerprints = {};
  for await (const { name, isFile } of Deno.readDir(MIGRATIONS)) {
    if (!isFile || !name.endsWith(".sql")) continue;
    const content = await readOr(join(MIGRATIONS, name), ""); // an editor may be replacing it
    if (content !== "") found[name] = createHash("sha256").update(content).digest("hex");
  }
  return found;
}

/** The files that have changed since they were applied. */
export function edited(applied: Fingerprints, present: Fingerprints): string[] {
  return Object.keys(applied).filter((name) => name in present && applied[name] !== present[name]).sort();
}

/** The CLI in the version that deno.json pins. */
async function cli(): Promise<string> {
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  return imports.supabase;
}
