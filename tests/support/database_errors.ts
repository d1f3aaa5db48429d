// Errors of the database: the fields of private.raise_error, parsed for assertions.
import assert from "node:assert/strict";
import postgres from "postgres";

export interface DatabaseError {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  readonly details: unknown;
}

/** Awaits a statement that must fail with private.raise_error, and returns the error. */
export async function errorOf(statement: PromiseLike<unknown>): Promise<DatabaseError> {
  return refusalOf(await failure(statement));
}

/** The fields of an error that must be one of private.raise_error. */
export function refusalOf(error: Pick<postgres.PostgresError, "code" | "message" | "detail">): DatabaseError {
  assert.equal(error.code, "PGRST", `expected a refusal, got ${error.code}: ${error.message}`);
  const { code, message, details } = JSON.parse(error.message) as { code: string; message: string; details: string };
  const { status } = JSON.parse(error.detail ?? "{}") as { status: number };
  const more = JSON.parse(details) as { param?: string; details?: unknown };
  return { code, status, message, param: more.param ?? null, details: more.details ?? null };
}

/** Waits for a statement that must fail in the database, and gives its SQLSTATE. */
export async function sqlstate(statement: PromiseLike<unknown>): Promise<string> {
  return (await failure(statement)).code;
}

async function failure(statement: PromiseLike<unknown>): Promise<postgres.PostgresError> {
  try {
    await statement;
  } catch (error) {
    if (error instanceof postgres.PostgresError) return error;
    throw error;
  }
  return assert.fail("the statement was expected to fail");
}
