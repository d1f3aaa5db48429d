/** Files of store reports: gzip, zip, CSV, tab-separated text, UTF-8 and UTF-16, and their number formats. */
import { Refused } from "./calls/errors.ts";
import { bytesOf } from "./calls/request.ts";

/** Maximum size of a file, and of what is unpacked from it. */
export const MAX_BYTES = 64 * 1024 * 1024;

export type Bytes = Uint8Array<ArrayBuffer>;

async function inflate(packed: Bytes, format: "gzip" | "deflate-raw"): Promise<Bytes> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream(format));
  const bytes = await bytesOf(new Response(stream), MAX_BYTES).catch(() => {
    throw new Refused("unreadable", "A compressed report is damaged.");
  });
  if (bytes === null) throw new Refused("unreadable", "A compressed report is larger than 64 MiB.");
  return bytes;
}

/** The text of a gzip file. A file that HTTP has already decompressed is returned unchanged. */
export async function gunzipped(bytes: Bytes): Promise<string> {
  return decoded(bytes[0] === 0x1f && bytes[1] === 0x8b ? await inflate(bytes, "gzip") : bytes);
}

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;

/** The entries of a zip file, from its central directory. Encryption and ZIP64 are not supported. */
export async function unzipped(bytes: Bytes): Promise<{ name: string; bytes: Bytes }[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    let end = bytes.length - END_BYTES;
    const earliest = Math.max(0, end - MAX_COMMENT_BYTES);
    while (end > earliest && view.getUint32(end, true) !== END_SIGNATURE) end--;
    if (view.getUint32(end, true) !== END_SIGNATURE) throw new RangeError("no directory");
    const entries: { name: string; bytes: Bytes }[] = [];
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; left--) {
      if (view.getUint32(at, true) !== ENTRY_SIGNATURE) throw new RangeError("no entry");
      const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
      const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
      const local = view.getUint32(at + 42, true);
      const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      if (begin + packed > bytes.length) throw new RangeError("cut off");
      const method = view.getUint16(at + 10, true);
      const content = bytes.slice(begin, begin + packed);
      if (method !== 0 && method !== 8) throw new RangeError("unknown method");
      const unpacked = method === 8 ? await inflate(content, "deflate-raw") : content;
      if (unpacked.length !== size) throw new RangeError("wrong size");
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength!));
      entries.push({ name, bytes: unpacked });
      at += 46 + nameLength! + extra! + comment!;
    }
    return entries;
  } catch (error) {
    if (error instanceof RangeError) throw new Refused("unreadable", "A zip file is damaged.");
    throw error;
  }
}

/** UTF-16 with a byte order mark, or UTF-8 with or without one. */
export function decoded(bytes: Bytes): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe
    ? "utf-16le"
    : bytes[0] === 0xfe && bytes[1] === 0xff
    ? "utf-16be"
    : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("unreadable", `A report is not ${encoding} text.`);
  }
}

/** Tab-separated lines without quoting. */
export function tabbed(text: string): string[][] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "").map((line) => line.split("\t"));
}

/** Comma-separated lines. Quoted fields can contain commas, line breaks and doubled quotes. */
export function commaSeparated(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const fields = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (fields.lastIndex < text.length) {
    const field = fields.exec(text);
    if (field === null) throw new Refused("unreadable", `Line ${rows.length + 1} of a report is not CSV.`);
    row.push(field[1] === undefined ? field[2]! : field[1].replaceAll('""', '"'));
    if (field[3] === ",") {
      // A comma at the end of the file is followed by an empty field.
      if (fields.lastIndex === text.length) row.push("");
      else continue;
    }
    if (row.some((value) => value !== "")) rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** The rows of a report by column name. A column can have several names, of which the report uses one. */
export class Table<Column extends string> {
  readonly rows: readonly ReadonlyMap<Column, string>[];

  constructor(
    report: string,
    lines: readonly (readonly string[])[],
    columns: Readonly<Record<Column, readonly string[]>>,
  ) {
    const header = (lines[0] ?? []).map((name) => name.trim());
    const places = (Object.entries(columns) as [Column, readonly string[]][]).map(([column, names]) => {
      const place = header.findIndex((name) => names.includes(name));
      if (place < 0) {
        throw new Refused(
          "column_missing",
          `${report} has no column ${names.map((name) => `"${name}"`).join(" or ")}.`,
        );
      }
      return [column, place] as const;
    });
    this.rows = lines.slice(1).map((fields, n) => {
      if (fields.length < header.length) {
        throw new Refused(
          "unreadable",
          `Row ${n + 1} of ${report} has ${fields.length} fields, not ${header.length}.`,
        );
      }
      return new Map(places.map(([column, place]) => [column, fields[place]!.trim()]));
    });
  }
}

/** Number of decimal places in calculations. */
const PLACES = 6;
const UNIT = 10n ** BigInt(PLACES);

/** Parses a decimal number in millionths. Thousands separators are ignored. */
export function millionths(text: string): bigint {
  const found = /^(-?)(\d[\d,]*)?(?:\.(\d+))?$/.exec(text.trim());
  const decimals = found?.[3] ?? "";
  if (found === null || (found[2] === undefined && decimals === "") || /[1-9]/.test(decimals.slice(PLACES))) {
    throw new Refused("unreadable", `"${text.slice(0, 40)}" is not an amount.`);
  }
  const value = BigInt((found[2] ?? "0").replaceAll(",", "")) * UNIT +
    BigInt(decimals.slice(0, PLACES).padEnd(PLACES, "0"));
  return found[1] === "-" ? -value : value;
}

/** Parses a whole number. */
export function whole(text: string): number {
  const value = millionths(text);
  if (value % UNIT !== 0n) throw new Refused("unreadable", `"${text.slice(0, 40)}" is not a whole number.`);
  return Number(value / UNIT);
}

export const absolute = (value: bigint) => value < 0n ? -value : value;

/** ISO 4217 currencies whose minor unit is not a hundredth. */
const DIGITS: Readonly<Record<string, number>> = Object.fromEntries([
  ..."BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF XXX".split(" ").map((code) => [code, 0]),
  ..."BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3]),
]);

/** Converts millionths of a currency to its minor unit, rounded half away from zero. */
export function minorUnits(value: bigint, currency: string): number {
  const unit = 10n ** BigInt(PLACES - (DIGITS[currency] ?? 2));
  const rounded = (absolute(value) * 2n + unit) / (unit * 2n);
  return Number(value < 0n ? -rounded : rounded);
}

/** Sums of a report for one product, country and currency. */
export class SalesSums {
  readonly #sums = new Map<string, {
    readonly key: SalesKey;
    title: string | null;
    units: number;
    refundUnits: number;
    amount: bigint;
    refund: bigint;
    proceeds: bigint | null;
  }>();

  /** Refunds have negative units. `amount` and `proceeds` are signed totals. */
  add(
    key: SalesKey,
    { title, units, isRefund, amount, proceeds }: {
      readonly title: string | null;
      readonly units: number;
      readonly isRefund: boolean;
      readonly amount: bigint;
      readonly proceeds: bigint | null;
    },
  ): void {
    const id = JSON.stringify([key.sku, key.product_type, key.country, key.currency, key.proceeds_currency]);
    const sum = this.#sums.get(id) ??
      { key, title, units: 0, refundUnits: 0, amount: 0n, refund: 0n, proceeds: proceeds === null ? null : 0n };
    this.#sums.set(id, sum);
    sum.title = title;
    sum.units += units;
    sum.amount += amount;
    if (proceeds !== null) sum.proceeds = (sum.proceeds ?? 0n) + proceeds;
    if (isRefund) {
      sum.refundUnits -= units;
      sum.refund -= amount;
    }
  }

  rows() {
    return [...this.#sums.values()].map(({ key, title, units, refundUnits, amount, refund, proceeds }) => ({
      ...key,
      title,
      units,
      refund_units: refundUnits,
      amount_minor: minorUnits(amount, key.currency),
      refund_minor: minorUnits(refund, key.currency),
      proceeds_minor: proceeds === null ? null : minorUnits(proceeds, key.proceeds_currency),
    }));
  }
}

export interface SalesKey {
  readonly sku: string;
  readonly product_type: string;
  readonly country: string;
  readonly currency: string;
  readonly proceeds_currency: string;
}

/** A code of this many capital letters. Returns `unknown` if the report leaves it empty. */
export function codeOf(text: string, letters: 2 | 3, unknown: string): string {
  const code = text.toUpperCase() || unknown;
  if (!/^[A-Z]+$/.test(code) || code.length !== letters) {
    throw new Refused("unreadable", `"${text.slice(0, 40)}" is not a code of ${letters} letters.`);
  }
  return code;
}
