import { once } from "node:events";
import type { Writable } from "node:stream";
import type { TransactionSql } from "postgres";
import type { LotField } from "../../supabase/functions/_shared/import/definition.ts";
import type { Lot } from "../../supabase/functions/_shared/import/lot.ts";

/** What every lot has of its source; where the file is silent, a lot keeps what it has. */
const OF_SOURCE: readonly string[] = ["licence", "attribution", "source_url", "area"];
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
    await sql`select private.open_import_stage(${columnsOf(written)})`;
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
