// The part of supabase/config.toml that the local platform follows.
import { join } from "node:path";
import { ROOT } from "./settings.ts";
import type { Bucket } from "./storage/storage.ts";

export interface Config {
  readonly schemas: readonly string[];
  readonly maxRows: number;
  readonly jwtExpiry: number;
  readonly minimumPasswordLength: number;
  readonly refreshTokenReuseInterval: number;
  readonly buckets: readonly Bucket[];
  /** Bytes. */
  readonly fileSizeLimit: number;
  /** Whether the gateway checks the token before the function sees the request. */
  verifyJwt(name: string): boolean;
  /** The file with the function's import map, if this file names one. */
  importMap(name: string): string | undefined;
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
    jwtExpiry: get("auth", "jwt_expiry", 3600),
    minimumPasswordLength: get("auth", "minimum_password_length", 6),
    refreshTokenReuseInterval: get("auth", "refresh_token_reuse_interval", 10),
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
