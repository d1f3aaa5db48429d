import { type Encoding, firstBytes } from "../../../supabase/functions/_shared/import/reading/encoding.ts";
import { openText } from "../../../supabase/functions/_shared/import/reading/open.ts";
import type { OpenSource } from "../../../supabase/functions/_shared/import/reading/record.ts";
import { xlsxRecords } from "./xlsx.ts";

const CHUNK_BYTES = 1 << 18;

async function* chunksOf(path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path, { read: true });
  while (true) {
    const buffer = new Uint8Array(CHUNK_BYTES);
    const length = await file.read(buffer);
    if (length === null) return;
    yield buffer.subarray(0, length);
  }
}

/** Opens a file of any format. */
export async function openSource(path: string, encoding?: Encoding): Promise<OpenSource> {
  const chunks = () => chunksOf(path);
  if (String.fromCharCode(...await firstBytes(chunks, 4)) !== "PK\x03\x04") return openText(path, chunks, encoding);
  return { format: "xlsx", encoding: null, unit: "row", records: xlsxRecords(path) };
}
