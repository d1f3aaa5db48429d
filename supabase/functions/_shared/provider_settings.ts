/** The settings of external services. Only config.ts reads them from the environment. */

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

type Get = (name: string) => string | undefined;

/** Reads groups of settings. Reports each invalid setting, and each missing one whose group is partly set. */
class Settings {
  readonly #get: Get;
  readonly #problems: string[];

  constructor(get: Get, problems: string[]) {
    this.#get = get;
    this.#problems = problems;
  }

  text(name: string): string | null {
    return this.#get(name) || null;
  }

  url(name: string, fallback: string): string {
    const value = this.text(name) ?? fallback;
    if (!isHttpUrl(value)) this.#problems.push(`${name} is not an http(s) URL`);
    return value.replace(/\/+$/, "");
  }

  /**
   * A PEM block of this kind. `\
   * ` is allowed for line ends.
   */
  pem(name: string, kind: "PRIVATE KEY" | "CERTIFICATE"): string | null {
    const value = this.text(name)?.replaceAll("\\n", "\n") ?? null;
    if (value !== null && !isPem(value, kind)) {
      this.#problems.push(`${name} is not a PEM ${kind.toLowerCase()}`);
    }
    return value;
  }

  /** Whether all of these are set. If only some are set, that is a problem. */
  allOrNone(...names: readonly string[]): boolean {
    const missing = names.filter((name) => this.text(name) === null);
    if (missing.length > 0 && missing.length < names.length) {
      const present = names.filter((name) => !missing.includes(name));
      this.#problems.push(`${missing.join(" and ")} is missing, which ${present.join(" and ")} needs`);
    }
    return missing.length === 0;
  }

  /** A number within bounds. */
  number(name: string, fallback: number, min: number, max: number): number {
    const value = Number(this.text(name) ?? fallback);
    if (!(value >= min && value <= max)) this.#problems.push(`${name} is not a number from ${min} to ${max}`);
    return value;
  }

  boolean(name: string): boolean {
    const value = this.text(name) ?? "false";
    if (value !== "true" && value !== "false") this.#problems.push(`${name} is neither true nor false`);
    return value === "true";
  }

  /** A JSON object. Empty if it is not set. */
  object(name: string): Record<string, unknown> {
    const json = this.text(name);
    const value = json === null ? {} : objectIn(json);
    if (json !== null && Object.keys(value).length === 0) this.#problems.push(`${name} is not a JSON object`);
    return value;
  }

  problem(text: string): void {
    this.#problems.push(text);
  }
}

export function readProviderSettings(get: Get, problems: string[]): ProviderSettings {
  const settings = new Settings(get, problems);
  const account = readServiceAccount(get, problems);
  return {
    push: readPush(settings, account),
    appStore: readAppStore(settings),
    appStoreConnect: readAppStoreConnect(settings),
    play: readPlay(settings, account),
    playNotifications: readPlayNotifications(settings),
    mail: readMail(settings),
    aiSearch: readAiSearch(settings),
    geocoder: readGeocoder(settings),
  };
}

function readPush(settings: Settings, account: GoogleServiceAccount | null): PushConfig | null {
  const projectId = settings.text("FCM_PROJECT_ID");
  if (projectId === null) return null;
  settings.allOrNone("FCM_PROJECT_ID", "GOOGLE_SERVICE_ACCOUNT");
  return account && { projectId, apiUrl: settings.url("FCM_API_URL", "https://fcm.googleapis.com"), account };
}

const STORE_ENVIRONMENTS = ["Production", "Sandbox"] as const;

function readAppStore(settings: Settings): AppStoreConfig | null {
  const bundleId = settings.text("APP_STORE_BUNDLE_ID");
  const names = (settings.text("APP_STORE_ENVIRONMENTS") ?? STORE_ENVIRONMENTS.join()).split(",").map((name) =>
    name.trim()
  );
  const environments = STORE_ENVIRONMENTS.filter((name) => names.includes(name));
  if (environments.length !== names.length) {
    settings.problem(`APP_STORE_ENVIRONMENTS is not a list of ${STORE_ENVIRONMENTS.join(", ")}`);
  }
  const appId = settings.text("APP_STORE_APP_ID");
  if (appId !== null && !/^\d{1,15}$/.test(appId)) settings.problem("APP_STORE_APP_ID is not a number");
  const rootCertificates = settings.pem("APP_STORE_ROOT_CERTIFICATES", "CERTIFICATE");
  const hasApi = settings.allOrNone("APP_STORE_ISSUER_ID", "APP_STORE_KEY_ID", "APP_STORE_PRIVATE_KEY");
  const privateKey = settings.pem("APP_STORE_PRIVATE_KEY", "PRIVATE KEY");
  const url = settings.url("APP_STORE_API_URL", "https://api.storekit.apple.com");
  const sandboxUrl = settings.url("APP_STORE_SANDBOX_API_URL", "https://api.storekit-sandbox.apple.com");
  const onlineChecks = settings.boolean("APP_STORE_ONLINE_CHECKS");
  if (bundleId === null) {
    if (hasApi) settings.allOrNone("APP_STORE_BUNDLE_ID", "APP_STORE_ISSUER_ID");
    return null;
  }
  return {
    bundleId,
    appId: appId === null ? null : Number(appId),
    environments,
    rootCertificates,
    onlineChecks,
    api: hasApi
      ? {
        issuerId: settings.text("APP_STORE_ISSUER_ID")!,
        keyId: settings.text("APP_STORE_KEY_ID")!,
        privateKey: privateKey!,
        url,
        sandboxUrl,
      }
      : null,
  };
}

function readAppStoreConnect(settings: Settings): AppStoreConnectConfig | null {
  const isComplete = settings.allOrNone(
    "APP_STORE_CONNECT_ISSUER_ID",
    "APP_STORE_CONNECT_KEY_ID",
    "APP_STORE_CONNECT_PRIVATE_KEY",
    "APP_STORE_CONNECT_VENDOR_NUMBER",
  );
  const privateKey = settings.pem("APP_STORE_CONNECT_PRIVATE_KEY", "PRIVATE KEY");
  const url = settings.url("APP_STORE_CONNECT_API_URL", "https://api.appstoreconnect.apple.com");
  if (!isComplete) return null;
  const appId = settings.text("APP_STORE_APP_ID");
  return {
    issuerId: settings.text("APP_STORE_CONNECT_ISSUER_ID")!,
    keyId: settings.text("APP_STORE_CONNECT_KEY_ID")!,
    privateKey: privateKey!,
    vendorNumber: settings.text("APP_STORE_CONNECT_VENDOR_NUMBER")!,
    url,
    appId: appId === null ? null : Number(appId),
    bundleId: settings.text("APP_STORE_BUNDLE_ID"),
  };
}

function readPlay(settings: Settings, account: GoogleServiceAccount | null): PlayConfig | null {
  const packageName = settings.text("PLAY_PACKAGE_NAME");
  if (packageName === null) return null;
  settings.allOrNone("PLAY_PACKAGE_NAME", "GOOGLE_SERVICE_ACCOUNT");
  const apiUrl = settings.url("PLAY_API_URL", "https://androidpublisher.googleapis.com");
  const reportingApiUrl = settings.url("PLAY_REPORTING_API_URL", "https://playdeveloperreporting.googleapis.com");
  const storageApiUrl = settings.url("PLAY_STORAGE_API_URL", "https://storage.googleapis.com");
  const reportsBucket = settings.text("PLAY_REPORTS_BUCKET");
  return account && { packageName, apiUrl, reportingApiUrl, storageApiUrl, reportsBucket, account };
}

function readPlayNotifications(settings: Settings): PlayNotificationsConfig | null {
  const isComplete = settings.allOrNone("PLAY_NOTIFICATIONS_AUDIENCE", "PLAY_NOTIFICATIONS_ACCOUNT");
  const jwksUrl = settings.url("GOOGLE_JWKS_URL", "https://www.googleapis.com/oauth2/v3/certs");
  if (!isComplete) return null;
  return {
    audience: settings.text("PLAY_NOTIFICATIONS_AUDIENCE")!,
    account: settings.text("PLAY_NOTIFICATIONS_ACCOUNT")!,
    jwksUrl,
  };
}

function readMail(settings: Settings): MailConfig | null {
  const isComplete = settings.allOrNone("MAIL_API_URL", "MAIL_API_KEY", "MAIL_FROM");
  if (!isComplete) return null;
  return {
    apiUrl: settings.url("MAIL_API_URL", ""),
    apiKey: settings.text("MAIL_API_KEY")!,
    from: settings.text("MAIL_FROM")!,
  };
}

function readAiSearch(settings: Settings): AiSearchConfig {
  return {
    gateway: readAiGateway(settings),
    rulesThreshold: settings.number("AI_RULES_THRESHOLD", 0.8, 0, 1),
    logText: settings.boolean("AI_LOG_TEXT"),
  };
}

const MODEL = /^[\w./:@-]{1,100}$/;
const HEADER_NAME = /^[\w-]+$/;

function readAiGateway(settings: Settings): AiConfig | null {
  const models = (settings.text("AI_MODELS") ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (!models.every((name) => MODEL.test(name))) {
    settings.problem("AI_MODELS is not a list of models, with commas between");
  }
  const headers = settings.object("AI_GATEWAY_HEADERS");
  const isHeader = ([name, value]: [string, unknown]) => HEADER_NAME.test(name) && typeof value === "string";
  if (!Object.entries(headers).every(isHeader)) settings.problem("AI_GATEWAY_HEADERS is not an object of texts");
  const timeoutMs = settings.number("AI_TIMEOUT_MS", 8000, 100, 60_000);
  const budgetMs = settings.number("AI_BUDGET_MS", 20_000, 100, 120_000);
  const prices = readPrices(settings);
  if (!settings.allOrNone("AI_GATEWAY_URL", "AI_MODELS")) return null;
  return {
    url: settings.url("AI_GATEWAY_URL", ""),
    key: settings.text("AI_GATEWAY_KEY"),
    headers: headers as Record<string, string>,
    models,
    timeoutMs,
    budgetMs,
    prices,
  };
}

function readPrices(settings: Settings): AiPrices | null {
  const { currency, ...models } = settings.object("AI_PRICES");
  if (currency === undefined && Object.keys(models).length === 0) return null;
  const isPrice = (value: unknown): value is { input: number; output: number } =>
    typeof value === "object" && value !== null && "input" in value && "output" in value &&
    typeof value.input === "number" && typeof value.output === "number";
  if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency) || !Object.values(models).every(isPrice)) {
    settings.problem('AI_PRICES is not {"currency": "USD", "<model>": {"input": 1, "output": 2}}');
    return null;
  }
  return { currency, models: models as AiPrices["models"] };
}

const GEOCODERS = { gsi: "https://msearch.gsi.go.jp", nominatim: "https://nominatim.openstreetmap.org" } as const;

function readGeocoder(settings: Settings): GeocoderConfig | null {
  const kind = settings.text("GEOCODER");
  if (kind === null) return null;
  if (kind !== "gsi" && kind !== "nominatim") {
    settings.problem("GEOCODER is neither gsi nor nominatim");
    return null;
  }
  return {
    kind,
    url: settings.url("GEOCODER_URL", GEOCODERS[kind]),
    userAgent: settings.text("GEOCODER_USER_AGENT") ?? "parking-lot-service",
  };
}

function readServiceAccount(
  get: (name: string) => string | undefined,
  problems: string[],
): GoogleServiceAccount | null {
  const json = get("GOOGLE_SERVICE_ACCOUNT");
  if (!json) return null;
  const { client_email, private_key, private_key_id, token_uri } = objectIn(json);
  if (
    typeof client_email !== "string" || typeof private_key !== "string" || !private_key.includes("PRIVATE KEY") ||
    typeof token_uri !== "string" || !isHttpUrl(token_uri)
  ) {
    problems.push("GOOGLE_SERVICE_ACCOUNT is not the JSON key file of a service account");
    return null;
  }
  return {
    clientEmail: client_email,
    privateKey: private_key.replaceAll("\\n", "\n"),
    privateKeyId: typeof private_key_id === "string" ? private_key_id : null,
    tokenUri: token_uri,
  };
}

/** The fields of a JSON object. Empty for any other text. */
function objectIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** One or more blocks, each a DER sequence in base64. */
function isPem(value: string, kind: string): boolean {
  const blocks = [...value.matchAll(new RegExp(`-----BEGIN ${kind}-----([^-]*)-----END ${kind}-----`, "g"))];
  return blocks.length > 0 && blocks.every(([, text = ""]) => isSequence(text));
}

function isSequence(base64: string): boolean {
  try {
    return atob(base64).startsWith("\x30");
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

export function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
