// The connections on which Postgres is queried. Each stream has new ones: after a crash the old ones may never answer.
import postgres from "postgres";
import { withTimeout } from "../timeout.ts";
import { notPublished, rejectedByPostgres } from "./errors.ts";
import { readBinding } from "./request.ts";
import type { Binding, Identity } from "./types.ts";
import type { RowChange } from "./wal.ts";

export interface FeedOptions {
  /** Connects as the superuser. */
  readonly url: string;
  readonly log: (line: string) => void;
}

/** A binding for one table. */
export interface TableBinding {
  /** Its place among the bindings of the subscription. */
  readonly index: number;
  readonly table: number;
  readonly event: string;
  /** As Postgres has checked them. */
  readonly filters: readonly object[];
}

/** A change with the subscriptions for its table and event. */
export interface Candidates extends RowChange {
  readonly subscriptions: readonly { role: string; claims: string; snapshot: string; filters: readonly object[] }[];
}

/** The places of subscriptions: of those that receive the change, or, without one, of those whose policies failed. */
export interface Receivers {
  /** As JSON. */
  readonly change: string | null;
  readonly receivers: readonly number[];
}

/** How every session writes and reads values. */
export const SESSION = { TimeZone: "UTC", DateStyle: "ISO", IntervalStyle: "postgres", bytea_output: "hex" };
const ACCESS = { plan_cache_mode: "force_generic_plan", jit: "off", statement_timeout: 4_000, lock_timeout: 1_000 };
const SUBSCRIBE = { statement_timeout: 4_000 };
/** Postgres cancels a statement long before; a connection that is silent for so long is dead. */
const SILENCE_TIMEOUT_MS = 8_000;
const LOCK_NOT_AVAILABLE = "55P03";

interface Checked {
  readonly tables: readonly Pick<TableBinding, "table" | "filters">[];
  readonly snapshot: string;
}

export class DatabaseConnections {
  readonly #access: postgres.Sql;
  readonly #subscribe: postgres.Sql;

  constructor(readonly options: FeedOptions) {
    const connect = (max: number, name: string, settings: object) =>
      postgres(options.url, {
        max,
        onnotice: ({ message }) => options.log(message ?? ""),
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

  /** Who receives a change. Waits as long as a table is locked, for example by a migration. */
  async authorize(change: Candidates): Promise<readonly Receivers[]> {
    const text = JSON.stringify(change);
    for (let isLogged = false;; isLogged = true) {
      const query = this.#access<Receivers[]>`select * from _realtime.authorize(${text}::text::jsonb)`;
      try {
        return await withTimeout(query, SILENCE_TIMEOUT_MS);
      } catch (error) {
        if (!isStatementError(error) || error.code !== LOCK_NOT_AVAILABLE) throw error;
        if (!isLogged) this.options.log("A change waits for a lock");
      }
    }
  }

  /** Checks the bindings; throws SubscriptionRejected. The snapshot contains the transactions of `xids`. */
  async subscribe(
    bindings: readonly Binding[],
    { role }: Identity,
    xids: readonly number[],
  ): Promise<{ bindings: TableBinding[]; snapshot: string }> {
    const checked: TableBinding[] = [];
    let first: string | undefined;
    for (const [index, request] of bindings.map(readBinding).entries()) {
      const { event, schema, table, filters } = request;
      const work = JSON.stringify({ xids, schema, table, role: role ?? null, filters });
      const query = this.#subscribe<{ result: Checked }[]>`
        select _realtime.subscribe(${work}::text::jsonb) as result`;
      const rows = await withTimeout(query, SILENCE_TIMEOUT_MS).catch((error) => {
        throw isStatementError(error) ? rejectedByPostgres(request, error.code, error.message) : error;
      });
      const { tables, snapshot } = rows[0]!.result;
      if (tables.length === 0) throw notPublished(request);
      first ??= snapshot;
      checked.push(...tables.map((one) => ({ index, event, ...one })));
    }
    return { bindings: checked, snapshot: first! };
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
}

/** Whether the statement failed, and not the connection or the server. */
function isStatementError(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError && !/^(08|53|57P|58|XX)/.test(error.code);
}
