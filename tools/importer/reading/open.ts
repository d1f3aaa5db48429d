import { ImportFailure } from "../../../supabase/functions/_shared/import/failure.ts";
import { csvRecords } from "./csv.ts";
import { geojsonRecords, LISTS, ndjsonRecords } from "./json.ts";
import type { OpenSource } from "./record.ts";
import type { Encoding } from "../../../supabase/functions/_shared/import/definition.ts";
import { detectEncoding, firstBytes, textOf } from "./text.ts";
import { xlsxRecords } from "./xlsx.ts";

const LINES = /\.(ndjson|jsonl|geojsonl|geojsons)$/i;
const TABLE = /\.(csv|tsv|txt)$/i;

/** Other kinds of files, recognised by their first bytes. */
const UNREADABLE: readonly (readonly [readonly number[], string])[] = [
  [[0xd0, 0xcf, 0x11, 0xe0], "This is an old Excel file (.xls); save it as .xlsx or CSV."],
  [[0x1f, 0x8b], "This file is compressed (gzip); unpack it first."],
  [[0x25, 0x50, 0x44, 0x46], "This is a PDF."],
];

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

/** How a web page or another document in tags begins, after comments. */
const TAGS = /^\s*(?:<!--[\s\S]*?-->\s*)*<(?:(!doctype\s+html|html|head|body|meta|title|script)\b|\?xml\b)/i;

function rejectTags(start: string): void {
  const found = start.match(TAGS);
  if (found === null) return;
  throw new ImportFailure(
    found[1] === undefined
      ? "This is XML, which the importer does not read; convert it to GeoJSON or CSV."
      : "This is a web page (HTML), not data. The address leads to a page: open it in a browser and download the file there.",
  );
}

function isCompleteObject(line: string): boolean {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null &&
      !["features", ...LISTS].some((name) => Array.isArray(value[name]));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

async function formatOf(path: string, encoding: Encoding): Promise<"csv" | "geojson" | "ndjson"> {
  let start = "";
  for await (const chunk of textOf(path, encoding)) {
    start = chunk.trimStart();
    break;
  }
  rejectTags(start);
  if (LINES.test(path)) return "ndjson";
  if (TABLE.test(path)) return "csv";
  if (start.startsWith("\x1e")) return "ndjson";
  if (!start.startsWith("{") && !start.startsWith("[")) return "csv";
  return start.startsWith("{") && isCompleteObject(start.split("\n", 1)[0] ?? "") ? "ndjson" : "geojson";
}

/** Opens a file by what is in it, and by its name where the content allows several readings. */
export async function openSource(path: string, encoding?: Encoding): Promise<OpenSource> {
  const start = await firstBytes(path, 4);
  if (start.length === 0) throw new ImportFailure("The file is empty.");
  if (startsWith(start, [0x50, 0x4b, 0x03, 0x04])) {
    return { format: "xlsx", encoding: null, unit: "row", records: xlsxRecords(path) };
  }
  for (const [magic, message] of UNREADABLE) {
    if (startsWith(start, magic)) throw new ImportFailure(message);
  }
  const known = encoding ?? await detectEncoding(path);
  const format = await formatOf(path, known);
  const text = textOf(path, known);
  if (format === "csv") return { format, encoding: known, unit: "line", records: csvRecords(text) };
  if (format === "ndjson") return { format, encoding: known, unit: "line", records: ndjsonRecords(text) };
  return { format, encoding: known, unit: "feature", records: geojsonRecords(text) };
}
