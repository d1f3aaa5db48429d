// Whether a database has the migrations of this release.
import ofRelease from "./migrations.json" with { type: "json" };

/** The fingerprint of each migration by its name. `deno task schema` writes those of the release into migrations.json. */
export type Fingerprints = Readonly<Record<string, string>>;

export interface MigrationDifferences {
  /** Migrations of the release that are not applied. */
  readonly missing: readonly string[];
  /** Migrations that were applied with other content. */
  readonly changed: readonly string[];
  /** Migrations among those of the release which it does not have. */
  readonly unknown: readonly string[];
  /** Migrations after the release. An older release works with them: migrations are applied before functions are deployed. */
  readonly newer: readonly string[];
}

export function compareMigrations(applied: Fingerprints, release: Fingerprints = ofRelease): MigrationDifferences {
  const names = Object.keys(release).sort();
  const foreign = Object.keys(applied).filter((name) => !(name in release)).sort();
  const isNewer = (name: string) => name > (names.at(-1) ?? "");
  return {
    missing: names.filter((name) => !(name in applied)),
    changed: names.filter((name) => name in applied && applied[name] !== release[name]),
    unknown: foreign.filter((name) => !isNewer(name)),
    newer: foreign.filter(isNewer),
  };
}
