import { once } from "node:events";
import type { Writable } from "node:stream";
import type { TransactionSql } from "postgres";
import type { LotField } from "../mapping/definition.ts";
import type { Lot } from "../mapping/lot.ts";

/** Columns of which silence means nothing: a lot keeps what it has. */
export const KEPT_WHEN_SILENT: readonly string[] = ["licence", "attribution", "source_url", "area"];
const BATCH_CHARACTERS = 1 << 16;

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
  return ["external_id", ...KEPT_WHEN_SILENT, ...(withOperator ? ["operator_code"] : []), ...fields];
}

/** A table of the transaction's own, with the types of parking_lots, beside what the lots' other tables will get. */
async function createStage(sql: TransactionSql, columns: readonly string[]): Promise<void> {
  await sql`
    create temporary table import_stage on commit drop as
    select
      0 as position, ${sql.unsafe(columns.join(", "))},
      ''::text as operator_name, '{}'::jsonb as tags, '[]'::jsonb as windows, '[]'::jsonb as pricing
    from public.parking_lots
    where false`;
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

/** Streams lots into the stage. */
export class Stage {
  #waiting = "";
  #failure: Error | undefined;

  private constructor(
    readonly copy: Writable,
    readonly written: Written,
    readonly provenance: Provenance,
  ) {
    copy.on("error", (error) => this.#failure ??= error);
  }

  static async open(sql: TransactionSql, written: Written, provenance: Provenance): Promise<Stage> {
    await createStage(sql, columnsOf(written));
    return new Stage(await sql`copy import_stage from stdin`.writable(), written, provenance);
  }

  async add(position: number, lot: Lot): Promise<void> {
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
    this.#waiting += `${cells.map(cell).join("\t")}\n`;
    if (this.#waiting.length >= BATCH_CHARACTERS) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const batch = this.#waiting;
    this.#waiting = "";
    if (!this.copy.write(batch)) await once(this.copy, "drain");
  }

  /** Gives up: the server is told to forget what it has, and the transaction can end. */
  async abort(): Promise<void> {
    if (this.copy.closed) return;
    const closed = new Promise((resolve) => this.copy.once("close", resolve));
    this.copy.destroy(new Error("the import was given up"));
    await closed;
  }

  async finish(): Promise<void> {
    await this.#flush();
    const finished = once(this.copy, "finish");
    this.copy.end();
    await finished;
    if (this.#failure !== undefined) throw this.#failure;
  }
}
