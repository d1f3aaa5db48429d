// The question that a batch of changes puts to Postgres, and its answer: one round trip.
import postgres from "postgres";
import { withTimeout } from "../timeout.ts";
import { arrayLiteral } from "./values.ts";

/** A table as it is now. */
export interface Table {
  readonly schema: string;
  readonly table: string;
  /** Whether row security is on. */
  readonly secured: boolean;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Name, type's name, type, and its base type when it is a domain. */
  readonly columns: readonly (readonly [string, string, number, number])[];
  /** By role: the columns that it may select; null when it may not use the schema. */
  readonly readable: Readonly<Record<string, readonly string[] | null>>;
}

export interface Check {
  readonly table: number;
  readonly role: string;
  readonly key: readonly string[];
  readonly groups: readonly Group[];
}

/** Rows that one identity may want to see: a list for each column of the key. */
export interface Group {
  readonly claims: string;
  readonly keys: readonly (readonly string[])[];
}

export interface Work {
  /** The transactions of the batch, as the log has their numbers. */
  readonly xids: readonly number[];
  readonly tables: readonly number[];
  readonly roles: readonly string[];
  readonly checks: readonly Check[];
  readonly comparisons: readonly {
    readonly type: number;
    readonly operator: string;
    readonly value: string;
    readonly texts: readonly (string | null)[];
  }[];
  readonly conversions: readonly { readonly type: number; readonly texts: readonly string[] }[];
}

/** In the order of the work; undefined for a part that could not be answered. */
export interface Answer {
  readonly tables: Readonly<Record<string, Table>>;
  /** By check: null when there was nothing to ask or the key is another by now, else by group. */
  readonly seen: readonly (readonly (readonly boolean[] | undefined)[] | null)[];
  readonly passed: readonly (readonly (boolean | null)[] | undefined)[];
  /** JSON as text. */
  readonly converted: readonly (readonly string[] | undefined)[];
}

/** How long a batch may be looked at part by part before nobody is told of it, in milliseconds. */
const PATIENCE = 10_000;
/** Postgres gives up a statement long before; a connection that says nothing for so long is dead. */
const SILENCE = 8_000;
const LOCK_NOT_AVAILABLE = "55P03";

export class Looker {
  constructor(readonly sql: postgres.Sql, readonly log: (line: string) => void) {}

  async look(work: Work): Promise<Answer> {
    for (let isSaid = false;; isSaid = true) {
      try {
        return await this.#call(work);
      } catch (error) {
        if (!isOfStatement(error)) throw error;
        if (error.code !== LOCK_NOT_AVAILABLE) {
          this.log(`A batch is looked at part by part: ${error.message}`);
          return await this.#partByPart(work, performance.now() + PATIENCE);
        }
        // A table that is being altered can be looked at when it has been.
        if (!isSaid) this.log("A batch waits for a lock");
      }
    }
  }

  async #call({ xids, tables, roles, checks, comparisons, conversions }: Work): Promise<Answer> {
    const text = JSON.stringify({
      xids,
      tables,
      roles,
      checks: checks.map((check) => ({
        ...check,
        groups: check.groups.map(({ claims, keys }) => ({ claims, keys: keys.map(arrayLiteral) })),
      })),
      comparisons: comparisons.map((one) => ({ ...one, texts: arrayLiteral(one.texts) })),
      conversions: conversions.map((one) => ({ ...one, texts: arrayLiteral(one.texts) })),
    });
    const query = this.sql.unsafe("select _realtime.look($1::text::jsonb)::text as answer", [text], { prepare: true });
    const [row] = await withTimeout(query, SILENCE);
    return JSON.parse(row!["answer"]);
  }

  /** A policy that fails for one identity, or a filter for one value, is nothing to the others. */
  async #partByPart(work: Work, deadline: number): Promise<Answer> {
    const none = { xids: [], checks: [], comparisons: [], conversions: [] };
    const { tables } = await this.#call({ ...work, ...none });
    const part = (only: Partial<Work>) => this.#part({ ...work, ...none, ...only }, deadline);
    const seen = [];
    for (const check of work.checks) {
      const groups = [];
      for (const group of check.groups) {
        const answer = await part({ checks: [{ ...check, groups: [group] }] });
        groups.push(answer === undefined ? undefined : answer.seen[0]?.[0] ?? null);
      }
      seen.push(groups.includes(null) ? null : groups as (readonly boolean[] | undefined)[]);
    }
    const passed = [];
    for (const comparison of work.comparisons) passed.push((await part({ comparisons: [comparison] }))?.passed[0]);
    const converted = [];
    for (const conversion of work.conversions) {
      converted.push((await part({ conversions: [conversion] }))?.converted[0]);
    }
    return { tables, seen, passed, converted };
  }

  async #part(work: Work, deadline: number): Promise<Answer | undefined> {
    if (performance.now() > deadline) throw new Error("A batch takes too long to be looked at");
    try {
      return await this.#call(work);
    } catch (error) {
      if (!isOfStatement(error)) throw error;
      this.log(`A part of a batch cannot be answered: ${error.message}`);
      return undefined;
    }
  }
}

/** Whether the statement failed, or took too long, and not the connection or the server. */
export function isOfStatement(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError && !/^(08|53|57P|58|XX)/.test(error.code);
}
