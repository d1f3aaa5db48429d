// Passwords: requirements, hashes and comparison.
import type { AuthConfig } from "../config.ts";
import { AuthError, invalid } from "./errors.ts";
import type { Queries } from "./users.ts";

/** bcrypt ignores further bytes. */
const MAX_BYTES = 72;

/** The sets of characters of which a password must have one each, by `password_requirements`. */
const REQUIREMENTS: Readonly<Record<AuthConfig["passwordRequirements"], readonly RegExp[]>> = {
  "": [],
  letters_digits: [/[a-zA-Z]/, /[0-9]/],
  lower_upper_letters_digits: [/[a-z]/, /[A-Z]/, /[0-9]/],
  lower_upper_letters_digits_symbols: [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/],
};

export function checkPassword(password: string, config: AuthConfig): void {
  if (new TextEncoder().encode(password).length > MAX_BYTES) {
    throw invalid("Password cannot be longer than 72 characters");
  }
  const { minimumPasswordLength: least, passwordRequirements } = config;
  const problems = [
    ...(password.length < least ? [["length", `Password should be at least ${least} characters.`]] : []),
    ...(REQUIREMENTS[passwordRequirements].every((set) => set.test(password))
      ? []
      : [["characters", `Password should contain at least one character of each: ${passwordRequirements}.`]]),
  ];
  if (problems.length === 0) return;
  throw new AuthError(422, "weak_password", problems.map(([, message]) => message).join(" "), {
    weak_password: { reasons: problems.map(([reason]) => reason) },
  });
}

/** The hash that is stored. Its cost is low: passwords here protect nothing, and a production hash would slow the tests. */
export async function hashPassword(sql: Queries, password: string): Promise<string> {
  const [row] = await sql<{ hash: string }[]>`
    select extensions.crypt(${password}, extensions.gen_salt('bf', 4)) as hash`;
  return row!.hash;
}

export async function isPassword(sql: Queries, password: string, hash: string | null): Promise<boolean> {
  // A user without a password takes as long as one with another.
  const [row] = await sql<{ matches: boolean }[]>`
    select extensions.crypt(${password}, coalesce(nullif(${hash}, ''), extensions.gen_salt('bf', 4))) = ${hash} as matches`;
  return row?.matches === true;
}
