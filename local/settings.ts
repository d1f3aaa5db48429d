// Settings of the local platform from environment variables, its constant names, and its keys.
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { ownKeys } from "./own_keys.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
export const STATE = join(ROOT, ".local");
export const FUNCTIONS = join(ROOT, "supabase", "functions");

/** What opens the platform is made at the first start and never committed. The publishable key protects nothing. */
export const { SECRET_KEY, JWT_SECRET, S3_SECRET_ACCESS_KEY } = ownKeys(STATE);
export const PUBLISHABLE_KEY = "sb_publishable_ParkingLotLocalDevOnly_00000000";
export const ANON_KEY = legacyKey("anon");
export const SERVICE_ROLE_KEY = legacyKey("service_role");

/** Object storage. */
export const S3_BUCKET = "assets";
export const S3_PRIVATE_BUCKET = "assets-private";
const S3_ACCESS_KEY_ID = "ParkingLotLocalDevOnly";
const S3_REGION = "local";

/** The names of `supabase status -o json`. */
export interface Status {
  readonly API_URL: string;
  readonly REST_URL: string;
  readonly FUNCTIONS_URL: string;
  readonly DB_URL: string;
  readonly PUBLISHABLE_KEY: string;
  readonly SECRET_KEY: string;
  readonly ANON_KEY: string;
  readonly SERVICE_ROLE_KEY: string;
  readonly JWT_SECRET: string;
  readonly MAILPIT_URL: string;
  readonly STORAGE_S3_URL: string;
  readonly S3_PROTOCOL_ACCESS_KEY_ID: string;
  readonly S3_PROTOCOL_ACCESS_KEY_SECRET: string;
  readonly S3_PROTOCOL_REGION: string;
  /** The stand-ins of the providers (local/standins). */
  readonly PROVIDERS_URL?: string;
  /** The read replica, where there is one. */
  readonly REPLICA_DB_URL?: string;
}

export function status(port: number, databaseUrl: string): Status {
  const origin = `http://127.0.0.1:${port}`;
  return {
    API_URL: origin,
    REST_URL: `${origin}/rest/v1`,
    FUNCTIONS_URL: `${origin}/functions/v1`,
    DB_URL: databaseUrl,
    PUBLISHABLE_KEY,
    SECRET_KEY,
    ANON_KEY,
    SERVICE_ROLE_KEY,
    JWT_SECRET,
    MAILPIT_URL: `${origin}/_mail`,
    STORAGE_S3_URL: `${origin}/storage/v1/s3`,
    S3_PROTOCOL_ACCESS_KEY_ID: S3_ACCESS_KEY_ID,
    S3_PROTOCOL_ACCESS_KEY_SECRET: S3_SECRET_ACCESS_KEY,
    S3_PROTOCOL_REGION: S3_REGION,
  };
}

export function gatewayPort(): number {
  return wholeNumber("LOCAL_PORT", 54321, 1, 65535);
}

/** What access tokens are signed with: the shared secret, or the key whose public half is published. */
export type JwtAlgorithm = "HS256" | "ES256";

/** What the auth server signs access tokens with. Either kind is accepted, as by a hosted project that has both. */
export function jwtAlgorithm(): JwtAlgorithm {
  const name = Deno.env.get("LOCAL_JWT_ALG") || "ES256";
  if (name === "HS256" || name === "ES256") return name;
  console.error(`LOCAL_JWT_ALG must be HS256 or ES256, not "${name}"`);
  Deno.exit(1);
}

/** Whether Realtime's public channels can be joined, as a hosted project's setting "Allow public access". */
export function realtimePrivateOnly(): boolean {
  const value = Deno.env.get("LOCAL_REALTIME_PUBLIC") || "on";
  if (value === "on" || value === "off") return value === "off";
  console.error(`LOCAL_REALTIME_PUBLIC must be on or off, not "${value}"`);
  Deno.exit(1);
}

/** Whether the database has a read replica, which serves every other GET request of the Data API. */
export function hasReplica(): boolean {
  const value = Deno.env.get("LOCAL_REPLICA") || "0";
  if (value === "0" || value === "1") return value === "1";
  console.error(`LOCAL_REPLICA must be 0 or 1, not "${value}"`);
  Deno.exit(1);
}

/** The rules of accounts: as a hosted project has them, or relaxed for development. */
export type AuthRules = "hosted" | "relaxed";

/** Which rules the auth server follows. */
export function authRules(): AuthRules {
  const rules = Deno.env.get("LOCAL_AUTH_RULES") || "relaxed";
  if (rules === "hosted" || rules === "relaxed") return rules;
  console.error(`LOCAL_AUTH_RULES must be hosted or relaxed, not "${rules}"`);
  Deno.exit(1);
}

/**
 * The host name by which clients reach the platform: of this machine in its network for a phone, 10.0.2.2 for an Android
 * emulator. Addresses in replies and mails begin with it.
 */
export function publicHost(): string {
  const host = Deno.env.get("LOCAL_HOST") || "127.0.0.1";
  if (URL.canParse(`http://${host}:1/`) && new URL(`http://${host}:1/`).hostname === host.toLowerCase()) return host;
  console.error(`LOCAL_HOST must be a host name or an IP address without a port, not "${host}"`);
  Deno.exit(1);
}

/** Names under which only this machine reaches itself, and emulators on it. */
const OF_THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\]|10\.0\.2\.2|10\.0\.3\.2)$/i;

/** What the gateway listens on: all addresses only when a client in the network is to reach it. */
export function listenAddress(host: string): string {
  return isOfThisMachine(host) ? "127.0.0.1" : "0.0.0.0";
}

export function isOfThisMachine(host: string): boolean {
  return OF_THIS_MACHINE.test(host);
}

/** Sign-ins, sign-ups and one-time codes of one IP address per minute. */
export function authRate(): number {
  return wholeNumber("LOCAL_AUTH_RATE", 10, 1, 1_000_000);
}

/** The header that a trusted proxy in front of the gateway sets to the client's address; none unless it is named. */
export function addressHeader(): string | undefined {
  return Deno.env.get("LOCAL_ADDRESS_HEADER") || undefined;
}

/** The Deno that runs the functions: this one unless LOCAL_FUNCTIONS_DENO names another. */
export function functionsDeno(): string {
  return Deno.env.get("LOCAL_FUNCTIONS_DENO") || Deno.execPath();
}

// Only the commands read settings, before anything runs: a wrong one ends them with an error message.
function wholeNumber(name: string, fallback: number, least: number, most: number): number {
  const text = Deno.env.get(name);
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) {
    console.error(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
    Deno.exit(1);
  }
  return value;
}

function legacyKey(role: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part({ alg: "HS256", typ: "JWT" })}.${part({ iss: "supabase-demo", role, exp: 1983812996 })}`;
  return `${body}.${createHmac("sha256", JWT_SECRET).update(body).digest("base64url")}`;
}
