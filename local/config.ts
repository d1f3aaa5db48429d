// The part of supabase/config.toml that the local platform follows.
import { join } from "node:path";
import { type AuthRules, ROOT } from "./settings.ts";
import type { Bucket } from "./storage/storage.ts";

export interface Config {
  readonly schemas: readonly string[];
  readonly maxRows: number;
  readonly auth: Omit<AuthConfig, "siteUrl"> & { readonly siteUrl: string | undefined };
  readonly buckets: readonly Bucket[];
  /** Bytes. */
  readonly fileSizeLimit: number;
  /** Whether the gateway checks the token before the function sees the request. */
  verifyJwt(name: string): boolean;
  /** The file with the function's import map, if this file names one. */
  importMap(name: string): string | undefined;
}

export interface AuthConfig {
  /** Where links lead that name no address of their own, or none that is allowed. */
  readonly siteUrl: string;
  /** Patterns of the addresses that links may lead to. */
  readonly redirectUrls: readonly string[];
  readonly jwtExpiry: number;
  readonly refreshTokenReuseInterval: number;
  readonly signUpEnabled: boolean;
  readonly minimumPasswordLength: number;
  readonly passwordRequirements:
    | ""
    | "letters_digits"
    | "lower_upper_letters_digits"
    | "lower_upper_letters_digits_symbols";
  /** Whether an address has to be confirmed before the first sign-in. */
  readonly confirmations: boolean;
  /** Whether a change of address has to be confirmed from both addresses. */
  readonly doubleConfirmChanges: boolean;
  /** Whether a session older than a day changes the password only with a code that was mailed. */
  readonly securePasswordChange: boolean;
  /** Seconds between two mails of a kind to one user. */
  readonly maxFrequency: number;
  readonly otpLength: number;
  /** Seconds. */
  readonly otpExpiry: number;
}

/** What development and tests do without: they sign up by the hundred and read their mails at /_mail. */
const RELAXED = {
  confirmations: false,
  passwordRequirements: "",
  securePasswordChange: false,
  maxFrequency: 0,
} as const;

/** The rules of accounts: those of the file, or what development makes of them. */
export function authConfig({ auth }: Config, publicUrl: string, rules: AuthRules): AuthConfig {
  return { ...auth, ...(rules === "relaxed" ? RELAXED : {}), siteUrl: auth.siteUrl ?? publicUrl };
}

const BUCKETS = "storage.buckets.";

type Value = string | number | boolean | string[];

export async function readConfig(): Promise<Config> {
  const tables = parse(await Deno.readTextFile(join(ROOT, "supabase", "config.toml")));
  const get = <Kind extends Value>(table: string, key: string, fallback: Kind): Kind => {
    const value = tables.get(table)?.get(key) ?? fallback;
    if (typeof value !== typeof fallback || Array.isArray(value) !== Array.isArray(fallback)) {
      throw new Error(`supabase/config.toml: [${table}] ${key} has the wrong type`);
    }
    return value as Kind;
  };
  return {
    schemas: get("api", "schemas", ["public"]),
    maxRows: get("api", "max_rows", 1000),
    auth: {
      siteUrl: fromEnvironment(get("auth", "site_url", "")),
      redirectUrls: get("auth", "additional_redirect_urls", [] as string[])
        .flatMap((url) => fromEnvironment(url)?.split(",") ?? []).map((url) => url.trim()),
      jwtExpiry: get("auth", "jwt_expiry", 3600),
      refreshTokenReuseInterval: get("auth", "refresh_token_reuse_interval", 10),
      signUpEnabled: get("auth", "enable_signup", true) && get("auth.email", "enable_signup", true),
      minimumPasswordLength: get("auth", "minimum_password_length", 6),
      passwordRequirements: passwordRequirements(get("auth", "password_requirements", "")),
      confirmations: get("auth.email", "enable_confirmations", false),
      doubleConfirmChanges: get("auth.email", "double_confirm_changes", true),
      securePasswordChange: get("auth.email", "secure_password_change", false),
      maxFrequency: secondsOf(get("auth.email", "max_frequency", "1s")),
      otpLength: get("auth.email", "otp_length", 6),
      otpExpiry: get("auth.email", "otp_expiry", 3600),
    },
    buckets: [...tables.keys()].filter((table) => table.startsWith(BUCKETS)).map((table) => ({
      name: table.slice(BUCKETS.length),
      isPublic: get(table, "public", false),
    })),
    fileSizeLimit: bytesOf(get("storage", "file_size_limit", "50MiB")),
    verifyJwt: (name) => get(`functions.${name}`, "verify_jwt", true),
    importMap: (name) => {
      const path = get(`functions.${name}`, "import_map", "");
      return path === "" ? undefined : join(ROOT, "supabase", path);
    },
  };
}

/** `env(NAME)` is the value of that variable; undefined when it is not set. */
function fromEnvironment(value: string): string | undefined {
  const name = value.match(/^env\((\w+)\)$/)?.[1];
  return (name === undefined ? value : Deno.env.get(name)) || undefined;
}

function secondsOf(text: string): number {
  const [, number, unit] = text.match(/^(\d+)(s|m|h)$/) ?? [];
  if (number === undefined) throw new Error(`supabase/config.toml: "${text}" is no duration`);
  return Number(number) * { s: 1, m: 60, h: 3600 }[unit as "s" | "m" | "h"];
}

function passwordRequirements(text: string): AuthConfig["passwordRequirements"] {
  switch (text) {
    case "":
    case "letters_digits":
    case "lower_upper_letters_digits":
    case "lower_upper_letters_digits_symbols":
      return text;
  }
  throw new Error(`supabase/config.toml: password_requirements has no value "${text}"`);
}

function bytesOf(text: string): number {
  const [, number, unit] = text.match(/^(\d+)(KiB|MiB|GiB)$/) ?? [];
  if (number === undefined) throw new Error(`supabase/config.toml: "${text}" is no size`);
  return Number(number) * 1024 ** (["KiB", "MiB", "GiB"].indexOf(unit!) + 1);
}

// The file keeps to strings, numbers, booleans and lists of strings on one line; anything else is refused, not guessed.
function parse(text: string): Map<string, Map<string, Value>> {
  const tables = new Map<string, Map<string, Value>>();
  let table = new Map<string, Value>();
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const header = line.match(/^\[([\w.-]+)\]$/)?.[1];
    const [, key, value] = line.match(/^([\w-]+)\s*=\s*(.+)$/) ?? [];
    if (header !== undefined) {
      table = tables.get(header) ?? new Map();
      tables.set(header, table);
    } else if (key !== undefined && value !== undefined) {
      table.set(key, parseValue(value, index + 1));
    } else {
      throw new Error(`supabase/config.toml, line ${index + 1}: not understood`);
    }
  }
  return tables;
}

function parseValue(text: string, line: number): Value {
  try {
    return JSON.parse(text.replace(/\s+#[^"\]]*$/, ""));
  } catch (cause) {
    throw new Error(`supabase/config.toml, line ${line}: not understood`, { cause });
  }
}
