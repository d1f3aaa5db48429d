/** The environment of a function, read and validated once. No other module reads the environment. */

import { z } from "zod";
import { json, list, needs, numberOr, parseVariables, requiredUrl, rule, text, url } from "./environment.ts";
import { DEFAULT_LOG, type LogSettings } from "./http/log.ts";
import { LOG_LEVELS } from "./http/log_writer.ts";
import { PROVIDER_RULES, type ProviderSettings, providersOf, providerVariables } from "./provider_settings.ts";

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
  /** The bearer token of the monitoring system that reads metrics. Null: there are no metrics, and requests are not counted. */
  readonly metricsToken: string | null;
  /** The publishable key and the anonymous key, which clients without a session may send as bearer token. */
  readonly anonymousKeys: readonly string[];
  /** The secret key and the service role key, which trusted services send as bearer token. */
  readonly serviceKeys: readonly string[];
  /** Null: spans are not recorded. */
  readonly tracing: TracingConfig | null;
  /** Null if not configured. Only functions that store files need it. */
  readonly storage: StorageConfig | null;
  readonly apps: AppsConfig;
  /** External services. Null for each that is not configured. */
  readonly providers: ProviderSettings;
}

/** Where spans are sent (OpenTelemetry Protocol over HTTP). */
export interface TracingConfig {
  /** The base address of the collector. Spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: TracesSampler;
  /** The share of traces that `traceidratio` records. */
  readonly ratio: number;
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

/** A token that a client of the public internet must not guess. */
const MIN_TOKEN_LENGTH = 32;

/** API keys of the new kind, by name; the service uses the one named default. */
const apiKeys = json(z.object({ default: z.string().min(1) }), 'JSON of the form {"default": "..."}')
  .transform((keys) => keys?.default);

const secret = z.string().transform((value) => new TextEncoder().encode(value))
  .refine(({ length }) => length >= MIN_SECRET_BYTES, `is shorter than ${MIN_SECRET_BYTES} bytes`).optional();

const algorithms = z.string().transform((names) => names.split(",").map((name) => name.trim()).filter(Boolean))
  .pipe(
    z.array(z.string()).refine(
      (names): names is TokenAlgorithm[] => names.every((name) => TOKEN_ALGORITHMS.some((known) => known === name)),
      `is not a list of ${TOKEN_ALGORITHMS.join(", ")}`,
    ),
  ).optional();

const TRACES_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export type TracesSampler = (typeof TRACES_SAMPLERS)[number];

/** A header of OTEL_EXPORTER_OTLP_HEADERS: visible ASCII characters, which may be percent-encoded. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+)=((?:%(?:[2-6][\dA-Fa-f]|7[\dA-Ea-e])|[ -$&-+\--~])*)$/;

const headers = z.string().default("").transform((value) => value.split(",").map((pair) => pair.trim()).filter(Boolean))
  .refine((pairs) => pairs.every((pair) => HEADER.test(pair)), "is not a list of name=value with commas between")
  .transform((pairs) =>
    Object.fromEntries(pairs.map((pair) => {
      const [, name, value] = HEADER.exec(pair)!;
      return [name!, decodeURIComponent(value!)];
    }))
  );

const APPLE_APP_ID = /^[A-Z0-9]{10}\.[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
const LINK_PATH = /^\/[!-~]*$/;
const ANDROID_PACKAGE = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;
const FINGERPRINT = /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/;

const variables = {
  SUPABASE_URL: requiredUrl,
  SUPABASE_PUBLISHABLE_KEYS: apiKeys,
  SUPABASE_ANON_KEY: text,
  SUPABASE_SECRET_KEYS: apiKeys,
  SUPABASE_SERVICE_ROLE_KEY: text,
  JWT_SECRET: secret,
  JWT_ALGORITHMS: algorithms,
  JWKS_URL: url,
  JWT_ISSUER: text,
  READS_URL: url,
  BASE_URL: url,
  CDN_URL: url,
  CONSOLE_URL: url,
  LOG_LEVEL: z.enum(LOG_LEVELS, `is none of ${LOG_LEVELS.join(", ")}`).default(DEFAULT_LOG.level),
  LOG_SUCCESS_SHARE: numberOr(DEFAULT_LOG.successShare, 0, 1),
  SLOW_REQUEST_MS: numberOr(DEFAULT_LOG.slowRequestMs, 1, 60_000),
  METRICS_TOKEN: z.string().regex(
    new RegExp(`^[!-~]{${MIN_TOKEN_LENGTH},}$`),
    `is not a token of at least ${MIN_TOKEN_LENGTH} visible ASCII characters`,
  ).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
  OTEL_SERVICE_NAME: z.string().default("parking-lots"),
  OTEL_TRACES_SAMPLER: z.enum(TRACES_SAMPLERS, `is none of ${TRACES_SAMPLERS.join(", ")}`)
    .default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: numberOr(1, 0, 1),
  S3_ENDPOINT: url,
  S3_PUBLIC_ENDPOINT: url,
  S3_REGION: z.string().default("us-east-1"),
  S3_BUCKET: z.string().default("assets"),
  S3_PRIVATE_BUCKET: z.string().default("assets-private"),
  S3_ACCESS_KEY_ID: text,
  S3_SECRET_ACCESS_KEY: text,
  APPLE_APP_IDS: list(APPLE_APP_ID, "<team id>.<bundle id>, with commas between"),
  APP_LINK_PATHS: list(LINK_PATH, "paths, with commas between"),
  ANDROID_PACKAGE: list(ANDROID_PACKAGE, "package names")
    .refine((names) => names.length <= 1, "is more than one package name"),
  ANDROID_CERT_FINGERPRINTS: list(FINGERPRINT, "SHA-256 fingerprints (AA:BB:…)"),
  ...providerVariables,
};

type Env = z.output<z.ZodObject<typeof variables>>;

/** Every environment variable of the functions. */
export const Environment = z.object(variables).check(
  oneOf("SUPABASE_PUBLISHABLE_KEYS", "SUPABASE_ANON_KEY"),
  oneOf("SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY"),
  rule<Env>(({ JWT_ALGORITHMS, JWT_SECRET }) =>
    Array.isArray(JWT_ALGORITHMS) && JWT_ALGORITHMS.includes("HS256") && JWT_SECRET === undefined
      ? "JWT_SECRET is missing, which HS256 in JWT_ALGORITHMS needs"
      : undefined
  ),
  needs<Env>("S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"),
  rule<Env>((env) =>
    env.S3_ENDPOINT !== undefined && env.S3_BUCKET === env.S3_PRIVATE_BUCKET
      ? "S3_PRIVATE_BUCKET is the same as S3_BUCKET"
      : undefined
  ),
  rule<Env>(({ ANDROID_PACKAGE, ANDROID_CERT_FINGERPRINTS }) =>
    (ANDROID_PACKAGE?.length === 0) !== (ANDROID_CERT_FINGERPRINTS?.length === 0)
      ? "ANDROID_PACKAGE and ANDROID_CERT_FINGERPRINTS go together"
      : undefined
  ),
  ...PROVIDER_RULES,
);

/** At least one of two API keys: the new kind or the old one. */
function oneOf(newName: keyof Env, oldName: keyof Env) {
  return rule<Env>((env) =>
    env[newName] === undefined && env[oldName] === undefined ? `${newName} and ${oldName} are missing` : undefined
  );
}

/** The settings of the functions. Throws a ConfigError that names every variable that is missing or wrong. */
export function readConfig(get: (name: string) => string | undefined = (name) => Deno.env.get(name)): Config {
  const env = parseVariables(Environment, get);
  const gatewayUrl = env.SUPABASE_URL;
  const isSet = (key: string | undefined) => key !== undefined;
  return {
    gatewayUrl,
    readsUrl: env.READS_URL ?? gatewayUrl,
    baseUrl: env.BASE_URL ?? `${gatewayUrl}/functions`,
    consoleUrl: env.CONSOLE_URL ?? null,
    cdnUrl: env.CDN_URL ?? `${gatewayUrl}/storage/v1/object/public/assets`,
    tokens: tokensOf(env),
    log: { level: env.LOG_LEVEL, slowRequestMs: env.SLOW_REQUEST_MS, successShare: env.LOG_SUCCESS_SHARE },
    metricsToken: env.METRICS_TOKEN ?? null,
    // The new kind first.
    anonymousKeys: [env.SUPABASE_PUBLISHABLE_KEYS, env.SUPABASE_ANON_KEY].filter(isSet),
    serviceKeys: [env.SUPABASE_SECRET_KEYS, env.SUPABASE_SERVICE_ROLE_KEY].filter(isSet),
    tracing: tracingOf(env),
    storage: storageOf(env),
    apps: appsOf(env),
    providers: providersOf(env),
  };
}

/** By default the project's public keys verify tokens, and the shared secret if there is one. */
function tokensOf({ SUPABASE_URL, JWT_SECRET, JWT_ALGORITHMS, JWKS_URL, JWT_ISSUER }: Env): TokenConfig {
  return {
    algorithms: JWT_ALGORITHMS?.length
      ? JWT_ALGORITHMS
      : TOKEN_ALGORITHMS.filter((name) => name !== "HS256" || JWT_SECRET !== undefined),
    secret: JWT_SECRET ?? null,
    jwksUrl: JWKS_URL ?? `${SUPABASE_URL}/auth/v1/.well-known/jwks.json`,
    issuer: JWT_ISSUER ?? null,
  };
}

function tracingOf(env: Env): TracingConfig | null {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return null;
  return {
    endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: env.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: env.OTEL_SERVICE_NAME,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
  };
}

function storageOf(env: Env): StorageConfig | null {
  if (env.S3_ENDPOINT === undefined) return null;
  return {
    endpoint: env.S3_ENDPOINT,
    publicEndpoint: env.S3_PUBLIC_ENDPOINT ?? env.S3_ENDPOINT,
    region: env.S3_REGION,
    bucket: env.S3_BUCKET,
    privateBucket: env.S3_PRIVATE_BUCKET,
    accessKeyId: env.S3_ACCESS_KEY_ID!,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
  };
}

function appsOf(env: Env): AppsConfig {
  const [packageName] = env.ANDROID_PACKAGE;
  return {
    appleAppIds: env.APPLE_APP_IDS,
    linkPaths: env.APP_LINK_PATHS.length > 0 ? env.APP_LINK_PATHS : ["/parking-lots/*", "/articles/*"],
    android: packageName === undefined ? null : { packageName, certFingerprints: env.ANDROID_CERT_FINGERPRINTS },
  };
}
