import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TransactionSql } from "postgres";
import type { LotField } from "../../../supabase/functions/_shared/import/definition.ts";
import type { Lot } from "../../../supabase/functions/_shared/import/lot.ts";

/** What every lot has of its source; where the file is silent, a lot keeps what it has. */
const OF_SOURCE: readonly string[] = ["licence", "attribution", "source_url", "area"];
/** Few, because others may wait for one of these lots; not fewer, because each transaction has its own cost. */
const MAX_LOTS = 1_000;
const MAX_CHARACTERS = 1 << 24;

export interface Provenance {
  readonly source: string;
  readonly licence: string | null;
  readonly attribution: string | null;
  readonly source_url: string | null;
}

/** What of parking_lots an import writes. Columns that are not here keep what they hold. */
export interface Written {
  readonly fields: readonly LotField[];
  readonly withOperator: boolean;
}

export function columnsOf({ fields, withOperator }: Written): string[] {
  return ["external_id", ...OF_SOURCE, ...(withOperator ? ["operator_code"] : []), ...fields];
}

/** A value in the text format of COPY. */
function cell(value: string | number | null): string {
  if (value === null) return "\\N";
  if (typeof value === "number") return String(value);
  return value.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

/** Lots that one transaction writes. */
export class Batch {
  readonly #lines: string[] = [];
  #characters = 0;
  hasTags = false;
  hasWindows = false;
  hasPricing = false;

  constructor(readonly written: Written, readonly provenance: Provenance) {}

  get lots(): number {
    return this.#lines.length;
  }

  get isFull(): boolean {
    return this.lots >= MAX_LOTS || this.#characters >= MAX_CHARACTERS;
  }

  add(position: number, lot: Lot): void {
    const { licence, attribution, source_url } = this.provenance;
    const cells = [
      position,
      lot.externalId,
      licence,
      attribution,
      source_url,
      json(lot.area),
      ...(this.written.withOperator ? [lot.operator?.code ?? null] : []),
      ...this.written.fields.map((field) => lot.fields.get(field) ?? null),
      lot.operator?.name ?? null,
      json(lot.tags),
      json(lot.windows),
      json(lot.pricing),
    ];
    const line = `${cells.map(cell).join("\t")}\n`;
    this.#lines.push(line);
    this.#characters += line.length;
    this.hasTags ||= Object.keys(lot.tags).length > 0;
    this.hasWindows ||= lot.windows !== null;
    this.hasPricing ||= lot.pricing !== null;
  }

  /** Copies the lots into a new stage. */
  async stage(sql: TransactionSql): Promise<void> {
    await sql`select private.open_import_stage(${columnsOf(this.written)})`;
    await pipeline(Readable.from(this.#lines), await sql`copy import_stage from stdin`.writable());
    await sql`analyze import_stage`;
  }
}
