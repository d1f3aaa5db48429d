/** The environment of a function, read and validated once. No other module reads the environment. */

import { DEFAULT_LOG, LOG_LEVELS, type LogSettings } from "./http/log.ts";
import { isHttpUrl, type ProviderSettings, readProviderSettings } from "./provider_settings.ts";

export const VERSION = "0.1.0";

export interface Config {
  /** Origin of the gateway. The Data API is below it. */
  readonly gatewayUrl: string;
  /** Origin for reads that any database of the project may answer: the load balancer if there are read replicas. */
  readonly readsUrl: string;
  /** `{base_url}` of the contract: the address before `/v1/` for clients. */
  readonly baseUrl: string;
  /** Address of the console, for invitation links. Null: the default address of links in mails. */
  readonly consoleUrl: string | null;
  /** Public base address of stored assets. */
  readonly cdnUrl: string;
  readonly tokens: TokenConfig;
  readonly log: LogSettings;
  /** The publishable key and the anonymous key, which clients without a session may send as bearer token. */
  readonly anonymousKeys: readonly string[];
  /** The secret key and the service role key, which trusted services send as bearer token. */
  readonly serviceKeys: readonly string[];
  /** Null if not configured. Only functions that store files need it. */
  readonly storage: StorageConfig | null;
  readonly apps: AppsConfig;
  /** External services. Null for each that is not configured. */
  readonly providers: ProviderSettings;
}

/** The apps that open links of the site, for the association documents of Apple and Google. */
export interface AppsConfig {
  /** Each in the form `<team id>.<bundle id>`. */
  readonly appleAppIds: readonly string[];
  /** Paths that the iOS apps open, as Apple's path patterns. */
  readonly linkPaths: readonly string[];
  readonly android: { readonly packageName: string; readonly certFingerprints: readonly string[] } | null;
}

/** Location of the objects (S3 protocol). */
export interface StorageConfig {
  readonly endpoint: string;
  /** Address for clients, if it differs. */
  readonly publicEndpoint: string;
  readonly region: string;
  /** The public bucket. */
  readonly bucket: string;
  readonly privateBucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Verification of access tokens. */
export interface TokenConfig {
  /** Accepted algorithms. A token's header selects one of them. */
  readonly algorithms: readonly TokenAlgorithm[];
  /** The shared secret of HS256. Null if the project has none. */
  readonly secret: Uint8Array | null;
  /** Address of the project's public keys. Only read if an algorithm needs them. */
  readonly jwksUrl: string;
  /** Required value of `iss`. Null accepts any issuer, because only the project's own keys verify a token. */
  readonly issuer: string | null;
}

const TOKEN_ALGORITHMS = ["HS256", "ES256", "RS256"] as const;

export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** HS256 requires a key that is at least as long as its hash. */
const MIN_SECRET_BYTES = 32;

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export function readConfig(get: (name: string) => string | undefined = (name) => Deno.env.get(name)): Config {
  const problems: string[] = [];
  const required = (name: string) => {
    const value = get(name);
    if (!value) problems.push(`${name} is missing`);
    return value ?? "";
  };
  const address = (name: string, value = get(name)) => {
    if (value && !isHttpUrl(value)) problems.push(`${name} is not an http(s) URL`);
    return value?.replace(/\/+$/, "") ?? "";
  };
  /**
   * A key of the new format (the one named default) and a key of the old format. At least one is required, and the new
   * one comes first.
   */
  const keys = (newName: string, oldName: string): string[] => {
    const json = get(newName);
    const newKey = json ? keyNamedDefault(json) : undefined;
    if (json && newKey === undefined) problems.push(`${newName} is not JSON of the form {"default": "..."}`);
    const found = [newKey, get(oldName)].filter((key) => key !== undefined && key !== "") as string[];
    if (found.length === 0 && !json) problems.push(`${newName} and ${oldName} are missing`);
    return found;
  };

  const gatewayUrl = address("SUPABASE_URL", required("SUPABASE_URL"));
  const readsUrl = address("READS_URL") || gatewayUrl;
  const anonymousKeys = keys("SUPABASE_PUBLISHABLE_KEYS", "SUPABASE_ANON_KEY");
  const serviceKeys = keys("SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY");
  const jwtSecret = readSecret(get, "JWT_SECRET", problems);
  const tokens: TokenConfig = {
    algorithms: readAlgorithms(get, jwtSecret !== null, problems),
    secret: jwtSecret,
    jwksUrl: address("JWKS_URL") || `${gatewayUrl}/auth/v1/.well-known/jwks.json`,
    issuer: get("JWT_ISSUER") || null,
  };
  const baseUrl = address("BASE_URL") || `${gatewayUrl}/functions`;
  const cdnUrl = address("CDN_URL") ||
    `${gatewayUrl}/storage/v1/object/public/assets`;
  const consoleUrl = address("CONSOLE_URL") || null;

  const storage = get("S3_ENDPOINT")
    ? {
      endpoint: address("S3_ENDPOINT"),
      publicEndpoint: address("S3_PUBLIC_ENDPOINT") || address("S3_ENDPOINT"),
      region: get("S3_REGION") || "us-east-1",
      bucket: get("S3_BUCKET") || "assets",
      privateBucket: get("S3_PRIVATE_BUCKET") || "assets-private",
      accessKeyId: required("S3_ACCESS_KEY_ID"),
      secretAccessKey: required("S3_SECRET_ACCESS_KEY"),
    }
    : null;
  if (storage && storage.bucket === storage.privateBucket) problems.push("S3_PRIVATE_BUCKET is the same as S3_BUCKET");

  const apps = readApps(get, problems);
  const providers = readProviderSettings(get, problems);
  const log = readLog(get, problems);

  if (problems.length > 0) throw new ConfigError(problems.join("; "));
  return {
    gatewayUrl,
    readsUrl,
    baseUrl,
    consoleUrl,
    cdnUrl,
    tokens,
    log,
    anonymousKeys,
    serviceKeys,
    storage,
    apps,
    providers,
  };
}

function readLog(get: (name: string) => string | undefined, problems: string[]): LogSettings {
  const name = get("LOG_LEVEL") || DEFAULT_LOG.level;
  const level = LOG_LEVELS.find((level) => level === name);
  if (level === undefined) problems.push(`LOG_LEVEL is none of ${LOG_LEVELS.join(", ")}`);
  const slowRequestMs = Number(get("SLOW_REQUEST_MS") || DEFAULT_LOG.slowRequestMs);
  if (!(slowRequestMs >= 1 && slowRequestMs <= 60_000)) {
    problems.push("SLOW_REQUEST_MS is not a number from 1 to 60000");
  }
  return { level: level ?? DEFAULT_LOG.level, slowRequestMs };
}

function readSecret(
  get: (name: string) => string | undefined,
  name: string,
  problems: string[],
): Uint8Array | null {
  const text = get(name);
  if (!text) return null;
  const secret = new TextEncoder().encode(text);
  if (secret.length < MIN_SECRET_BYTES) problems.push(`${name} is shorter than ${MIN_SECRET_BYTES} bytes`);
  return secret;
}

/** Default: HS256 if there is a secret for it, and the algorithms of the project's public keys. */
function readAlgorithms(
  get: (name: string) => string | undefined,
  hasSecret: boolean,
  problems: string[],
): TokenAlgorithm[] {
  const names = (get("JWT_ALGORITHMS") ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (names.length === 0) return TOKEN_ALGORITHMS.filter((name) => name !== "HS256" || hasSecret);
  const isKnown = (name: string): name is TokenAlgorithm => TOKEN_ALGORITHMS.some((known) => known === name);
  if (!names.every(isKnown)) problems.push(`JWT_ALGORITHMS is not a list of ${TOKEN_ALGORITHMS.join(", ")}`);
  if (names.includes("HS256") && !hasSecret) {
    problems.push("JWT_SECRET is missing, which HS256 in JWT_ALGORITHMS needs");
  }
  return names.filter(isKnown);
}

const APPLE_APP_ID = /^[A-Z0-9]{10}\.[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
const LINK_PATH = /^\/[!-~]*$/;
const ANDROID_PACKAGE = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;
const FINGERPRINT = /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/;

function readApps(get: (name: string) => string | undefined, problems: string[]): AppsConfig {
  const list = (name: string, form: RegExp, what: string) => {
    const items = (get(name) ?? "").split(",").map((item) => item.trim()).filter((item) => item !== "");
    if (!items.every((item) => form.test(item))) problems.push(`${name} is not a list of ${what}`);
    return items;
  };
  const appleAppIds = list("APPLE_APP_IDS", APPLE_APP_ID, "<team id>.<bundle id>, with commas between");
  const linkPaths = list("APP_LINK_PATHS", LINK_PATH, "paths, with commas between");
  const [packageName, ...others] = list("ANDROID_PACKAGE", ANDROID_PACKAGE, "package names");
  const certFingerprints = list("ANDROID_CERT_FINGERPRINTS", FINGERPRINT, "SHA-256 fingerprints (AA:BB:…)");
  if (others.length > 0) problems.push("ANDROID_PACKAGE is more than one package name");
  if ((packageName === undefined) !== (certFingerprints.length === 0)) {
    problems.push("ANDROID_PACKAGE and ANDROID_CERT_FINGERPRINTS go together");
  }
  return {
    appleAppIds,
    linkPaths: linkPaths.length > 0 ? linkPaths : ["/parking-lots/*", "/articles/*"],
    android: packageName === undefined ? null : { packageName, certFingerprints },
  };
}

function keyNamedDefault(json: string): string | undefined {
  try {
    const keys: unknown = JSON.parse(json);
    if (typeof keys !== "object" || keys === null || !("default" in keys)) return undefined;
    return typeof keys.default === "string" && keys.default !== "" ? keys.default : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
