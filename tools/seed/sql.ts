/** SQL text for values, with one row a line so that the seed is readable. */
export type Cell = string | number | boolean | null | undefined | readonly string[] | { readonly json: unknown };

export function literal(cell: Cell): string {
  if (cell === null || cell === undefined) return "null";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  if (typeof cell === "string") return `'${cell.replaceAll("'", "''")}'`;
  if ("json" in cell) return cell.json === null ? "null" : literal(JSON.stringify(cell.json));
  return literal(`{${cell.join(",")}}`);
}

function tuples(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `  (${row.map(literal).join(", ")})`).join(",\n");
}

export function insert(table: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return `insert into ${table} (\n  ${columns.join(", ")}\n) values\n${tuples(rows)};\n`;
}

/** What is inserted for rows that hang on lots: columns of the rows, with the types that text needs, and the join that it takes, if any. */
export interface Target {
  readonly table: string;
  /** Columns of each row after the first, which is the lot's external_id; the type is cast to, "" where none is needed. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns whose value is computed from the row. */
  readonly instead?: Readonly<Record<string, { readonly column: string; readonly value: string }>>;
  readonly join?: string;
}

export function insertForLots(target: Target, rows: readonly (readonly Cell[])[]): string {
  const { table, columns, instead = {}, join } = target;
  const names = Object.keys(columns);
  const into = names.map((name) => instead[name]?.column ?? name);
  const values = Object.entries(columns).map(([name, type]) =>
    instead[name]?.value ?? (type === "" ? `v.${name}` : `v.${name}::${type}`)
  );
  return [
    `insert into ${table} (parking_lot_id, ${into.join(", ")})`,
    `select l.id, ${values.join(", ")}`,
    "from (values",
    tuples(rows),
    `) as v (lot, ${names.join(", ")})`,
    `join public.parking_lots l on l.source = 'seed' and l.external_id = v.lot${join === undefined ? ";" : ""}`,
    ...(join === undefined ? [] : [`${join};`]),
    "",
  ].join("\n");
}
