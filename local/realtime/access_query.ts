// What one batch of changes needs from Postgres, in one statement: which rows an identity may read, which values pass a
// filter, and values as JSON.
import type { DatabaseConnections, Table } from "./database.ts";
import { getOrMake } from "./subscriptions.ts";

/** The result once the query has been run; undefined if its part of the query failed. */
export type Answer = () => unknown;

export interface Comparison {
  readonly type: number;
  readonly operator: string;
  readonly value: string;
}

interface Part {
  /** The part without its items. */
  readonly question: object;
  readonly positions: Map<string, number>;
  readonly items: unknown[];
  answers?: readonly unknown[];
}

export class AccessQuery {
  readonly #parts = new Map<string, Part>();

  /** Whether the row with this key is there and the policies show it. `claims`: JSON. */
  isVisible({ schema, table, key, columns }: Table, role: string, claims: string, values: unknown): Answer {
    const typed = key.map((name) => [name, columns.find(([column]) => column === name)?.[2]]);
    return this.#add({ kind: "visible", schema, table, key: typed, role, claims }, values);
  }

  /** Whether a value passes a filter. */
  compare(comparison: Comparison, text: string): Answer {
    return this.#add({ kind: "compare", ...comparison }, text);
  }

  /** A value as JSON text. */
  convert(type: number, text: string): Answer {
    return this.#add({ kind: "convert", type }, text);
  }

  /** The failure of one part does not affect the others. */
  async run(database: DatabaseConnections, log: (line: string) => void): Promise<void> {
    const parts = [...this.#parts.values()];
    if (parts.length === 0) return;
    const answers = await database.answer(parts.map(({ question, items }) => ({ ...question, items })));
    parts.forEach((part, index) => {
      const answer = answers[index]!;
      if (Array.isArray(answer)) part.answers = answer;
      else log(`An access check failed: ${answer.error}`);
    });
  }

  #add(question: object, item: unknown): Answer {
    const part = getOrMake(this.#parts, JSON.stringify(question), (): Part => ({
      question,
      positions: new Map(),
      items: [],
    }));
    const position = getOrMake(part.positions, JSON.stringify(item), () => part.items.push(item) - 1);
    return () => part.answers?.[position];
  }
}
