// The files of the stand-in stores' reports: gzip, zip, UTF-16, CSV.
import { crc32 } from "node:zlib";

export type Bytes = Uint8Array<ArrayBuffer>;

async function compressed(bytes: Bytes, format: "gzip" | "deflate-raw"): Promise<Bytes> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const gzip = (text: string) => compressed(new TextEncoder().encode(text), "gzip");

/** UTF-16LE with its byte order mark. */
export function utf16(text: string): Bytes {
  const bytes = new Uint8Array(2 + 2 * text.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, true);
  for (let n = 0; n < text.length; n++) view.setUint16(2 + 2 * n, text.charCodeAt(n), true);
  return bytes;
}

/** A zip file with one entry, whose sizes are written after it, as programs do that write a stream. */
export async function zip(name: string, text: string): Promise<Bytes> {
  const content = new TextEncoder().encode(text);
  const packed = await compressed(content, "deflate-raw");
  const encoded = new TextEncoder().encode(name);
  const bytes = new Uint8Array(30 + encoded.length + packed.length + 16 + 46 + encoded.length + 22);
  const view = new DataView(bytes.buffer);
  const sums = (at: number) =>
    [crc32(content), packed.length, content.length].forEach((n, i) => view.setUint32(at + 4 * i, n, true));
  view.setUint32(0, 0x04034b50, true);
  view.setUint16(4, 20, true);
  view.setUint16(6, 0x0808, true);
  view.setUint16(8, 8, true);
  view.setUint16(26, encoded.length, true);
  bytes.set(encoded, 30);
  bytes.set(packed, 30 + encoded.length);
  const after = 30 + encoded.length + packed.length;
  view.setUint32(after, 0x08074b50, true);
  sums(after + 4);
  const directory = after + 16;
  view.setUint32(directory, 0x02014b50, true);
  view.setUint16(directory + 4, 20, true);
  view.setUint16(directory + 6, 20, true);
  view.setUint16(directory + 8, 0x0808, true);
  view.setUint16(directory + 10, 8, true);
  sums(directory + 16);
  view.setUint16(directory + 28, encoded.length, true);
  bytes.set(encoded, directory + 46);
  const end = directory + 46 + encoded.length;
  view.setUint32(end, 0x06054b50, true);
  view.setUint16(end + 8, 1, true);
  view.setUint16(end + 10, 1, true);
  view.setUint32(end + 12, 46 + encoded.length, true);
  view.setUint32(end + 16, directory, true);
  return bytes;
}

/** Fields with commas between; those that have commas, quotes or line breaks are in quotes. */
export function csv(rows: readonly (readonly string[])[]): string {
  const field = (text: string) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return rows.map((row) => `${row.map(field).join(",")}\n`).join("");
}

/** The same rows without some columns. */
export function without(columns: ReadonlySet<string>, rows: readonly (readonly string[])[]): string[][] {
  const dropped = new Set((rows[0] ?? []).flatMap((name, place) => columns.has(name) ? [place] : []));
  return rows.map((row) => row.filter((_, place) => !dropped.has(place)));
}

/** Minor units as a decimal number, with commas between thousands where `grouped`. */
export function decimal(minor: number, digits: number, grouped = false): string {
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const units = text.slice(0, text.length - digits);
  const whole = grouped ? units.replaceAll(/\B(?=(\d{3})+$)/g, ",") : units;
  return `${minor < 0 ? "-" : ""}${whole}${digits === 0 ? "" : `.${text.slice(-digits)}`}`;
}
