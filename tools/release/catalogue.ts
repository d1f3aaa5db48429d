/**
 * Reads the catalogue of a database: the objects of the service, each with its name and properties. Reading rights are enough.
 *
 * Objects of the platform (schemas auth, storage and realtime, its roles, extensions) are not read, except what migrations do
 * to them: triggers, policies, buckets, jobs, queues, and grants in the schema extensions.
 */
import type { TransactionSql } from "postgres";
import { OBJECTS, OPTIONAL_OBJECTS, OWN } from "./catalogue_queries.ts";
import { isCompared, rowRule } from "./catalogue_rows.ts";

/** A list is a set: its order has no meaning. */
export type Value = string | number | boolean | null | readonly string[];

export interface CatalogueObject {
  /** The object that it is a part of. It is not compared when that one is missing or extra. */
  readonly parent: string | null;
  readonly properties: Readonly<Record<string, Value>>;
}

export interface Catalogue {
  /** By kind and name, for example `table public.codes`. */
  readonly objects: ReadonlyMap<string, CatalogueObject>;
  /** The tables whose rows were read. */
  readonly tables: readonly string[];
  /** Whether the database has the buckets of object storage. The local platform keeps them elsewhere. */
  readonly hasBuckets: boolean;
}

export interface CatalogueOptions {
  /** The tables whose rows are read; all tables with rows by default. */
  readonly tables?: readonly string[];
  /** Whether rows that administrators change are read too. False by default. */
  readonly withManagedRows?: boolean;
}

interface ObjectRow extends CatalogueObject {
  readonly name: string;
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[] | null;
}

const BUCKETS = "storage.buckets";

/** Definitions and rows are written in the same way on every server. A policy that would hide rows raises an error. */
const SETTINGS = {
  search_path: "",
  row_security: "off",
  timezone: "UTC",
  datestyle: "ISO, YMD",
  intervalstyle: "iso_8601",
  extra_float_digits: "1",
  bytea_output: "hex",
  quote_all_identifiers: "off",
};

/** Reads in a transaction of the caller, and changes its settings until it ends. */
export async function readCatalogue(sql: TransactionSql, options: CatalogueOptions = {}): Promise<Catalogue> {
  await sql`select set_config(s.key, s.value, true) from jsonb_each_text(${sql.json(SETTINGS)}) s`;
  const objects = new Map<string, CatalogueObject>();
  const add = async (query: string) => {
    for (const { name, parent, properties } of await sql.unsafe<ObjectRow[]>(query)) {
      objects.set(name, { parent, properties });
    }
  };
  for (const query of OBJECTS) await add(query);
  for (const [table, query] of Object.entries(OPTIONAL_OBJECTS)) if (await exists(sql, table)) await add(query);
  const tables: string[] = [];
  for (const table of await tablesOf(sql)) {
    if (!isCompared(table.name, options.withManagedRows ?? false)) continue;
    if (options.tables !== undefined && !options.tables.includes(table.name)) continue;
    const rows = await rowsOf(sql, table, options.withManagedRows ?? false);
    if (rows.length > 0) tables.push(table.name);
    for (const [name, properties] of rows) objects.set(name, { parent: `table ${table.name}`, properties });
  }
  return { objects, tables, hasBuckets: await exists(sql, BUCKETS) };
}

async function exists(sql: TransactionSql, table: string): Promise<boolean> {
  const [row] = await sql`select to_regclass(${table}) is not null as exists`;
  return row!["exists"];
}

/** Tables with the columns whose values are not new in each database, and their primary keys when those are such columns. */
async function tablesOf(sql: TransactionSql): Promise<Table[]> {
  return await sql.unsafe<Table[]>(`${OWN}
    select format('%I.%I', n.nspname, c.relname) as name, k.columns, k.key
    from own n join pg_class c on c.relnamespace = n.oid
    cross join lateral (
      select coalesce(array_agg(a.attname::text order by a.attnum) filter (where v.is_kept), '{}') as columns,
        case when bool_and(v.is_kept) filter (where a.attnum = any (i.indkey)) then
          array_agg(a.attname::text order by a.attnum) filter (where a.attnum = any (i.indkey)) end as key
      from pg_attribute a
      left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      cross join lateral (select
        a.attidentity = '' and a.attgenerated = ''
          and coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ '\\m(now|clock_timestamp|gen_random_uuid|nextval)\\(' as is_kept
      ) v
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) k
    where c.relkind = 'r' and not c.relispartition
    order by 1`);
}

async function rowsOf(
  sql: TransactionSql,
  { name, columns, key }: Table,
  withManagedRows: boolean,
): Promise<[string, Record<string, Value>][]> {
  const rule = rowRule(name, withManagedRows);
  const kept = rule.columns ?? columns.filter((column) => !rule.ignored?.includes(column));
  const fields = kept.map((column) => `${literal(column)}, (t.${identifier(column)})::text`).join(", ");
  const rows = await sql.unsafe<{ row: Record<string, string | null> }[]>(
    `select jsonb_build_object(${fields}) as row from ${name} t where ${rule.where ?? "true"}`,
  );
  const names = key?.every((column) => kept.includes(column)) ? key : kept;
  return rows.map(({ row }) => [
    `row of ${name} (${names.map((column) => `${column} ${row[column] ?? "null"}`).join(", ")})`,
    Object.fromEntries(Object.entries(row).filter(([column]) => !names.includes(column))),
  ]);
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
