/**
 * Schemas of columns. Their bounds are those of the database's constraints, generated into db/columns.ts. Pattern, codes
 * and relations are not among them.
 */
import { z } from "zod";
import { text } from "./values.ts";

/** A column as it is generated. */
interface Bounds {
  readonly type: string;
  readonly null: boolean;
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly values?: readonly string[];
}

type NotNull<Column extends Bounds> = Column extends { readonly values: infer Values extends readonly string[] }
  ? z.ZodEnum<{ [Value in Values[number]]: Value }>
  : Column["type"] extends "text" ? z.ZodString
  : Column["type"] extends "smallint" | "integer" | "bigint" ? z.ZodInt
  : z.ZodNumber;

type ColumnSchema<Column extends Bounds> = Column["null"] extends true ? z.ZodNullable<NotNull<Column>>
  : NotNull<Column>;

const INTEGER = 2_147_483_647;

function schemaOf({ type, min, above, max, minLength, maxLength, values }: Bounds): z.ZodType {
  if (values !== undefined) return z.enum(values);
  if (type === "text") return maxLength === undefined ? z.string() : text(minLength ?? 0, maxLength);
  if (type === "integer") return z.int().min(min ?? -INTEGER - 1).max(max ?? INTEGER);
  let number = z.number();
  if (min !== undefined) number = number.min(min);
  if (above !== undefined) number = number.gt(above);
  return max === undefined ? number : number.max(max);
}

/** The schema of a column: `column(user_vehicles.nickname)`. Null is a value if the column is nullable. */
export function column<const Column extends Bounds>(bounds: Column): ColumnSchema<Column> {
  const schema = schemaOf(bounds);
  return (bounds.null ? schema.nullable() : schema) as ColumnSchema<Column>;
}

/** The schemas of columns in a response, which has no bounds: `storedColumns(user_vehicles, ["nickname"])`. */
export function storedColumns<Table extends Readonly<Record<string, Bounds>>, Name extends keyof Table & string>(
  table: Table,
  names: readonly Name[],
): { [Column in Name]: ColumnSchema<Table[Column]> } {
  return Object.fromEntries(names.map((name) => {
    const { type, null: isNullable } = table[name]!;
    const schema = type === "text" ? z.string() : type === "integer" ? z.int() : z.number();
    return [name, isNullable ? schema.nullable() : schema];
  })) as { [Column in Name]: ColumnSchema<Table[Column]> };
}

/** The schema of a text that the database trims, and stores as null when nothing is left. */
export function blankableColumn(bounds: Bounds & { readonly maxLength: number }): z.ZodNullable<z.ZodString> {
  return text(0, bounds.maxLength).nullable();
}
