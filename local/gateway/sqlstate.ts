// PostgREST's answer to each kind of database error. The Data API library knows only some of them; the others are handed
// to it in the one form it passes on word for word: SQLSTATE PGRST, which carries the status and the body.

interface DatabaseError {
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** Answers that depend on more than the code (the role, the name asked for); the library gives them rightly. */
const LEFT_TO_THE_LIBRARY = new Set(["42501", "42883", "42P01", "42703", "PGRST"]);

const BY_CODE: Readonly<Record<string, number>> = {
  "21000": 500,
  "22023": 400,
  "23503": 409,
  "23505": 409,
  "25006": 405,
  "42P17": 500,
  "53400": 500,
  "57P01": 503,
  "57P02": 503,
  "57P03": 503,
  "P0001": 400,
};

const BY_CLASS: Readonly<Record<string, number>> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "25": 500,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "53": 503,
  "54": 500,
  "55": 500,
  "57": 500,
  "58": 500,
  "F0": 500,
  "HV": 500,
  "P0": 500,
  "XX": 500,
};

/** Turns what the database driver threw into what the library answers as PostgREST does. */
export function asPostgrest(error: unknown): unknown {
  if (!isDatabaseError(error) || LEFT_TO_THE_LIBRARY.has(error.code) || error.code.startsWith("PT")) return error;
  if (!/^[0-9A-Z]{5}$/.test(error.code)) {
    return raised({ code: "PGRST001", message: "Database client error. Retrying the connection." }, 503);
  }
  return raised(error, BY_CODE[error.code] ?? BY_CLASS[error.code.slice(0, 2)] ?? 400);
}

function raised(error: DatabaseError, status: number): DatabaseError {
  return {
    code: "PGRST",
    message: JSON.stringify({
      code: error.code,
      message: error.message,
      details: error.detail ?? null,
      hint: error.hint ?? null,
    }),
    detail: JSON.stringify({ status, headers: {} }),
  };
}

function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
