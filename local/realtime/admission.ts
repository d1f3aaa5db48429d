// Who may subscribe to what, and who may join a private channel: asked of Postgres.
import type postgres from "postgres";
import { readBinding } from "./asked.ts";
import type { AdmittedFilter } from "./conditions.ts";
import { isOfStatement } from "./look.ts";
import { exception, notPublished } from "./refusals.ts";
import { Snapshot } from "./subscriber.ts";
import type { Binding, Identity } from "./types.ts";
import { arrayLiteral } from "./values.ts";

/** A binding as it applies to one table. */
export interface Admitted {
  readonly bindingIndex: number;
  readonly table: number;
  readonly event: string;
  readonly select: readonly string[] | undefined;
  readonly filters: readonly AdmittedFilter[];
}

interface Answer {
  readonly tables: readonly { readonly table: number; readonly filters: readonly AdmittedFilter[] }[];
  readonly snapshot: string;
}

export class Admission {
  constructor(readonly sql: postgres.Sql, readonly log: (line: string) => void) {}

  /** Throws SubscriptionRejected. The snapshot: what was committed before. */
  async admit(bindings: readonly Binding[], { role }: Identity): Promise<{ admitted: Admitted[]; snapshot: Snapshot }> {
    const asked = bindings.map(readBinding);
    const admitted: Admitted[] = [];
    let snapshot: Snapshot | undefined;
    for (const [bindingIndex, wish] of asked.entries()) {
      const { event, schema, table, filters, select } = wish;
      let answer: Answer;
      try {
        const [row] = await this.sql<{ answer: Answer }[]>`
          select _realtime.admit(
            ${schema}, ${table}, ${role ?? null}, ${JSON.stringify(filters)}::text::jsonb,
            (select array_agg(name) from jsonb_array_elements_text(${
          JSON.stringify(select ?? [])
        }::text::jsonb) as name)
          ) as answer`;
        answer = row!.answer;
      } catch (error) {
        if (isOfStatement(error)) throw exception(wish, error.code, error.message);
        throw error;
      }
      if (answer.tables.length === 0) throw notPublished(wish);
      snapshot ??= new Snapshot(answer.snapshot);
      admitted.push(...answer.tables.map((found) => ({ bindingIndex, event, select, ...found })));
    }
    if (snapshot === undefined) throw new Error("There is nothing to subscribe to");
    return { admitted, snapshot };
  }

  /** Resolves when everybody sees what these transactions have committed. */
  async awaitCommits(xids: readonly number[]): Promise<void> {
    if (xids.length === 0) return;
    await this.sql`select _realtime.await_commits(${arrayLiteral(xids.map(String))}::text::bigint[])`;
  }

  /** What the policies of realtime.messages say. */
  async authorize(topic: string, identity: Identity): Promise<{ read: boolean; write: boolean }> {
    const rights = { read: false, write: false };
    try {
      await this.sql.begin(async (sql) => {
        await this.#probe(sql, topic, identity, rights);
        throw new Undone();
      });
    } catch (error) {
      if (error instanceof Undone) return rights;
      if (!isOfStatement(error)) throw error;
      if (error.code !== "42501") this.log(`A policy of realtime.messages failed: ${error.message}`);
      return { read: false, write: false };
    }
    return rights;
  }

  async #probe(
    sql: postgres.TransactionSql,
    topic: string,
    { role, claims }: Identity,
    rights: { read: boolean; write: boolean },
  ): Promise<void> {
    const id = crypto.randomUUID();
    const sub = typeof claims["sub"] === "string" ? claims["sub"] : "";
    await sql`select _realtime.require_role(${role ?? null})`;
    await sql`insert into realtime.messages (id, topic, extension) values (${id}, ${topic}, 'broadcast')`;
    await sql`
      select set_config('role', ${role}, true), set_config('realtime.topic', ${topic}, true),
        set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
        set_config('request.jwt.claim.sub', ${sub}, true), set_config('request.jwt.claim.role', ${role}, true)`;
    const seen = await sql`select from realtime.messages where id = ${id}`;
    rights.read = seen.length > 0;
    try {
      await sql.savepoint((inner) =>
        inner`insert into realtime.messages (topic, extension) values (${topic}, 'broadcast')`
      );
      rights.write = true;
    } catch (error) {
      if (!isOfStatement(error) || error.code !== "42501") throw error;
    }
  }
}

/** Ends a transaction that was made to see what it would do. */
class Undone extends Error {}
