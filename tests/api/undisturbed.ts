// Repeats a test of a list that all tests share until no other test wrote to it meanwhile.
import { inDatabase } from "./lots.ts";

/** Runs a test of what tables hold; again when it failed and one of them was changed meanwhile. */
export async function undisturbed(tables: string | readonly string[], run: () => Promise<void>): Promise<void> {
  for (let tries = 1;; tries++) {
    const before = await versionOf([tables].flat());
    try {
      return await run();
    } catch (error) {
      if (tries === 10 || await versionOf([tables].flat()) === before) throw error;
    }
  }
}

async function versionOf(tables: readonly string[]): Promise<string> {
  const versions = await inDatabase((sql) =>
    Promise.all(tables.map((table) =>
      sql<{ version: string }[]>`
        select coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as version from public.${sql(table)} t`
    ))
  );
  return versions.map(([row]) => row!.version).join();
}
