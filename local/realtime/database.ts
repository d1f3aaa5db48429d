// The connections on which Postgres is queried. Each stream has new ones: after a crash the old ones may never answer.
import postgres from "postgres";
import { withTimeout } from "../timeout.ts";
import { notPublished, rejectedByPostgres } from "./errors.ts";
import { readBinding } from "./request.ts";
import { Filter, type FilterRow, Snapshot, type TableBinding } from "./subscriptions.ts";
import type { Binding, Identity } from "./types.ts";

export interface FeedOptions {
  /** Connects as the superuser. */
  readonly url: string;
  readonly log: (line: string) => void;
}

/** A table as it is now. */
export interface Table {
  readonly schema: string;
  readonly table: string;
  /** Whether row-level security is on. */
  readonly secured: boolean;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Name, name of the type, type, and the base type of a domain. */
  readonly columns: readonly (readonly [string, string, number, number])[];
  /** By role: the columns that it may select; null when it may not use the schema. */
  readonly readable: Readonly<Record<string, readonly string[] | null>>;
}

interface Checked {
  readonly tables: readonly { readonly table: number; readonly filters: readonly FilterRow[] }[];
  readonly snapshot: string;
}

/** How every session writes and reads values. */
export const SESSION = { TimeZone: "UTC", DateStyle: "ISO", IntervalStyle: "postgres", bytea_output: "hex" };
/** A policy is planned once for a role, and finds a row by its key. */
const ACCESS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  jit: "off",
  statement_timeout: 4_000,
  lock_timeout: 1_000,
};
const SUBSCRIBE = { statement_timeout: 4_000 };
/** Postgres cancels a statement long before; a connection that is silent for so long is dead. */
const SILENCE_TIMEOUT_MS = 8_000;
const LOCK_NOT_AVAILABLE = "55P03";

export class DatabaseConnections {
  readonly #access: postgres.Sql;
  readonly #subscribe: postgres.Sql;

  constructor(readonly options: FeedOptions) {
    const connect = (max: number, name: string, settings: object) =>
      postgres(options.url, {
        max,
        onnotice: () => {},
        backoff: () => 0.1,
        fetch_types: false,
        connection: { application_name: name, ...SESSION, ...settings } as never,
      });
    this.#access = connect(1, "realtime access", ACCESS);
    this.#subscribe = connect(2, "realtime subscribe", SUBSCRIBE);
  }

  /** Queries that run fail. */
  async close(): Promise<void> {
    await Promise.all([this.#access, this.#subscribe].map((sql) => sql.end({ timeout: 0 })));
  }

  /** The tables, by oid, once everybody sees what these transactions have committed. */
  describe(xids: number[], tables: number[], roles: string[]): Promise<Record<string, Table>> {
    return this.#call("select _realtime.describe($1::text::jsonb)::text as result", { xids, tables, roles });
  }

  /** The answers to the parts of an access query, in their order: a list for the items of each, or why it failed. */
  answer(parts: object[]): Promise<(unknown[] | { readonly error: string })[]> {
    return this.#call("select _realtime.answer($1::text::jsonb)::text as result", parts);
  }

  /** Checks the bindings; throws SubscriptionRejected. The snapshot contains the transactions of `xids`. */
  async subscribe(
    bindings: readonly Binding[],
    { role }: Identity,
    xids: readonly number[],
  ): Promise<{ subscriptions: TableBinding[]; snapshot: Snapshot }> {
    const requests = bindings.map(readBinding);
    const subscriptions: TableBinding[] = [];
    let snapshot: Snapshot | undefined;
    for (const [bindingIndex, request] of requests.entries()) {
      const { event, schema, table, filters } = request;
      const work = JSON.stringify({ xids, schema, table, role: role ?? null, filters });
      const query = this.#subscribe<{ result: Checked }[]>`
        select _realtime.subscribe(${work}::text::jsonb) as result`;
      const checked = await withTimeout(query, SILENCE_TIMEOUT_MS).catch((error) => {
        throw isStatementError(error) ? rejectedByPostgres(request, error.code, error.message) : error;
      });
      const { tables, snapshot: text } = checked[0]!.result;
      if (tables.length === 0) throw notPublished(request);
      snapshot ??= new Snapshot(text);
      for (const found of tables) {
        const filters = found.filters.map((filter) => new Filter(filter));
        subscriptions.push({ bindingIndex, table: found.table, event, filters });
      }
    }
    return { subscriptions, snapshot: snapshot! };
  }

  /** Whether the policies of realtime.messages let the caller join a private topic. One that fails does not. */
  async mayJoin(topic: string, { role, claims }: Identity): Promise<boolean> {
    try {
      const [row] = await this.#subscribe<{ result: boolean }[]>`
        select _realtime.may_join(${topic}, ${role ?? null}, ${JSON.stringify(claims)}) as result`;
      return row!.result;
    } catch (error) {
      if (!isStatementError(error)) throw error;
      if (error.code !== "42501") this.options.log(`A policy of realtime.messages failed: ${error.message}`);
      return false;
    }
  }

  /** Waits as long as a table is locked, for example by a migration. */
  async #call<Result>(query: string, work: object): Promise<Result> {
    const text = JSON.stringify(work);
    for (let isLogged = false;; isLogged = true) {
      try {
        const rows = await withTimeout(this.#access.unsafe(query, [text], { prepare: true }), SILENCE_TIMEOUT_MS);
        return JSON.parse(rows[0]!["result"]);
      } catch (error) {
        if (!isStatementError(error) || error.code !== LOCK_NOT_AVAILABLE) throw error;
        if (!isLogged) this.options.log("A batch waits for a lock");
      }
    }
  }
}

/** Whether the statement failed, and not the connection or the server. */
function isStatementError(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError && !/^(08|53|57P|58|XX)/.test(error.code);
}
