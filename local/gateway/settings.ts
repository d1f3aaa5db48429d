// What the database is told about a request before its statement runs: who asks, and what. The library says it setting by
// setting, ten round trips a call; here a list of settings is one.
import { type Kysely, sql } from "kysely";

/** Where the library's statements run: the transaction of the request. */
type Transaction = Kysely<unknown>;

interface Caller {
  readonly auth?: { readonly role?: unknown; readonly uid?: unknown; readonly jwt?: unknown } | undefined;
  readonly storage?: { readonly operation?: unknown } | undefined;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly requestHeaders?: Readonly<Record<string, string>>;
}

/** Take the place of the library's methods of these names, and set what they set. */
export const settings = {
  applyJwtSessionContext(transaction: Transaction, { auth, storage }: Caller): Promise<void> {
    const role = String(auth?.role || "anon");
    const claims = auth?.jwt;
    return set(transaction, {
      "role": role,
      "request.jwt.claim.sub": String(auth?.uid ?? ""),
      "request.jwt.claim.role": role,
      "storage.operation": String(storage?.operation ?? ""),
      ...(typeof claims === "object" && claims !== null ? { "request.jwt.claims": JSON.stringify(claims) } : {}),
    });
  },
  applyRpcRequestGucs(transaction: Transaction, { method, path, requestHeaders }: Call): Promise<void> {
    return set(transaction, {
      "response.status": "",
      "response.headers": "",
      "request.method": method,
      "request.path": path,
      "request.headers": JSON.stringify(requestHeaders ?? {}),
    });
  },
};

/** How a statement that only sets begins. */
export const SETTINGS = "select set_config(";

async function set(transaction: Transaction, values: Readonly<Record<string, string>>): Promise<void> {
  const calls = Object.entries(values).map(([name, value]) => sql`set_config(${sql.lit(name)}, ${value}, true)`);
  await sql`select ${sql.join(calls)}`.execute(transaction);
}
