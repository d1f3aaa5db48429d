// What a platform's data was built from: the files that are applied once, and the commit that had them. A start compares
// them before it writes anything, so that data which it cannot use still fits the commit that made it.
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { readOr, readRecord, writeRecord } from "../files.ts";

/** The fingerprint of each file, by its name. */
export type Fingerprints = Readonly<Record<string, string>>;

export interface Built {
  /** The last commit that the data fitted; null if it is not known. */
  readonly commit: string | null;
  readonly files: Fingerprints;
}

export interface Changes {
  readonly edited: readonly string[];
  readonly gone: readonly string[];
  readonly added: readonly string[];
}

export const RECORD = "migrations.json";
const MIGRATIONS = "supabase/migrations";
/** Files of the platform that a new database gets once. The others run at every start. */
const APPLIED_ONCE = ["local/auth", "local/postgres/extensions"];
/** How many files an error names. */
const MAX_NAMES = 5;

/** `folder` is the platform's own. */
export async function readBuilt(folder: string): Promise<Built> {
  return await readRecord<Built>(join(folder, RECORD), { commit: null, files: {} });
}

export async function writeBuilt(folder: string, built: Built): Promise<void> {
  await writeRecord(join(folder, RECORD), JSON.stringify(built, null, 2));
}

/** The migrations of a repository. */
export async function migrationFiles(root: string): Promise<Fingerprints> {
  return await fingerprints(root, MIGRATIONS);
}

/** All files that are applied once: migrations by name, the platform's own by path. */
export async function filesAppliedOnce(root: string): Promise<Fingerprints> {
  const own = await Promise.all(APPLIED_ONCE.map((folder) => fingerprints(root, folder, `${folder}/`)));
  return Object.assign({}, ...own, await migrationFiles(root));
}

async function fingerprints(root: string, folder: string, prefix = ""): Promise<Fingerprints> {
  const found: Record<string, string> = {};
  for await (const { name, isFile } of Deno.readDir(join(root, folder))) {
    if (!isFile || !name.endsWith(".sql")) continue;
    const content = await readOr(join(root, folder, name), ""); // an editor may be replacing it
    if (content !== "") found[prefix + name] = createHash("sha256").update(content).digest("hex");
  }
  return found;
}

export function compare(applied: Fingerprints, present: Fingerprints): Changes {
  return {
    edited: Object.keys(applied).filter((name) => name in present && applied[name] !== present[name]).sort(),
    gone: Object.keys(applied).filter((name) => !(name in present)).sort(),
    added: Object.keys(present).filter((name) => !(name in applied)).sort(),
  };
}

/** The version of a migration, as the CLI records it; undefined for a file of the platform. */
export function versionOf(name: string): string | undefined {
  return name.match(/^(\d+)_/)?.[1];
}

/** Throws if an applied file was edited or is gone. Files that were added do no harm: a start applies them. */
export function requireFit(data: string, commit: string | null, { edited, gone }: Omit<Changes, "added">): void {
  if (edited.length === 0 && gone.length === 0) return;
  throw new Error([
    `The data in ${data} was built by other files.`,
    ...(edited.length > 0 ? [`Edited since they were applied: ${listed(edited)}.`] : []),
    ...(gone.length > 0 ? [`Applied and not in this folder: ${listed(gone)}.`] : []),
    commit === null ? "The data was not changed." : `The data was not changed: it still fits commit ${commit}.`,
    `To keep it, go back to that state, or copy ${dirname(data)} first.`,
    "`deno task reset` throws it away; the next start builds it.",
  ].join("\n"));
}

function listed(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** The commit of a repository; null if git does not know it. */
export async function commitOf(root: string): Promise<string | null> {
  const head = await git(root, "rev-parse", "--short=12", "HEAD");
  if (head === undefined) return null;
  const changes = await git(root, "status", "--porcelain", "--", MIGRATIONS, ...APPLIED_ONCE);
  return changes === "" ? head : `${head} with changes that were not committed`;
}

async function git(root: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", { args, cwd: root, stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined; // git is not installed
    throw error;
  }
}
