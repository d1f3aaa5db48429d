import { readSheet } from "read-excel-file/universal";
import { ImportFailure } from "../../../supabase/functions/_shared/import/failure.ts";
import { type Row, tableRecords } from "../../../supabase/functions/_shared/import/reading/csv.ts";
import type { Read } from "../../../supabase/functions/_shared/import/reading/record.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST_DAY = Date.UTC(1899, 11, 30);

/** A cell as the text that the same table would have in CSV. A time is kept by spreadsheets as a fraction of their day zero. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (!(cell instanceof Date)) return String(cell);
  const minutes = Math.round((cell.getTime() - FIRST_DAY) / 60000);
  if (minutes > DAY_MS / 60000) return cell.toISOString().slice(0, 10);
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** The first sheet of a workbook; its first row that is not empty is the header. */
export async function* xlsxRecords(path: string): AsyncGenerator<Read> {
  const bytes = await Deno.readFile(path);
  const sheet = await readSheet(bytes.buffer).catch((cause: unknown) => {
    throw new ImportFailure(`The file is no whole xlsx workbook: ${String(cause)}`, { cause });
  });
  const rows: Row[] = sheet.map((cells, index) => ({ line: index + 1, fields: cells.map(cellText) }));
  yield* tableRecords(rows);
}
