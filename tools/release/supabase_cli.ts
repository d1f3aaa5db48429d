// The Supabase CLI in the version that imports.json pins and the pages name. Its packages and their lock are in cli/.
import { join } from "node:path";
import { ROOT } from "../../local/settings.ts";

export interface CliResult {
  readonly code: number;
  /** Both streams. */
  readonly output: string;
}

/** The version that imports.json pins. */
export const PINNED: string = JSON.parse(await Deno.readTextFile(join(ROOT, "imports.json"))).imports.supabase
  .replace("npm:supabase@", "");

/** Its lock file has all packages of the CLI, so that the registry is asked for nothing else. */
const CONFIG = join(ROOT, "tools/release/cli/deno.json");

/** What every call sets: no questions, no colours, nothing about this machine for anybody. */
export const CLI_ENVIRONMENT = {
  // It runs in Bun. A command ends before compiled functions have paid for their compilation. Regular expressions are
  // compiled: a push of all migrations takes a minute without.
  BUN_JSC_useBaselineJIT: "0",
  DO_NOT_TRACK: "1",
  SUPABASE_TELEMETRY_DISABLED: "1",
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
  npm_config_loglevel: "error",
  SUPABASE_YES: "1",
};

/** The program and the first words with which a version of the CLI runs. npx fetches versions that are not the pinned one. */
export function cliCommand(version: string = PINNED): string[] {
  return version === PINNED
    ? [Deno.execPath(), "run", "-A", "--quiet", `--config=${CONFIG}`, `npm:supabase@${version}`]
    : ["npx", "--yes", `supabase@${version}`];
}

/** Runs the CLI in a folder. It cannot ask: its standard input is empty. */
export async function runCli(
  args: readonly string[],
  { folder, env = {}, version = PINNED }: { folder: string; env?: Readonly<Record<string, string>>; version?: string },
): Promise<CliResult> {
  const [program, ...start] = cliCommand(version);
  const { code, stdout, stderr } = await new Deno.Command(program!, {
    args: [...start, ...args],
    cwd: folder,
    env: { ...CLI_ENVIRONMENT, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}
