import assert from "node:assert/strict";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { ConfigError } from "../../supabase/functions/_shared/environment.ts";

const complete: Record<string, string> = {
  SUPABASE_URL: "http://127.0.0.1:54321/",
  SUPABASE_ANON_KEY: "anon",
  SUPABASE_SERVICE_ROLE_KEY: "service",
  SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}',
  SUPABASE_SECRET_KEYS: '{"default":"sb_secret_x"}',
  JWT_SECRET: "a-secret-for-tests-of-at-least-32-characters",
};

const read = (changes: Record<string, string | undefined> = {}) =>
  readConfig((name) => name in changes ? changes[name] : complete[name]);

Deno.test("config: addresses that are not given are below the gateway", () => {
  const { baseUrl, cdnUrl, gatewayUrl } = read();
  assert.equal(gatewayUrl, "http://127.0.0.1:54321");
  assert.equal(baseUrl, "http://127.0.0.1:54321/functions");
  assert.equal(cdnUrl, "http://127.0.0.1:54321/storage/v1/object/public/assets");
  assert.equal(read({ CDN_URL: "https://cdn.test/a/" }).cdnUrl, "https://cdn.test/a");
  assert.equal(read({ BASE_URL: "https://api.test" }).baseUrl, "https://api.test");
});

Deno.test("config: the new keys go before the old ones, and either kind is enough", () => {
  const { anonymousKeys, serviceKeys } = read();
  assert.deepEqual([anonymousKeys, serviceKeys], [["sb_publishable_x", "anon"], ["sb_secret_x", "service"]]);
  const old = read({ SUPABASE_PUBLISHABLE_KEYS: undefined, SUPABASE_SECRET_KEYS: undefined });
  assert.deepEqual([old.anonymousKeys, old.serviceKeys], [["anon"], ["service"]]);
  const young = read({ SUPABASE_ANON_KEY: undefined, SUPABASE_SERVICE_ROLE_KEY: undefined });
  assert.deepEqual([young.anonymousKeys, young.serviceKeys], [["sb_publishable_x"], ["sb_secret_x"]]);
});

Deno.test("config: all missing and wrong settings are named at once", () => {
  const broken = {
    JWT_ALGORITHMS: "none",
    SUPABASE_ANON_KEY: "",
    SUPABASE_PUBLISHABLE_KEYS: undefined,
    CDN_URL: "cdn",
    SUPABASE_SECRET_KEYS: "sb_secret",
  };
  assert.throws(() => read(broken), (error: unknown) => {
    assert.ok(error instanceof ConfigError);
    for (const name of Object.keys(broken)) assert.ok(error.message.includes(name), `${name}: ${error.message}`);
    return true;
  });
  assert.throws(() => read({ SUPABASE_URL: undefined }), /^ConfigError: SUPABASE_URL is missing$/);
});

Deno.test("config: object storage needs all of its settings or none", () => {
  assert.equal(read().storage, null);
  const given = {
    S3_ENDPOINT: "https://s3.test/storage/v1/s3/",
    S3_ACCESS_KEY_ID: "key",
    S3_SECRET_ACCESS_KEY: "secret",
  };
  assert.deepEqual(read(given).storage, {
    endpoint: "https://s3.test/storage/v1/s3",
    publicEndpoint: "https://s3.test/storage/v1/s3",
    region: "us-east-1",
    bucket: "assets",
    privateBucket: "assets-private",
    accessKeyId: "key",
    secretAccessKey: "secret",
  });
  assert.equal(
    read({ ...given, S3_PUBLIC_ENDPOINT: "https://files.test/s3/" }).storage?.publicEndpoint,
    "https://files.test/s3",
  );
  assert.throws(() => read({ ...given, S3_ACCESS_KEY_ID: "" }), /S3_ACCESS_KEY_ID is missing/);
  assert.throws(() => read({ ...given, S3_PRIVATE_BUCKET: "assets" }), /S3_PRIVATE_BUCKET is the same as S3_BUCKET/);
});

Deno.test("config: a secret shorter than its hash is rejected", () => {
  assert.throws(() => read({ JWT_SECRET: "short" }), /JWT_SECRET is shorter than 32 bytes/);
});

Deno.test("JWT_ALGORITHMS: by default the project's public keys verify tokens, and the shared secret where there is one", () => {
  const { tokens } = read();
  assert.deepEqual(tokens.algorithms, ["HS256", "ES256", "RS256"]);
  assert.equal(tokens.jwksUrl, "http://127.0.0.1:54321/auth/v1/.well-known/jwks.json");
  assert.equal(tokens.issuer, null);
  const young = read({
    JWT_SECRET: undefined,
    JWKS_URL: "https://ref.test/keys",
    JWT_ISSUER: "i",
  });
  assert.deepEqual(young.tokens, {
    algorithms: ["ES256", "RS256"],
    secret: null,
    jwksUrl: "https://ref.test/keys",
    issuer: "i",
  });
  assert.deepEqual(read({ JWT_ALGORITHMS: "HS256" }).tokens.algorithms, ["HS256"]);
  assert.deepEqual(read({ JWT_ALGORITHMS: " ES256 , HS256" }).tokens.algorithms, ["ES256", "HS256"]);
  for (const wrong of ["none", "HS256,none", "HS512", "es256"]) {
    assert.throws(() => read({ JWT_ALGORITHMS: wrong }), /JWT_ALGORITHMS is not a list of HS256, ES256, RS256/);
  }
  assert.throws(
    () => read({ JWT_ALGORITHMS: "HS256", JWT_SECRET: undefined }),
    /JWT_SECRET is missing, which HS256/,
  );
  assert.throws(() => read({ JWKS_URL: "keys" }), /JWKS_URL is not an http/);
});

Deno.test("config: the apps that open links are lists, each entry is checked, and the default is empty", () => {
  assert.deepEqual(read().apps, { appleAppIds: [], linkPaths: ["/parking-lots/*", "/articles/*"], android: null });
  const print = Array(32).fill("0F").join(":");
  const given = {
    APPLE_APP_IDS: "ABCDE12345.com.example.parking, ABCDE12345.com.example.parking.beta",
    APP_LINK_PATHS: "/lots/*",
    ANDROID_PACKAGE: "com.example.parking",
    ANDROID_CERT_FINGERPRINTS: `${print},${print}`,
  };
  assert.deepEqual(read(given).apps, {
    appleAppIds: ["ABCDE12345.com.example.parking", "ABCDE12345.com.example.parking.beta"],
    linkPaths: ["/lots/*"],
    android: { packageName: "com.example.parking", certFingerprints: [print, print] },
  });
  const wrong = {
    APPLE_APP_IDS: "com.example.parking",
    APP_LINK_PATHS: "lots/*",
    ANDROID_PACKAGE: "parking",
    ANDROID_CERT_FINGERPRINTS: print.toLowerCase(),
  };
  for (const [name, value] of Object.entries(wrong)) {
    assert.throws(() => read({ ...given, [name]: value }), new RegExp(`${name} is not a list of`), name);
  }
  assert.throws(() => read({ ...given, ANDROID_PACKAGE: undefined }), /go together/);
  assert.throws(() => read({ ...given, ANDROID_CERT_FINGERPRINTS: "" }), /go together/);
  assert.throws(() => read({ ...given, ANDROID_PACKAGE: "com.a,com.b" }), /more than one/);
});

const PEM = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----";
const CERTIFICATE = PEM.replaceAll("PRIVATE KEY", "CERTIFICATE");
const ACCOUNT = JSON.stringify({ client_email: "a@b.test", private_key: PEM, token_uri: "https://oauth2.test/token" });

Deno.test("providers: a company that the environment does not name is null", () => {
  assert.deepEqual(read().providers, {
    push: null,
    appStore: null,
    appStoreConnect: null,
    play: null,
    playNotifications: null,
    mail: null,
    aiSearch: { gateway: null, rulesThreshold: 0.8, logText: false },
    geocoder: null,
  });
});

Deno.test("providers: settings of a company are read with the company's own addresses as defaults", () => {
  const { appStore, play, playNotifications } = read({
    GOOGLE_SERVICE_ACCOUNT: ACCOUNT,
    PLAY_PACKAGE_NAME: "test.parking",
    PLAY_NOTIFICATIONS_AUDIENCE: "https://api.test",
    PLAY_NOTIFICATIONS_ACCOUNT: "pubsub@test",
    APP_STORE_BUNDLE_ID: "test.parking",
    APP_STORE_ENVIRONMENTS: "Sandbox",
    APP_STORE_SANDBOX_TESTERS: " Tester@Example.com, 0B8F5E0C-2F3A-4C57-9D1B-8E6A7C9D0E1F,",
    APP_STORE_ISSUER_ID: "issuer",
    APP_STORE_KEY_ID: "key",
    APP_STORE_PRIVATE_KEY: PEM.replaceAll("\n", "\\n"),
  }).providers;
  assert.deepEqual(appStore?.environments, ["Sandbox"]);
  assert.deepEqual(appStore.sandboxTesters, ["tester@example.com", "0b8f5e0c-2f3a-4c57-9d1b-8e6a7c9d0e1f"]);
  assert.deepEqual(appStore.api, {
    issuerId: "issuer",
    keyId: "key",
    privateKey: PEM,
    url: "https://api.storekit.apple.com",
    sandboxUrl: "https://api.storekit-sandbox.apple.com",
  });
  assert.equal(play?.apiUrl, "https://androidpublisher.googleapis.com");
  assert.equal(playNotifications?.jwksUrl, "https://www.googleapis.com/oauth2/v3/certs");
});

Deno.test("providers: a setting that is unusable, or half of what goes together, is named", () => {
  const wrong: [name: string, changes: Record<string, string>][] = [
    ["GOOGLE_SERVICE_ACCOUNT", { GOOGLE_SERVICE_ACCOUNT: "{}" }],
    ["GOOGLE_SERVICE_ACCOUNT", { FCM_PROJECT_ID: "project" }],
    ["GOOGLE_SERVICE_ACCOUNT", { PLAY_PACKAGE_NAME: "test.parking" }],
    ["APP_STORE_ENVIRONMENTS", { APP_STORE_ENVIRONMENTS: "Production,Xcode" }],
    ["APP_STORE_SANDBOX_TESTERS", { APP_STORE_SANDBOX_TESTERS: "a@b.test,somebody" }],
    ["APP_STORE_APP_ID", { APP_STORE_APP_ID: "app" }],
    ["APP_STORE_ROOT_CERTIFICATES", { APP_STORE_ROOT_CERTIFICATES: "MIIC" }],
    ["APP_STORE_ROOT_CERTIFICATES", { APP_STORE_ROOT_CERTIFICATES: CERTIFICATE.slice(0, -30) }],
    ["APP_STORE_ROOT_CERTIFICATES", { APP_STORE_ROOT_CERTIFICATES: CERTIFICATE.replace("MIGH", "root") }],
    ["APP_STORE_ONLINE_CHECKS", { APP_STORE_ONLINE_CHECKS: "yes" }],
    ["APP_STORE_KEY_ID", { APP_STORE_ISSUER_ID: "issuer", APP_STORE_PRIVATE_KEY: PEM }],
    ["APP_STORE_PRIVATE_KEY", {
      APP_STORE_ISSUER_ID: "issuer",
      APP_STORE_KEY_ID: "key",
      APP_STORE_PRIVATE_KEY: "MIGH",
    }],
    ["APP_STORE_CONNECT_VENDOR_NUMBER", { APP_STORE_CONNECT_ISSUER_ID: "issuer" }],
    ["PLAY_NOTIFICATIONS_ACCOUNT", { PLAY_NOTIFICATIONS_AUDIENCE: "https://api.test" }],
    ["GOOGLE_JWKS_URL", { GOOGLE_JWKS_URL: "certs" }],
    ["MAIL_FROM", { MAIL_API_URL: "https://mail.test", MAIL_API_KEY: "key" }],
    ["AI_MODELS", { AI_GATEWAY_URL: "https://ai.test" }],
    ["AI_GATEWAY_HEADERS", { AI_GATEWAY_HEADERS: "x" }],
    ["AI_TIMEOUT_MS", { AI_TIMEOUT_MS: "soon" }],
    ["AI_PRICES", { AI_PRICES: '{"a/b": {"input": 1}}' }],
    ["AI_RULES_THRESHOLD", { AI_RULES_THRESHOLD: "2" }],
    ["AI_LOG_TEXT", { AI_LOG_TEXT: "yes" }],
    ["GEOCODER", { GEOCODER: "mapbox" }],
    ["MAIL_API_URL", { MAIL_API_URL: "mail", MAIL_API_KEY: "key", MAIL_FROM: "a@b.test" }],
  ];
  for (const [name, changes] of wrong) {
    assert.throws(
      () => read(changes),
      (error: unknown) => error instanceof ConfigError && error.message.includes(name),
    );
  }
});
