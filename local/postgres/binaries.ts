// The Postgres programs in the folder of local state, with stand-ins for the extensions that hosted projects have.
import { join } from "node:path";
import {
  downloadPostgres,
  POSTGRES_VERSION,
  postgresAnnouncement,
  postgresFolder,
} from "../../tools/packages/postgres.ts";
import { fileExists } from "../files.ts";

export interface PostgresBinaries {
  readonly version: string;
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
}

const EXTENSIONS = new URL("./extensions/", import.meta.url);

/** Downloads the programs into `home` unless an earlier start did, and returns their paths. */
export async function installPostgres(home: string, onStep: (line: string) => void): Promise<PostgresBinaries> {
  const line = await postgresAnnouncement(home);
  if (line !== undefined) {
    onStep(line);
    await downloadPostgres(home);
  }
  const folder = postgresFolder(home);
  await addExtensions(join(folder, "share", "postgresql", "extension"));
  return {
    version: POSTGRES_VERSION,
    folder,
    initdb: join(folder, "bin", "initdb"),
    postgres: join(folder, "bin", "postgres"),
  };
}

async function addExtensions(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(EXTENSIONS)) {
    const text = await Deno.readTextFile(new URL(name, EXTENSIONS));
    const at = join(folder, name);
    if (await fileExists(at) && await Deno.readTextFile(at) === text) continue;
    const partial = `${at}.${crypto.randomUUID()}`;
    await Deno.writeTextFile(partial, text, { mode: 0o644 });
    await Deno.rename(partial, at);
  }
}
