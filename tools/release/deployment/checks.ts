// What is checked before a deployment. A check writes nothing.
import { git } from "../git.ts";
import { runCli } from "../supabase_cli.ts";
import { driftOf, migrationState, withDatabase } from "./database.ts";
import { databaseAddress, type Settings } from "./settings.ts";

export interface CheckedDatabase {
  readonly problems: readonly string[];
  readonly pending: readonly string[];
}

/** What stands against the commit: changes that are not committed, and a missing tag. */
export async function commitProblems(root: string, isUntagged: boolean): Promise<string[]> {
  const problems: string[] = [];
  const dirty = await git(root, "status", "--porcelain");
  if (dirty !== "") problems.push(`Commit or remove these changes first:\n${dirty.trimEnd()}`);
  const tag = (await git(root, "tag", "--points-at", "HEAD", "--list", "v*")).trim();
  if (tag === "" && !isUntagged) {
    problems.push("The commit has no version tag. Check out a tag v…, or deploy to staging with --untagged.");
  }
  return problems;
}

/** Compares the database with this folder, and asks the advisors. `say` receives each check before it runs. */
export async function checkDatabase(
  settings: Settings,
  root: string,
  say: (line: string) => void,
): Promise<CheckedDatabase> {
  const address = databaseAddress(settings);
  say("migrations: what is applied is what this folder has");
  const { applied, pending, problems } = await withDatabase(address, (sql) => migrationState(sql, root));
  const found = [...problems];
  if (applied.length > 0 && problems.length === 0) {
    say("drift: the database is what its migrations give");
    const lines = await driftOf(address, root, applied);
    if (lines.length > 0) {
      found.push(`The database differs from its migrations (\`task drift\`):\n${lines.join("\n")}`);
    }
  }
  say("advisors: no errors");
  const { code, output } = await runCli(advisorsCommand(settings), { folder: root, env: databasePassword(settings) });
  if (code !== 0) found.push(`The advisors of the database have findings:\n${output.trim()}`);
  return { problems: found, pending };
}

export function advisorsCommand({ databaseUrl }: Settings): string[] {
  return ["db", "advisors", "--db-url", databaseUrl, "--level", "error", "--fail-on", "error"];
}

/** The password goes by the environment: the arguments of a program are visible to every user of the machine. */
export function databasePassword({ databasePassword }: Settings): Record<string, string> {
  return { PGPASSWORD: databasePassword, SUPABASE_DB_PASSWORD: databasePassword };
}
