/** The settings of external services. config.ts reads them together with the rest of the environment. */
import { z } from "zod";
import {
  flag,
  isHttpUrl,
  json,
  list,
  needs,
  numberOr,
  parseVariables,
  pem,
  rule,
  text,
  together,
  url,
  urlOr,
} from "./environment.ts";

/** A Google service account, as in its JSON key file. */
export interface GoogleServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly privateKeyId: string | null;
  readonly tokenUri: string;
}

/** Firebase Cloud Messaging. */
export interface PushConfig {
  readonly projectId: string;
  readonly apiUrl: string;
  readonly account: GoogleServiceAccount;
}

/** Signed transactions and notifications of the App Store, and the App Store Server API. */
export interface AppStoreConfig {
  readonly bundleId: string;
  /** The app's id in the App Store, which Production notifications contain. Null disables the check. */
  readonly appId: number | null;
  readonly environments: readonly ("Production" | "Sandbox")[];
  /** The accounts that may have purchases of Sandbox: ids and e-mail addresses in lower case. Empty: every account. */
  readonly sandboxTesters: readonly string[];
  /** Trusted root certificates in PEM. Null: Apple's root. */
  readonly rootCertificates: string | null;
  /** Whether revocation is checked with Apple's OCSP responder. */
  readonly onlineChecks: boolean;
  /** Null: signed transactions are accepted without a request to Apple. */
  readonly api: (AppleKey & { readonly url: string; readonly sandboxUrl: string }) | null;
}

/** An App Store Connect API key, for ES256 tokens. */
export interface AppleKey {
  readonly issuerId: string;
  readonly keyId: string;
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
}

/** Sales, reviews and analytics of App Store Connect. */
export interface AppStoreConnectConfig extends AppleKey {
  readonly vendorNumber: string;
  readonly url: string;
  /** The app whose reviews and analytics are read. Null: it is looked up by `bundleId`. */
  readonly appId: number | null;
  readonly bundleId: string | null;
}

/** Google Play: purchases, reviews, vitals and the bucket of reports. */
export interface PlayConfig {
  readonly packageName: string;
  readonly apiUrl: string;
  readonly reportingApiUrl: string;
  readonly storageApiUrl: string;
  readonly reportsBucket: string | null;
  readonly account: GoogleServiceAccount;
}

/** How the bearer token of a real-time developer notification is verified. */
export interface PlayNotificationsConfig {
  readonly audience: string;
  /** E-mail address of the service account that Pub/Sub signs with. */
  readonly account: string;
  readonly jwksUrl: string;
}

/** Mail over an HTTP API. */
export interface MailConfig {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly from: string;
}

/** An AI gateway with an API compatible with OpenAI's chat completions. */
export interface AiConfig {
  readonly url: string;
  /** Null if the headers contain the credentials. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** In the order of calls. */
  readonly models: readonly string[];
  readonly timeoutMs: number;
  readonly budgetMs: number;
  /** Per million tokens. Null: the cost of a call is unknown. */
  readonly prices: AiPrices | null;
}

export interface AiPrices {
  readonly currency: string;
  readonly models: Readonly<Record<string, { readonly input: number; readonly output: number }>>;
}

export interface AiSearchConfig {
  /** Null: only the rules parser is used. */
  readonly gateway: AiConfig | null;
  /** A text with at least this confidence of the rules parser is answered without a model. */
  readonly rulesThreshold: number;
  /** Whether the texts of searches are stored for 30 days. */
  readonly logText: boolean;
}

export interface GeocoderConfig {
  readonly kind: "gsi" | "nominatim";
  readonly url: string;
  readonly userAgent: string;
}

export interface ProviderSettings {
  readonly push: PushConfig | null;
  readonly appStore: AppStoreConfig | null;
  readonly appStoreConnect: AppStoreConnectConfig | null;
  readonly play: PlayConfig | null;
  readonly playNotifications: PlayNotificationsConfig | null;
  readonly mail: MailConfig | null;
  readonly aiSearch: AiSearchConfig;
  readonly geocoder: GeocoderConfig | null;
}

const STORE_ENVIRONMENTS = ["Production", "Sandbox"] as const;
/** A user id or an e-mail address. */
const TESTER = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[^\s@]+@[^\s@]+)$/i;
const MODEL = /^[\w./:@-]{1,100}$/;
const GEOCODERS = { gsi: "https://msearch.gsi.go.jp", nominatim: "https://nominatim.openstreetmap.org" } as const;

const serviceAccount = json(
  z.object({
    client_email: z.string(),
    private_key: z.string().includes("PRIVATE KEY"),
    private_key_id: z.string().nullable().default(null),
    token_uri: z.string().refine(isHttpUrl),
  }).transform(({ client_email, private_key, private_key_id, token_uri }): GoogleServiceAccount => ({
    clientEmail: client_email,
    privateKey: private_key.replaceAll("\\n", "\n"),
    privateKeyId: private_key_id,
    tokenUri: token_uri,
  })),
  "the JSON key file of a service account",
);

const storeEnvironments = z.string().default(STORE_ENVIRONMENTS.join()).transform((text, context) => {
  const names = text.split(",").map((name) => name.trim());
  const known = STORE_ENVIRONMENTS.filter((name) => names.includes(name));
  if (known.length !== names.length) {
    context.addIssue({ code: "custom", message: `is not a list of ${STORE_ENVIRONMENTS.join(", ")}` });
  }
  return known;
});

const prices = json(
  z.object({ currency: z.string().regex(/^[A-Z]{3}$/) }).catchall(z.object({ input: z.number(), output: z.number() }))
    .transform(({ currency, ...models }): AiPrices => ({ currency, models })),
  '{"currency": "USD", "<model>": {"input": 1, "output": 2}}',
);

/** The environment variables of the providers. */
export const providerVariables = {
  GOOGLE_SERVICE_ACCOUNT: serviceAccount,
  FCM_PROJECT_ID: text,
  FCM_API_URL: urlOr("https://fcm.googleapis.com"),
  APP_STORE_BUNDLE_ID: text,
  APP_STORE_APP_ID: z.string().regex(/^\d{1,15}$/, "is not a number").transform(Number).optional(),
  APP_STORE_ENVIRONMENTS: storeEnvironments,
  APP_STORE_SANDBOX_TESTERS: list(TESTER, "user ids and e-mail addresses"),
  APP_STORE_ROOT_CERTIFICATES: pem("CERTIFICATE"),
  APP_STORE_ONLINE_CHECKS: flag,
  APP_STORE_ISSUER_ID: text,
  APP_STORE_KEY_ID: text,
  APP_STORE_PRIVATE_KEY: pem("PRIVATE KEY"),
  APP_STORE_API_URL: urlOr("https://api.storekit.apple.com"),
  APP_STORE_SANDBOX_API_URL: urlOr("https://api.storekit-sandbox.apple.com"),
  APP_STORE_CONNECT_ISSUER_ID: text,
  APP_STORE_CONNECT_KEY_ID: text,
  APP_STORE_CONNECT_PRIVATE_KEY: pem("PRIVATE KEY"),
  APP_STORE_CONNECT_VENDOR_NUMBER: text,
  APP_STORE_CONNECT_API_URL: urlOr("https://api.appstoreconnect.apple.com"),
  PLAY_PACKAGE_NAME: text,
  PLAY_API_URL: urlOr("https://androidpublisher.googleapis.com"),
  PLAY_REPORTING_API_URL: urlOr("https://playdeveloperreporting.googleapis.com"),
  PLAY_STORAGE_API_URL: urlOr("https://storage.googleapis.com"),
  PLAY_REPORTS_BUCKET: text,
  PLAY_NOTIFICATIONS_AUDIENCE: text,
  PLAY_NOTIFICATIONS_ACCOUNT: text,
  GOOGLE_JWKS_URL: urlOr("https://www.googleapis.com/oauth2/v3/certs"),
  MAIL_API_URL: url,
  MAIL_API_KEY: text,
  MAIL_FROM: text,
  AI_GATEWAY_URL: url,
  AI_GATEWAY_KEY: text,
  AI_GATEWAY_HEADERS: json(z.record(z.string().regex(/^[\w-]+$/), z.string()), "a JSON object of texts"),
  AI_MODELS: list(MODEL, "models, with commas between"),
  AI_TIMEOUT_MS: numberOr(8_000, 100, 60_000),
  AI_BUDGET_MS: numberOr(20_000, 100, 120_000),
  AI_PRICES: prices,
  AI_RULES_THRESHOLD: numberOr(0.8, 0, 1),
  AI_LOG_TEXT: flag,
  GEOCODER: z.enum(["gsi", "nominatim"], "is neither gsi nor nominatim").optional(),
  GEOCODER_URL: url,
  GEOCODER_USER_AGENT: z.string().default("parking-lot-service"),
};

type Env = z.output<z.ZodObject<typeof providerVariables>>;

/** Which variables of the providers are needed with which others. */
export const PROVIDER_RULES = [
  needs<Env>("FCM_PROJECT_ID", "GOOGLE_SERVICE_ACCOUNT"),
  needs<Env>("PLAY_PACKAGE_NAME", "GOOGLE_SERVICE_ACCOUNT"),
  together<Env>("APP_STORE_ISSUER_ID", "APP_STORE_KEY_ID", "APP_STORE_PRIVATE_KEY"),
  needs<Env>("APP_STORE_ISSUER_ID", "APP_STORE_BUNDLE_ID"),
  together<Env>(
    "APP_STORE_CONNECT_ISSUER_ID",
    "APP_STORE_CONNECT_KEY_ID",
    "APP_STORE_CONNECT_PRIVATE_KEY",
    "APP_STORE_CONNECT_VENDOR_NUMBER",
  ),
  together<Env>("PLAY_NOTIFICATIONS_AUDIENCE", "PLAY_NOTIFICATIONS_ACCOUNT"),
  together<Env>("MAIL_API_URL", "MAIL_API_KEY", "MAIL_FROM"),
  rule<Env>(({ AI_GATEWAY_URL, AI_MODELS }) => {
    if (AI_GATEWAY_URL !== undefined && AI_MODELS?.length === 0) {
      return "AI_MODELS is missing, which AI_GATEWAY_URL needs";
    }
    if (AI_GATEWAY_URL === undefined && AI_MODELS?.length !== 0) {
      return "AI_GATEWAY_URL is missing, which AI_MODELS needs";
    }
    return undefined;
  }),
] as const;

/** The settings of the providers alone, for clients that need no others. */
export function readProviderSettings(get: (name: string) => string | undefined): ProviderSettings {
  return providersOf(parseVariables(z.object(providerVariables).check(...PROVIDER_RULES), get));
}

export function providersOf(env: Env): ProviderSettings {
  return {
    push: pushOf(env),
    appStore: appStoreOf(env),
    appStoreConnect: appStoreConnectOf(env),
    play: playOf(env),
    playNotifications: env.PLAY_NOTIFICATIONS_AUDIENCE === undefined ? null : {
      audience: env.PLAY_NOTIFICATIONS_AUDIENCE,
      account: env.PLAY_NOTIFICATIONS_ACCOUNT!,
      jwksUrl: env.GOOGLE_JWKS_URL,
    },
    mail: env.MAIL_API_URL === undefined
      ? null
      : { apiUrl: env.MAIL_API_URL, apiKey: env.MAIL_API_KEY!, from: env.MAIL_FROM! },
    aiSearch: {
      gateway: aiGatewayOf(env),
      rulesThreshold: env.AI_RULES_THRESHOLD,
      logText: env.AI_LOG_TEXT,
    },
    geocoder: env.GEOCODER === undefined ? null : {
      kind: env.GEOCODER,
      url: env.GEOCODER_URL ?? GEOCODERS[env.GEOCODER],
      userAgent: env.GEOCODER_USER_AGENT,
    },
  };
}

function pushOf({ FCM_PROJECT_ID, FCM_API_URL, GOOGLE_SERVICE_ACCOUNT }: Env): PushConfig | null {
  if (FCM_PROJECT_ID === undefined) return null;
  return { projectId: FCM_PROJECT_ID, apiUrl: FCM_API_URL, account: GOOGLE_SERVICE_ACCOUNT! };
}

function appStoreOf(env: Env): AppStoreConfig | null {
  if (env.APP_STORE_BUNDLE_ID === undefined) return null;
  return {
    bundleId: env.APP_STORE_BUNDLE_ID,
    appId: env.APP_STORE_APP_ID ?? null,
    environments: env.APP_STORE_ENVIRONMENTS,
    sandboxTesters: env.APP_STORE_SANDBOX_TESTERS.map((tester) => tester.toLowerCase()),
    rootCertificates: env.APP_STORE_ROOT_CERTIFICATES ?? null,
    onlineChecks: env.APP_STORE_ONLINE_CHECKS,
    api: env.APP_STORE_ISSUER_ID === undefined ? null : {
      issuerId: env.APP_STORE_ISSUER_ID,
      keyId: env.APP_STORE_KEY_ID!,
      privateKey: env.APP_STORE_PRIVATE_KEY!,
      url: env.APP_STORE_API_URL,
      sandboxUrl: env.APP_STORE_SANDBOX_API_URL,
    },
  };
}

function appStoreConnectOf(env: Env): AppStoreConnectConfig | null {
  if (env.APP_STORE_CONNECT_ISSUER_ID === undefined) return null;
  return {
    issuerId: env.APP_STORE_CONNECT_ISSUER_ID,
    keyId: env.APP_STORE_CONNECT_KEY_ID!,
    privateKey: env.APP_STORE_CONNECT_PRIVATE_KEY!,
    vendorNumber: env.APP_STORE_CONNECT_VENDOR_NUMBER!,
    url: env.APP_STORE_CONNECT_API_URL,
    appId: env.APP_STORE_APP_ID ?? null,
    bundleId: env.APP_STORE_BUNDLE_ID ?? null,
  };
}

function playOf(env: Env): PlayConfig | null {
  if (env.PLAY_PACKAGE_NAME === undefined) return null;
  return {
    packageName: env.PLAY_PACKAGE_NAME,
    apiUrl: env.PLAY_API_URL,
    reportingApiUrl: env.PLAY_REPORTING_API_URL,
    storageApiUrl: env.PLAY_STORAGE_API_URL,
    reportsBucket: env.PLAY_REPORTS_BUCKET ?? null,
    account: env.GOOGLE_SERVICE_ACCOUNT!,
  };
}

function aiGatewayOf(env: Env): AiConfig | null {
  if (env.AI_GATEWAY_URL === undefined) return null;
  return {
    url: env.AI_GATEWAY_URL,
    key: env.AI_GATEWAY_KEY ?? null,
    headers: env.AI_GATEWAY_HEADERS ?? {},
    models: env.AI_MODELS,
    timeoutMs: env.AI_TIMEOUT_MS,
    budgetMs: env.AI_BUDGET_MS,
    prices: env.AI_PRICES ?? null,
  };
}
