// The fingerprints of the migrations, by which a function knows whether the database has the migrations of its release
// (`GET /v1/health/ready`). private.applied_migrations computes them from what the migration tool stored.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { readOr } from "../../local/files.ts";
import { ROOT } from "../../local/settings.ts";

export const FINGERPRINTS = "supabase/functions/health/migrations.json";
const MIGRATIONS = "supabase/migrations";
/** What differs between a file and the statements that are stored of it, at the ends of statements. */
const IGNORED = /[ \t\r\n;]+/g;

export function fingerprintOf(text: string): string {
  return createHash("md5").update(text.replaceAll(IGNORED, "")).digest("hex");
}

/** The fingerprint of each migration of a repository by its name, in order. */
export async function migrationFingerprints(root: string = ROOT): Promise<Record<string, string>> {
  const files = [...Deno.readDirSync(join(root, MIGRATIONS))].map(({ name }) => name)
    .filter((name) => name.endsWith(".sql")).sort();
  const entries = files.map(async (name) =>
    [name.slice(0, -".sql".length), fingerprintOf(await Deno.readTextFile(join(root, MIGRATIONS, name)))] as const
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** The content of the file that health reads. */
export async function fingerprintFile(root: string = ROOT): Promise<string> {
  return `${JSON.stringify(await migrationFingerprints(root), null, 2)}\n`;
}

/** Whether the file in the repository is that of its migrations. */
export async function hasStaleFingerprints(root: string = ROOT): Promise<boolean> {
  return await readOr(join(root, FINGERPRINTS), "") !== await fingerprintFile(root);
}

export async function writeFingerprints(root: string = ROOT): Promise<void> {
  await Deno.writeTextFile(join(root, FINGERPRINTS), await fingerprintFile(root));
}
