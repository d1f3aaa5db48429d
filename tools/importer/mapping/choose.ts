import { ImportFailure } from "../../../supabase/functions/_shared/import/failure.ts";
import type { SourceRecord } from "../../../supabase/functions/_shared/import/record.ts";
import type { OpenSource } from "../../../supabase/functions/_shared/import/reading/record.ts";
import { type Mapping, parseMapping } from "../../../supabase/functions/_shared/import/definition.ts";
import { valueAt } from "../../../supabase/functions/_shared/import/lookup.ts";

const FOLDER = new URL("../mappings/", import.meta.url);

export async function builtInMappings(): Promise<Mapping[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(FOLDER)) if (name.endsWith(".json")) names.push(name);
  return await Promise.all(
    names.sort().map(async (name) => parseMapping(await Deno.readTextFile(new URL(name, FOLDER)), name)),
  );
}

/** A built-in mapping by its name, or one from a JSON file. */
export async function namedMapping(nameOrFile: string): Promise<Mapping> {
  const builtIn = await builtInMappings();
  const found = builtIn.find((mapping) => mapping.name === nameOrFile);
  if (found !== undefined) return found;
  try {
    return parseMapping(await Deno.readTextFile(nameOrFile), nameOrFile);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const names = builtIn.map((mapping) => mapping.name).join(", ");
    throw new ImportFailure(`${nameOrFile} is neither a file nor a built-in mapping (${names}).`);
  }
}

function recognises(mapping: Mapping, format: OpenSource["format"], sample: readonly SourceRecord[]): boolean {
  const { recognise } = mapping;
  const first = sample[0];
  if (recognise === undefined || first === undefined) return false;
  if (recognise.format !== undefined && !recognise.format.includes(format)) return false;
  const has = (path: string) => sample.some((record) => valueAt(record, path) !== undefined);
  if (!(recognise.has ?? []).every((paths) => [paths].flat().some(has))) return false;
  const { only } = recognise;
  if (only !== undefined && sample.some((record) => Object.keys(record.values).some((key) => !only.includes(key)))) {
    return false;
  }
  return Object.entries(recognise.first ?? {}).every(([path, value]) => {
    const found = valueAt(first, path);
    return found === value || String(found) === String(value);
  });
}

/** The number of columns that a mapping requires. If several mappings match a file, the one with the most is used. */
function demand({ recognise }: Mapping): number {
  return (recognise?.has?.length ?? 0) + (recognise?.only === undefined ? 0 : 1) +
    10 * Object.keys(recognise?.first ?? {}).length;
}

/** The built-in mapping whose columns these are. */
export async function recognisedMapping(
  format: OpenSource["format"],
  sample: readonly SourceRecord[],
): Promise<Mapping> {
  const builtIn = await builtInMappings();
  const found = builtIn.filter((mapping) => recognises(mapping, format, sample)).sort((a, b) => demand(b) - demand(a));
  if (found[0] !== undefined) return found[0];
  const columns = [...new Set(sample.flatMap((record) => Object.keys(record.values)))];
  throw new ImportFailure([
    sample.length === 0
      ? "The file has no rows to recognise it by."
      : `No built-in mapping knows these columns: ${columns.slice(0, 40).join(", ")}.`,
    `Name one with --mapping: ${
      builtIn.map((mapping) => mapping.name).join(", ")
    }, or a JSON file (docs/operations/import.md).`,
  ].join("\n"));
}
