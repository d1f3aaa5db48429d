// Reads the messages of pgoutput, protocol version 1. Values stay the text that Postgres wrote.

/** Postgres counts from 2000. */
const EPOCH = BigInt(Date.UTC(2000, 0, 1));

export interface RelationColumn {
  readonly name: string;
  /** The oid of its type. */
  readonly type: number;
  /** Whether it belongs to the replica identity. */
  readonly identity: boolean;
}

export interface Relation {
  readonly table: number;
  readonly columns: readonly RelationColumn[];
  /** By name, where a column is in `columns`. */
  readonly positions: ReadonlyMap<string, number>;
}

/** By column; undefined if the log does not have the value (a large value that did not change). */
export type Values = readonly (string | null | undefined)[];

export interface Transaction {
  /** The lower half of its number. */
  readonly xid: number;
  /** When it was committed: UTC, with milliseconds. */
  readonly time: string;
}

export interface RowChange {
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly relation: Relation;
  readonly transaction: Transaction;
  /** The new row. */
  readonly row?: Values;
  /** The columns of the replica identity, as they were; undefined for other columns. */
  readonly old?: Values;
  /** Bytes in the log. */
  readonly size: number;
}

const decoder = new TextDecoder();

export class WalReader {
  readonly #relations = new Map<number, Relation>();
  #transaction: Transaction | undefined;

  /** `onBegin` is called for each transaction, before its rows. */
  constructor(readonly onBegin: (xid: number) => void) {}

  /** A row change, or the place in the log after a commit. */
  read(message: Uint8Array): RowChange | bigint | undefined {
    const reader = new Reader(message);
    switch (reader.letter()) {
      case "B":
        reader.skip(8);
        this.#transaction = { time: timeOf(reader.int64()), xid: reader.int32() };
        this.onBegin(this.#transaction.xid);
        return undefined;
      case "C":
        reader.skip(1 + 8);
        this.#transaction = undefined;
        return reader.int64();
      case "R":
        this.#relation(reader);
        return undefined;
      case "I":
      case "U":
      case "D":
        return this.#row(message, reader);
      default:
        return undefined; // truncations, types and origins are not sent
    }
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  #relation(reader: Reader): void {
    const table = reader.int32();
    reader.string();
    reader.string();
    reader.skip(1);
    const columns = Array.from({ length: reader.int16() }, () => {
      const identity = reader.byte() === 1;
      const name = reader.string();
      const type = reader.int32();
      reader.skip(4);
      return { name, type, identity };
    });
    const positions = new Map(columns.map(({ name }, position) => [name, position]));
    this.#relations.set(table, { table, columns, positions });
  }

  #row(message: Uint8Array, reader: Reader): RowChange | undefined {
    const type = ({ I: "INSERT", U: "UPDATE", D: "DELETE" } as const)[String.fromCharCode(message[0]!)]!;
    const table = reader.int32();
    const relation = this.#relations.get(table);
    if (relation === undefined || this.#transaction === undefined) {
      throw new Error("The log has a row of an unknown table.");
    }
    const base = { type, relation, transaction: this.#transaction, size: message.length };
    let kind = reader.letter();
    let old: Values | undefined;
    if (kind === "K" || kind === "O") {
      const values = reader.values();
      old = relation.columns.map(({ identity }, index) => identity ? values[index] : undefined);
      if (type === "DELETE") return { ...base, old };
      kind = reader.letter();
    }
    if (kind !== "N") throw new Error(`The log has a row of an unknown kind: ${kind}`);
    // A large value that did not change is in the old row, if the whole old row is logged.
    const row = reader.values().map((value, index) => value === undefined ? old?.[index] : value);
    if (type === "INSERT") return { ...base, row };
    // An update that does not change the key has no old row.
    old ??= relation.columns.map(({ identity }, index) => identity ? row[index] : undefined);
    return { ...base, row, old };
  }
}

/** The value that filters see: of the new row, or of what is left of a deleted one. */
export function valueOf({ relation, row, old }: RowChange, column: string): string | null | undefined {
  return (row ?? old)?.[relation.positions.get(column) ?? -1];
}

class Reader {
  #at = 0;
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  skip(count: number): void {
    this.#at += count;
  }

  byte(): number {
    return this.#view.getUint8(this.#at++);
  }

  letter(): string {
    return String.fromCharCode(this.byte());
  }

  int16(): number {
    this.#at += 2;
    return this.#view.getInt16(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4);
  }

  int64(): bigint {
    this.#at += 8;
    return this.#view.getBigInt64(this.#at - 8);
  }

  string(): string {
    const end = this.bytes.indexOf(0, this.#at);
    const text = decoder.decode(this.bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }

  values(): (string | null | undefined)[] {
    return Array.from({ length: this.int16() }, () => {
      const kind = this.letter();
      if (kind === "n") return null;
      if (kind === "u") return undefined;
      const length = this.int32();
      this.#at += length;
      return decoder.decode(this.bytes.subarray(this.#at - length, this.#at));
    });
  }
}

function timeOf(microseconds: bigint): string {
  return new Date(Number(EPOCH + microseconds / 1000n)).toISOString();
}
