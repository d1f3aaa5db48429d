// Brings the places of data/ into a database, in one transaction: all of a version or nothing.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "postgres";
import { placeRows } from "./rows.ts";

const HERE = new URL("./", import.meta.url);

export interface Loaded {
  readonly version: string;
  readonly places: number;
  /** Whether anything was written; false: this version was there. */
  readonly isNew: boolean;
}

/** The lock of the command: two of them at once write one after the other. */
const LOCK = 7_241_530_117;

/** Loads the places unless this version is there. `onStep` gets a line when it begins to. */
export async function loadPlaces(sql: Sql, onStep: (line: string) => void): Promise<Loaded> {
  const version = await versionOf(sql);
  const current = await loadedPlaces(sql);
  if (current?.version === version) return { ...current, isNew: false };
  onStep("Loading the places of Japan: stations, towns, interchanges, landmarks");
  const merge = await Deno.readTextFile(new URL("merge.sql", HERE));
  return await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${LOCK})`;
    await transaction.unsafe(`
      create temp table new_places (
        kind text, full_name text, name text, name_en text, lat double precision, lng double precision, parent text,
        radius_m integer, importance smallint, chome smallint, lines text, names text[]
      ) on commit drop`);
    await pipeline(Readable.from(copyLines()), await transaction`copy new_places from stdin`.writable());
    await transaction.unsafe(merge);
    const [row] = await transaction<{ places: number }[]>`
      insert into private.place_data as d (version, place_count)
      select ${version}, count(*)::integer from private.places
      on conflict (id) do update
      set version = excluded.version, place_count = excluded.place_count, loaded_at = excluded.loaded_at
      returning d.place_count as places`;
    return { version, places: row!.places, isNew: true };
  });
}

/** The version that a database has; undefined if it has none. */
async function loadedPlaces(sql: Sql): Promise<{ version: string; places: number } | undefined> {
  const [row] = await sql<{ version: string; places: number }[]>`
    select d.version, d.place_count as places from private.place_data d`;
  return row;
}

/** The fingerprint of all that decides about the rows: the files, these programs, and the functions that make keys. */
async function versionOf(sql: Sql): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of [HERE, new URL("data/", HERE)]) {
    const names = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => name).sort();
    for (const name of names) hash.update(name).update(await Deno.readFile(new URL(name, folder)));
  }
  const [row] = await sql<{ source: string }[]>`
    select string_agg(pg_get_functiondef(p.oid), '' order by p.proname) as source from pg_proc p
    where p.oid = any (array['private.place_key(text)', 'private.folded_name(text)', 'private.kana_romaji(text)',
      'private.chome_digits(text)', 'private.plain_text(text)']::regprocedure[])`;
  return hash.update(row!.source).digest("hex").slice(0, 16);
}

/** The rows as `copy` reads them, many lines at once. */
async function* copyLines(): AsyncGenerator<string> {
  let text = "";
  for await (const row of placeRows()) {
    const { kind, fullName, name, nameEn, lat, lng, parent, radiusM, importance, chome, lines, names } = row;
    const list = `{${names.map((each) => `"${each}"`).join(",")}}`;
    text += [kind, fullName, name, nameEn, lat, lng, parent, radiusM, importance, chome, lines, list]
      .map((value) => value ?? "\\N").join("\t") + "\n";
    if (text.length < 65_536) continue;
    yield text;
    text = "";
  }
  yield text;
}
