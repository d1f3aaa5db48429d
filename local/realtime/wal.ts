// Reads the messages of pgoutput, protocol version 1. Values stay the text that Postgres wrote.
import type { Buffer } from "node:buffer";

/** Postgres counts from 2000. */
const EPOCH = BigInt(Date.UTC(2000, 0, 1));
/** A larger change is sent without its large values, as hosted. */
const MAX_CHANGE_BYTES = 1024 * 1024;

interface Column {
  readonly name: string;
  /** The oid of its type. */
  readonly type: number;
  /** Whether it belongs to the replica identity. */
  readonly identity: boolean;
}

/** Name, type and text of each column that the log has. A large value that did not change is absent. */
export type Values = readonly (readonly [name: string, type: number, text: string | null])[];

interface Transaction {
  /** The lower half of its number. */
  readonly xid: number;
  /** When it was committed: UTC, with milliseconds. */
  readonly time: string;
}

export interface RowChange extends Transaction {
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  /** The table's oid. */
  readonly table: number;
  readonly is_large: boolean;
  /** The new row. */
  readonly row?: Values;
  /** The columns of the replica identity, as they were. */
  readonly old?: Values;
}

type Texts = readonly (string | null | undefined)[];

export class WalReader {
  readonly #tables = new Map<number, readonly Column[]>();
  #transaction: Transaction | undefined;

  /** `onBegin` is called for each transaction, before its rows. */
  constructor(readonly onBegin: (xid: number) => void) {}

  read(message: Buffer): RowChange | undefined {
    const reader = new Reader(message);
    const kind = reader.letter();
    if (kind === "B") {
      reader.skip(8);
      this.#transaction = { time: timeOf(reader.int64()), xid: reader.int32() };
      this.onBegin(this.#transaction.xid);
    } else if (kind === "R") this.#describe(reader);
    else if (kind === "I") return this.#row("INSERT", reader, message.length);
    else if (kind === "U") return this.#row("UPDATE", reader, message.length);
    else if (kind === "D") return this.#row("DELETE", reader, message.length);
    return undefined; // commits, truncations, types and origins are not sent
  }

  #describe(reader: Reader): void {
    const table = reader.int32();
    reader.string();
    reader.string();
    reader.skip(1);
    this.#tables.set(
      table,
      Array.from({ length: reader.int16() }, () => {
        const column = { identity: reader.byte() === 1, name: reader.string(), type: reader.int32() };
        reader.skip(4);
        return column;
      }),
    );
  }

  #row(type: RowChange["type"], reader: Reader, bytes: number): RowChange {
    const table = reader.int32();
    const columns = this.#tables.get(table);
    if (columns === undefined || this.#transaction === undefined) {
      throw new Error("The log has a row of an unknown table.");
    }
    const change = { ...this.#transaction, type, table, is_large: bytes > MAX_CHANGE_BYTES };
    const valuesOf = (texts: Texts): Values =>
      columns.flatMap(({ name, type }, index) =>
        texts[index] === undefined ? [] : [[name, type, texts[index]] as const]
      );
    const identityOf = (texts: Texts) => texts.map((text, index) => columns[index]!.identity ? text : undefined);
    const kind = reader.letter();
    const old = kind === "N" ? undefined : identityOf(reader.texts());
    if (type === "DELETE") return { ...change, old: valuesOf(old!) };
    if (old !== undefined) reader.skip(1);
    // A large value that did not change is in the old row, if the whole old row is logged.
    const row = reader.texts().map((text, index) => text === undefined ? old?.[index] : text);
    if (type === "INSERT") return { ...change, row: valuesOf(row) };
    // An update that does not change the key has no old row.
    return { ...change, row: valuesOf(row), old: valuesOf(old ?? identityOf(row)) };
  }
}

class Reader {
  #at = 0;

  constructor(readonly bytes: Buffer) {}

  /** Where the next part begins. */
  skip(count: number): number {
    this.#at += count;
    return this.#at - count;
  }

  byte(): number {
    return this.bytes.readUInt8(this.skip(1));
  }

  letter(): string {
    return String.fromCharCode(this.byte());
  }

  int16(): number {
    return this.bytes.readInt16BE(this.skip(2));
  }

  int32(): number {
    return this.bytes.readUInt32BE(this.skip(4));
  }

  int64(): bigint {
    return this.bytes.readBigInt64BE(this.skip(8));
  }

  text(length: number): string {
    const from = this.skip(length);
    return this.bytes.toString("utf8", from, from + length);
  }

  /** Up to a zero. */
  string(): string {
    const text = this.text(this.bytes.indexOf(0, this.#at) - this.#at);
    this.skip(1);
    return text;
  }

  texts(): Texts {
    return Array.from({ length: this.int16() }, () => {
      const kind = this.letter();
      return kind === "n" ? null : kind === "u" ? undefined : this.text(this.int32());
    });
  }
}

function timeOf(microseconds: bigint): string {
  return new Date(Number(EPOCH + microseconds / 1000n)).toISOString();
}
