// deno task migration <name>: starts the migration of a change after the first release. Until then `deno task schema` writes
// all migrations.
import { join } from "node:path";
import { readOr } from "../../local/files.ts";
import { ROOT } from "../../local/settings.ts";
import { Refusal } from "./rules.ts";

const USAGE = "Usage: deno task migration <name>, for example: deno task migration saved_lot_notes";

const HEAD = `-- What changes, and why: in the words of the changelog.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';
`;

/** Writes the first lines of the next migration and returns its path in the repository. */
export async function startMigration(name: string, root: string = ROOT, now: Date = new Date()): Promise<string> {
  if (!/^[a-z][a-z0-9_]{2,60}$/.test(name)) {
    throw new Refusal(`A migration is named in lower case, with digits and underscores.\n${USAGE}`);
  }
  const released = JSON.parse(await readOr(join(root, "supabase/released_migrations.json"), "{}"));
  if (Object.keys(released).length === 0) {
    throw new Refusal("Nothing was released: edit supabase/schemas and run `deno task schema`.");
  }
  const folder = join(root, "supabase/migrations");
  const last = [...Deno.readDirSync(folder)].map(({ name }) => name.slice(0, 14)).sort().at(-1)!;
  const path = `supabase/migrations/${versionAfter(last, now)}_${name}.sql`;
  await Deno.writeTextFile(join(root, path), HEAD, { createNew: true });
  return path;
}

/** This second, or the second after `last` where a clock was ahead. */
function versionAfter(last: string, now: Date): string {
  const version = (at: Date) => at.toISOString().replaceAll(/\D/g, "").slice(0, 14);
  if (version(now) > last) return version(now);
  const [, year, month, ...rest] = /^(....)(..)(..)(..)(..)(..)$/.exec(last)!.map(Number);
  const [day, hour, minute, second] = rest as [number, number, number, number];
  return version(new Date(Date.UTC(year!, month! - 1, day, hour, minute, second + 1)));
}

if (import.meta.main) {
  const names = Deno.args.filter((word) => word !== "--");
  try {
    if (names.length !== 1) throw new Refusal(USAGE);
    console.log(await startMigration(names[0]!));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    Deno.exit(2);
  }
}
