// What a role is told of a change: the columns that it may select, and their values as JSON.
import type { Table } from "./look.ts";
import type { Change } from "./types.ts";
import { jsonOf, parsed, UNKNOWN } from "./values.ts";
import type { RowChange, Values } from "./wal.ts";

/** A change larger than this keeps only its small values. */
const LARGEST = 1024 * 1024;
const SMALL = 64;
/** A byte of text takes this much of JSON at most. */
const WIDEST = 6;

interface Cell {
  readonly name: string;
  /** The base type of its column. */
  readonly type: number;
  readonly text: string | null;
  readonly value: unknown;
}

export interface Row {
  readonly change: RowChange;
  /** Undefined when there is no new row. */
  readonly record: readonly Cell[] | undefined;
  readonly old: readonly Cell[] | undefined;
}

/** The values of a change that can be told: of columns that the table still has, and as it has them. */
export function rowOf(change: RowChange, table: Table): Row {
  const bases = new Map(table.columns.map(([name, , type, base]) => [`${type} ${name}`, base]));
  const cells = (values: Values | undefined) =>
    values && change.relation.columns.flatMap(({ name, type }, index): Cell[] => {
      const base = bases.get(`${type} ${name}`);
      const text = values[index];
      if (base === undefined || text === undefined) return [];
      if (text === null) return [{ name, type: base, text, value: null }];
      // What will be left out is not read first.
      if (change.size > LARGEST && text.length > SMALL * WIDEST) return [];
      return [{ name, type: base, text, value: jsonOf(text, base) }];
    });
  return { change, record: cells(change.row), old: cells(change.old) };
}

/** What Postgres has to be asked for. */
export function* unknownTexts({ record, old }: Row): Iterable<[number, string]> {
  for (const { type, text, value } of [...record ?? [], ...old ?? []]) {
    if (value === UNKNOWN && text !== null) yield [type, text];
  }
}

/** `converted`: the JSON of a value that Postgres was asked for; undefined when it did not know it either. */
export function payloadOf(
  row: Row,
  table: Table,
  role: string,
  select: readonly string[] | undefined,
  converted: (type: number, text: string) => string | undefined,
): Change {
  const { change, record, old } = row;
  const readable = new Set(table.readable[role] ?? []);
  const key = new Set(table.key);
  const chosen = (name: string) => readable.has(name) && (!select || select.includes(name) || key.has(name));
  const isTooLarge = sizeOf(row) > LARGEST;
  const tell = (cells: readonly Cell[], isTold: (name: string) => boolean) =>
    Object.fromEntries(cells.flatMap((cell) => {
      if (!isTold(cell.name)) return [];
      let { value } = cell;
      if (value === UNKNOWN) {
        const json = converted(cell.type, cell.text!);
        if (json === undefined) return [];
        value = parsed(json);
      }
      return isTooLarge && bytesOf(value) > SMALL ? [] : [[cell.name, value]];
    }));

  // A delete was not checked against any policy: of a table with row security only its key is told.
  const isOldTold = change.type === "DELETE" && table.secured
    ? (name: string) => chosen(name) && key.has(name)
    : chosen;
  return {
    schema: table.schema,
    table: table.table,
    type: change.type,
    commit_timestamp: change.transaction.time,
    columns: table.columns.filter(([name]) => chosen(name)).map(([name, type]) => ({ name, type })),
    ...(record && { record: tell(record, chosen) }),
    ...(old && { old_record: tell(old, isOldTold) }),
    errors: isTooLarge ? ["Error 413: Payload Too Large"] : null,
  };
}

function sizeOf({ change, record, old }: Row): number {
  if (change.size > LARGEST || change.size * WIDEST < LARGEST) return change.size;
  return [...record ?? [], ...old ?? []].reduce((size, { text }) => size + bytesOf(text), 0);
}

const encoder = new TextEncoder();

function bytesOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
