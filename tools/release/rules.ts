/** The rules of a release: which version may follow, and what the changelog must list. It reads and writes no files. */

/** Why there is no release. Nothing was changed. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

type Numbers = readonly [major: number, minor: number, patch: number];

/** The contract and the changelog before a release. */
export interface Facts {
  readonly changelog: string;
  /** The version that the code has, which is that of the newest release. Before the first release it is the first version. */
  readonly present: string;
  /** The newest tag, without `v`. Undefined before the first release. */
  readonly tagged: string | undefined;
  /** The changes of openapi.json since that tag that break clients. */
  readonly breaks: readonly string[];
}

/** Throws a `Refusal` if this version cannot be released now. */
export function checkRelease(version: string, { changelog, present, tagged, breaks }: Facts): void {
  const next = numbersOf(version);
  if (next === undefined) {
    throw new Refusal(`${version} is not a version. Write MAJOR.MINOR.PATCH, for example 0.2.0.`);
  }
  const listed = newestVersion(changelog);
  if (listed !== tagged) {
    throw new Refusal(
      `The newest release is ${listed ?? "missing"} in CHANGELOG.md and ${tagged ?? "missing"} among the tags. ` +
        "Tag the commit of the release, or fetch the tags.",
    );
  }
  const order = compared(next, numbersOf(tagged ?? present)!);
  if (tagged === undefined ? order < 0 : order <= 0) {
    throw new Refusal(`${version} is not greater than ${tagged ?? present}.`);
  }

  const text = unreleasedOf(changelog);
  if (!/^- \S/m.test(text)) {
    throw new Refusal("CHANGELOG.md lists nothing under Unreleased. A release has changes.");
  }
  const isListed = (heading: string) => hasEntries(text, heading);
  if (breaks.length > 0 && !isListed("Breaking")) {
    throw new Refusal(
      `The contract breaks clients of ${tagged}. List in CHANGELOG.md under "### Breaking":\n` +
        breaks.map((change) => `  ${change}`).join("\n"),
    );
  }
  if (tagged === undefined) return;
  const needed = neededStep(numbersOf(tagged)!, {
    breaks: isListed("Breaking"),
    adds: ["Added", "Deprecated"].some(isListed),
  });
  if (compared(next, needed) < 0) {
    throw new Refusal(`${version} is too small a step from ${tagged}. The changes need at least ${needed.join(".")}.`);
  }
}

/** The smallest version with these changes (Semantic Versioning). Before 1.0.0 a break is a step of the minor version. */
function neededStep([major, minor, patch]: Numbers, { breaks, adds }: { breaks: boolean; adds: boolean }): Numbers {
  if (major === 0) return breaks ? [0, minor + 1, 0] : [0, minor, patch + 1];
  if (breaks) return [major + 1, 0, 0];
  return adds ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

/** The changelog in which the unreleased changes are those of this version. */
export function withRelease(changelog: string, version: string, date: string): string {
  return changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${date}`);
}

/** The text under "Unreleased". */
export function unreleasedOf(changelog: string): string {
  return sectionsOf(changelog).find(({ heading }) => heading === "Unreleased")?.text ?? "";
}

/** The changes after the release with this version: the unreleased ones, and those of later releases. */
export function changesSince(changelog: string, version: string | undefined): string {
  const sections = sectionsOf(changelog);
  const release = sections.findIndex(({ heading }) => heading.split(" ")[0] === version);
  if (release === -1) return unreleasedOf(changelog);
  return sections.slice(0, release).map(({ text }) => text).join("\n");
}

/** Whether a heading of the third level has entries. */
export function hasEntries(text: string, heading: string): boolean {
  return text.split(/^### /m).some((part) => part.startsWith(`${heading}\n`) && /^- \S/m.test(part));
}

/** The version of the newest release in the changelog. */
export function newestVersion(changelog: string): string | undefined {
  return sectionsOf(changelog).map(({ heading }) => heading.split(" ")[0]!).find((word) => numbersOf(word));
}

function sectionsOf(changelog: string): { heading: string; text: string }[] {
  return changelog.split(/^## /m).slice(1).map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    return { heading, text: lines.join("\n") };
  });
}

function numbersOf(version: string): Numbers | undefined {
  const match = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

function compared(one: Numbers, other: Numbers): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
