// The library's auth server with connections of its own. They are replaced together when one of them is lost.
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import postgres, { type Sql } from "postgres";
import { patient } from "../database/connection.ts";
import { textualJson } from "../database/json.ts";
import type { ConnectionSet } from "../database/recovering.ts";
import { JWT_SECRET } from "../settings.ts";
import { AdminUsers } from "./admin.ts";
import type { AuthOptions } from "./auth.ts";

export interface AuthLibrary extends ConnectionSet {
  readonly app: App;
  readonly sql: Sql;
  readonly users: AdminUsers;
}

/** Requests that run at the same time; each uses one connection of either driver at a time. */
export const AUTH_SIZE = 5;
/** Less than a request may run, so that a statement that waits for a lock ends before its request does. */
const STATEMENT_TIMEOUT_MS = 2_500;
const CONNECT_TIMEOUT_SECONDS = 2;
const CLOSE_TIMEOUT_SECONDS = 3;

export async function connectLibrary(
  { admin, config, origin }: AuthOptions,
  onLost: () => void,
): Promise<AuthLibrary> {
  let isClosing = false;
  const driver = {
    max: AUTH_SIZE,
    ...patient,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    max_lifetime: null,
    connection: { statement_timeout: STATEMENT_TIMEOUT_MS },
    onclose: () => isClosing ? undefined : onLost(),
  };
  const connection = createPostgresConnection({ url: admin, postgresOptions: { ...driver, types: textualJson } });
  Object.assign(connection, { rlsState: "inactive" });
  const sql = postgres(admin, driver);
  const app = new App({
    connection,
    auth: {
      enabled: true,
      jwt_secret: JWT_SECRET,
      jwt_expiry: config.jwtExpiry,
      site_url: origin,
      minimum_password_length: config.minimumPasswordLength,
      enable_refresh_token_rotation: true,
      refresh_token_reuse_interval: config.refreshTokenReuseInterval,
      email: { enable_signup: true, enable_confirmations: false },
    },
    options: { server: { disableStudio: true, apiKeys: false } },
  });
  const close = async () => {
    isClosing = true;
    const timeout = { timeout: CLOSE_TIMEOUT_SECONDS };
    await Promise.all([connection.driver.end(timeout), sql.end(timeout)]);
  };
  try {
    await sql`select`;
    await app.init();
  } catch (error) {
    await close();
    throw error;
  }
  return { app, sql, users: new AdminUsers(sql, config.minimumPasswordLength), close };
}
