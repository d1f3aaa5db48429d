// A test database: a copy of the migrated and seeded template, dropped when the test file closes it.
import postgres, { type Sql, type TransactionSql } from "postgres";
import { PASSWORD, SUPERUSER } from "../../local/postgres/server.ts";

export interface Caller {
  readonly role: "anon" | "authenticated" | "service_role";
  /** The user's id, as the token's `sub` carries it. */
  readonly sub?: string;
  /** Further claims of the token. */
  readonly claims?: Record<string, unknown>;
}

export interface TestDatabase {
  /** Connected as `postgres`, who owns the schema and is not bound by row security. */
  readonly sql: Sql;
  readonly url: string;
  /** Runs in a transaction as a client of the Data API: its role and its token's claims. Commits unless `run` throws. */
  as<Result>(caller: Caller, run: (sql: TransactionSql) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export async function database(): Promise<TestDatabase> {
  const template = Deno.env.get("DATABASE_TEMPLATE");
  const address = Deno.env.get("DB_URL");
  if (!template || !address) throw new Error("No template database: run the tests with `deno task test`");

  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const admin = postgres(address, { max: 1, onnotice: () => {} });
  await admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`;
  const url = new URL(address);
  url.pathname = `/${name}`;
  const sql = postgres(url.href, { max: 4, onnotice: () => {} });
  return {
    sql,
    url: url.href,
    as: (caller, run) => asCaller(sql, caller, run),
    close: async () => {
      await Promise.all([sql.end(), admin.end()]);
      // Its owner could not end the connections of a superuser, which Postgres takes a moment to see closed.
      const superuser = postgres(asSuperuser(address), { max: 1, onnotice: () => {} });
      await superuser`drop database ${superuser(name)} with (force)`;
      await superuser.end();
    },
  };
}

async function asCaller<Result>(
  sql: Sql,
  caller: Caller,
  run: (sql: TransactionSql) => Promise<Result>,
): Promise<Result> {
  const claims = { ...caller.claims, role: caller.role, ...(caller.sub === undefined ? {} : { sub: caller.sub }) };
  const result = await sql.begin(async (transaction) => {
    await transaction`
      select set_config('role', ${caller.role}, true),
        set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
    return { value: await run(transaction) };
  });
  return result.value;
}

/** The address of a database, as the superuser of the local platform reaches it. */
export function asSuperuser(address: string): string {
  const url = new URL(address);
  url.username = SUPERUSER;
  url.password = PASSWORD;
  return url.href;
}
