// The settings of a transaction before its function runs, in PostgREST's order: the search path, the settings of the role,
// the role itself, the claims and the request.
import { withClientAddress } from "../gateway/client_address.ts";
import type { Claims } from "../gateway/tokens.ts";
import type { Statement } from "./connection.ts";
import type { RestFunction, Schema } from "./schema.ts";

export interface CallContext {
  readonly schema: Schema;
  readonly schemaName: string;
  readonly request: Request;
  readonly client: string;
  readonly path: string;
  readonly claims: Claims;
  readonly role: string;
  readonly isRead: boolean;
  readonly target: RestFunction;
}

export function contextStatements(context: CallContext): Statement[] {
  const { schema, schemaName, request, client, path, claims, role, isRead, target } = context;
  const { cookie, ...headers } = Object.fromEntries(withClientAddress(request.headers, client));
  const values: Record<string, string> = {
    search_path: `"${schemaName.replaceAll('"', '""')}"`,
    ...schema.roleSettings.get(role),
    role,
    "request.jwt.claims": JSON.stringify(claims),
    "request.method": request.method,
    "request.path": `/${path}`,
    "request.headers": JSON.stringify(headers),
    "request.cookies": JSON.stringify(cookiesIn(cookie)),
    ...(target.statementTimeout === null ? {} : { statement_timeout: target.statementTimeout }),
    ...(isRead ? { transaction_read_only: "on" } : {}),
  };
  const names = Object.keys(values);
  const calls = names.map((name, at) => `set_config('${name.replaceAll("'", "''")}', $${at + 1}, true)`);
  const statement = { text: `select ${calls.join(", ")}`, values: Object.values(values) };
  return schema.preRequest === null ? [statement] : [statement, { text: `select ${schema.preRequest}()`, values: [] }];
}

function cookiesIn(header: string | undefined): Record<string, string> {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim().split("=", 2)).filter(([name]) => name);
  return Object.fromEntries(pairs.map(([name, value]) => [name, value ?? ""]));
}
