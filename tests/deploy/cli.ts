// The Supabase CLI as the documentation says to run it, in a copy of the project, against a stand-in for Supabase.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { ROOT } from "../../local/settings.ts";
import { type CliResult, PINNED, runCli } from "../../tools/release/supabase_cli.ts";
import { type ManagementApi, PROJECT_REF } from "./management_api.ts";

/** A start collects no memory, which is a quarter of its work. A push of all migrations would take 14 GB then. */
export const SMALL_CALL = { BUN_JSC_useGC: "0" };

export const ACCESS_TOKEN = `sbp_${"0".repeat(40)}`;

/** The words of the command in docs/operations/deploy.md that begins with these. */
export async function documented(...start: string[]): Promise<string[]> {
  const page = (await Deno.readTextFile(join(ROOT, "docs/operations/deploy.md"))).replaceAll(/\\\n\s*/g, "");
  const commands = [...page.matchAll(/^npx -y supabase@(\S+) (.*?)(?:\s+#.*)?$/gm)];
  for (const [line, version] of commands) assert.equal(version, PINNED, line);
  const words = commands.map(([, , command]) => command!.split(/\s+/));
  const found = words.filter((command) => start.every((word, index) => command[index] === word));
  assert.equal(found.length, 1, `docs/operations/deploy.md: ${start.join(" ")}`);
  return found[0]!;
}

/** A copy of what the CLI reads of the project. */
export class ProjectCopy implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  static async make(): Promise<ProjectCopy> {
    const folder = await Deno.makeTempDir();
    await copy(join(ROOT, "supabase"), join(folder, "supabase"));
    return new ProjectCopy(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }

  /** Runs the CLI here; without an `api` it can reach only a database. */
  async run(
    args: readonly string[],
    { api, version = PINNED, env = {} }: { api?: ManagementApi; version?: string; env?: Record<string, string> },
  ): Promise<CliResult> {
    const profile = join(this.folder, "profile.yaml");
    if (api !== undefined) await Deno.writeTextFile(profile, api.profile());
    return await runCli(args, {
      folder: this.folder,
      version,
      env: {
        ...SMALL_CALL,
        SUPABASE_HOME: join(this.folder, "home"),
        SUPABASE_PROJECT_ID: PROJECT_REF,
        ...(api === undefined ? {} : { SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN, SUPABASE_PROFILE: profile }),
        ...env,
      },
    });
  }
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (name.startsWith(".")) continue;
    if (isDirectory) await copy(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}
