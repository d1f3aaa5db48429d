// The auth server's connections. They are replaced together when one of them is lost.
import postgres, { type Sql } from "postgres";
import { connectionOptions } from "../postgres/connection_options.ts";
import type { ConnectionSet } from "../postgres/recovering.ts";

export interface AuthConnections extends ConnectionSet {
  readonly sql: Sql;
}

/** Requests that run at the same time; each uses one connection at a time. */
export const AUTH_SIZE = 5;
/** Less than a request may run, so that a statement that waits for a lock ends before its request does. */
const STATEMENT_TIMEOUT_MS = 2_500;
const CONNECT_TIMEOUT_SECONDS = 2;
const CLOSE_TIMEOUT_SECONDS = 3;

/** Connects as `supabase_auth_admin`, whose address this is. */
export async function connect(address: string, onLost: () => void): Promise<AuthConnections> {
  let isClosing = false;
  const sql = postgres(address, {
    max: AUTH_SIZE,
    ...connectionOptions,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    max_lifetime: null,
    connection: { statement_timeout: STATEMENT_TIMEOUT_MS },
    onclose: () => isClosing ? undefined : onLost(),
  });
  const close = async () => {
    isClosing = true;
    await sql.end({ timeout: CLOSE_TIMEOUT_SECONDS });
  };
  try {
    await sql`select`;
  } catch (error) {
    await close();
    throw error;
  }
  return { sql, close };
}
