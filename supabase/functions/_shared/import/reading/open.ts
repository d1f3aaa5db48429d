import { ImportFailure } from "../failure.ts";
import { csvRecords } from "./csv.ts";
import { type Chunks, detectEncoding, type Encoding, firstBytes, textOf } from "./encoding.ts";
import { geojsonRecords, LISTS, ndjsonRecords } from "./json.ts";
import type { OpenSource } from "./record.ts";

const LINES = /\.(ndjson|jsonl|geojsonl|geojsons)$/i;
const TABLE = /\.(csv|tsv|txt)$/i;

/** Other kinds of files, recognised by their first bytes. */
const UNREADABLE: readonly (readonly [readonly number[], string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], "This is an Excel workbook or a zip file; save its table as CSV."],
  [[0xd0, 0xcf, 0x11, 0xe0], "This is an old Excel file (.xls); save it as .xlsx or CSV."],
  [[0x1f, 0x8b], "This file is compressed (gzip); unpack it first."],
  [[0x25, 0x50, 0x44, 0x46], "This is a PDF."],
];

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

async function formatOf(name: string, chunks: Chunks, encoding: Encoding): Promise<"csv" | "geojson" | "ndjson"> {
  let start = "";
  for await (const chunk of textOf(chunks, encoding)) {
    start = chunk.trimStart();
    break;
  }
  rejectTags(start);
  if (LINES.test(name)) return "ndjson";
  if (TABLE.test(name)) return "csv";
  if (start.startsWith("\x1e")) return "ndjson";
  if (!start.startsWith("{") && !start.startsWith("[")) return "csv";
  return start.startsWith("{") && isCompleteObject(start.split("\n", 1)[0] ?? "") ? "ndjson" : "geojson";
}

/** Opens a file of text by what is in it, and by its name where the content allows several readings. */
export async function openText(name: string, chunks: Chunks, encoding?: Encoding): Promise<OpenSource> {
  const start = await firstBytes(chunks, 4);
  if (start.length === 0) throw new ImportFailure("The file is empty.");
  for (const [magic, message] of UNREADABLE) {
    if (magic.every((byte, index) => start[index] === byte)) throw new ImportFailure(message);
  }
  const known = encoding ?? await detectEncoding(chunks);
  const format = await formatOf(name, chunks, known);
  const text = textOf(chunks, known);
  if (format === "csv") return { format, encoding: known, unit: "line", records: csvRecords(text) };
  if (format === "ndjson") return { format, encoding: known, unit: "line", records: ndjsonRecords(text) };
  return { format, encoding: known, unit: "feature", records: geojsonRecords(text) };
}
