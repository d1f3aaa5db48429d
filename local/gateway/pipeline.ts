// How the Data API's statements reach Postgres. What begins a request's transaction goes together with the statement that
// follows: nobody needs its answer, and a round trip for each costs more than the work. Every statement is prepared once a
// connection, as PostgREST does it.
import type { ReservedSql, Sql } from "postgres";
import { asText } from "./arguments.ts";
import { SETTINGS } from "./settings.ts";
import { turns } from "./turn.ts";

type Unsafe = ReservedSql["unsafe"];

/** Statements that are sent and not waited for. */
const isPrelude = (statement: string) => statement === "begin" || statement.startsWith(SETTINGS);

/** Makes the connections that are reserved from now on send their statements so. */
export function pipeline(sql: Sql): void {
  const reserve = sql.reserve.bind(sql);
  Object.assign(sql, {
    reserve: async () => {
      const coming = reserve();
      const connection = await (turns.getStore()?.take(coming) ?? coming);
      return Object.assign(connection, { unsafe: pipelined(connection.unsafe.bind(connection)) });
    },
  });
}

function pipelined(unsafe: Unsafe): (statement: string, values: unknown[]) => Promise<unknown> {
  let failures: Promise<Error | undefined>[] = [];
  return async (statement, values) => {
    const sent = unsafe(statement, values.map(asText) as never[], { prepare: true }).execute();
    const failure: Promise<Error | undefined> = sent.then(() => undefined, (error: Error) => error);
    failures.push(failure);
    if (isPrelude(statement)) return [];
    const failed = await Promise.all(failures);
    failures = [];
    // What failed first is the reason why what follows it failed.
    const reason = failed.find((error) => error !== undefined);
    if (reason !== undefined) throw reason;
    return await sent;
  };
}
