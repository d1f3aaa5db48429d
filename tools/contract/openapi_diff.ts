// `deno task openapi:diff [revision]`: the changes of openapi.json since a git revision that break clients. The default is
// the newest release. The exit code is 1 if there are any, and CHANGELOG.md does not list them under "Breaking".
import { join } from "node:path";
import { changesSince, hasEntries } from "../release/rules.ts";
import { breakingChanges } from "./breaking_changes.ts";
import { git, newestRelease } from "../release/git.ts";

const FILE = "contract/openapi.json";

export interface ContractDiff {
  /** Undefined if there is no release. Then nothing is compared. */
  readonly base: string | undefined;
  readonly changes: readonly string[];
  readonly isAnnounced: boolean;
}

export async function contractDiff(folder: string, revision?: string): Promise<ContractDiff> {
  const base = revision ?? await newestRelease(folder);
  const isAnnounced = announcesBreaking(await Deno.readTextFile(join(folder, "CHANGELOG.md")), base);
  if (base === undefined) return { base, changes: [], isAnnounced };
  const text = await git(folder, "show", `${base}:${FILE}`)
    .catch(() => git(folder, "show", `${base}:openapi.json`)); // where it was before 0.1.0
  const before = JSON.parse(text);
  const after = JSON.parse(await Deno.readTextFile(join(folder, FILE)));
  return { base, changes: breakingChanges(before, after), isAnnounced };
}

/** Whether a version after that of the tag, or the unreleased one, has an entry under the heading "Breaking". */
export function announcesBreaking(changelog: string, tag: string | undefined): boolean {
  return hasEntries(changesSince(changelog, tag?.replace(/^v/, "")), "Breaking");
}

if (import.meta.main) {
  const { base, changes, isAnnounced } = await contractDiff(Deno.cwd(), Deno.args[0]);
  if (base === undefined) console.log("There is no release yet. Name a git revision to compare with.");
  else {
    for (const change of changes) console.log(change);
    console.log(`${changes.length} breaking changes since ${base}`);
    if (changes.length > 0 && !isAnnounced) {
      console.log('List them in CHANGELOG.md under "### Breaking" of the unreleased version.');
      Deno.exit(1);
    }
  }
}
