// The change that a role receives: the columns that it may select, and their values as JSON.
import type { AccessQuery, Answer } from "./access_query.ts";
import type { Table } from "./database.ts";
import type { Change } from "./types.ts";
import { jsonOf, NOT_PLAIN, parseJson } from "./values.ts";
import type { RowChange, Values } from "./wal.ts";

/** Of a larger change only the small values are sent, as hosted. */
const MAX_CHANGE_BYTES = 1024 * 1024;
const SMALL_BYTES = 64;

interface Cell {
  readonly name: string;
  readonly value: unknown;
  /** The value as JSON text, if Postgres has to convert it. */
  readonly converted?: Answer;
}

export interface Row {
  readonly change: RowChange;
  /** Undefined when there is no new row. */
  readonly record: readonly Cell[] | undefined;
  readonly old: readonly Cell[] | undefined;
}

/** The values of the columns that the table still has. Adds to the query those that Postgres has to convert. */
export function rowOf(change: RowChange, table: Table, query: AccessQuery): Row {
  const bases = new Map(table.columns.map(([name, , type, base]) => [`${type} ${name}`, base]));
  const isTooLarge = change.size > MAX_CHANGE_BYTES;
  const cellsOf = (values: Values | undefined) =>
    values && change.relation.columns.flatMap(({ name, type }, index): Cell[] => {
      const base = bases.get(`${type} ${name}`);
      const text = values[index];
      if (base === undefined || text === undefined) return [];
      if (text === null) return [{ name, value: null }];
      if (isTooLarge && bytesOf(JSON.stringify(text)) > SMALL_BYTES) return [];
      const value = jsonOf(text, base);
      return [value === NOT_PLAIN ? { name, value, converted: query.convert(base, text) } : { name, value }];
    });
  return { change, record: cellsOf(change.row), old: cellsOf(change.old) };
}

export function payloadOf({ change, record, old }: Row, table: Table, role: string): Change {
  const readable = new Set(table.readable[role] ?? []);
  // A delete was not checked against the policies: of a table with row-level security only its key is sent.
  const isKeyOnly = change.type === "DELETE" && table.secured;
  const objectOf = (cells: readonly Cell[], isSent: (name: string) => boolean) =>
    Object.fromEntries(cells.flatMap(({ name, value, converted }) => {
      if (!isSent(name)) return [];
      if (converted === undefined) return [[name, value]];
      const json = converted();
      return typeof json === "string" ? [[name, parseJson(json)]] : [];
    }));
  return {
    schema: table.schema,
    table: table.table,
    type: change.type,
    commit_timestamp: change.transaction.time,
    columns: table.columns.filter(([name]) => readable.has(name)).map(([name, type]) => ({ name, type })),
    ...(record && { record: objectOf(record, (name) => readable.has(name)) }),
    ...(old && {
      old_record: objectOf(old, (name) => readable.has(name) && (!isKeyOnly || table.key.includes(name))),
    }),
    errors: change.size > MAX_CHANGE_BYTES ? ["Error 413: Payload Too Large"] : null,
  };
}

/** The change for a role that may not read the rows of the table. */
export function errorChange({ type }: RowChange, { schema, table }: Table, error: string): Change {
  return {
    schema,
    table,
    type,
    commit_timestamp: null,
    columns: [],
    record: {},
    // Old clients (supabase-js 2.39) fail on an UPDATE without it.
    ...(type === "UPDATE" ? { old_record: {} } : {}),
    errors: [error],
  };
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
