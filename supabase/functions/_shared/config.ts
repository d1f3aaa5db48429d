/** The environment of a function, read and checked once. Nothing else reads the environment. */

export const VERSION = "0.1.0";

export interface Config {
  /** Origin of the gateway, under which the Data API lives. */
  readonly gatewayUrl: string;
  /** `{base_url}` of the contract: what stands before `/v1/` for a client. */
  readonly baseUrl: string;
  /** Public base address of stored assets. */
  readonly cdnUrl: string;
  readonly jwtSecret: Uint8Array;
  readonly publishableKey: string;
  readonly secretKey: string;
  /** What a client without a session may send as bearer: the publishable key and the anonymous key. */
  readonly visitorKeys: readonly string[];
  /** What a trusted service sends as bearer: the secret key and the service role key. */
  readonly serviceKeys: readonly string[];
}

/** HS256 wants a key at least as long as its hash. */
const SHORTEST_SECRET = 32;

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export function readConfig(
  get: (name: string) => string | undefined = (name) => Deno.env.get(name),
): Config {
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
  const defaultKey = (name: string) => {
    const json = get(name);
    if (!json) return undefined;
    const key = keyNamedDefault(json);
    if (key === undefined) {
      problems.push(`${name} is not JSON of the form {"default": "..."}`);
    }
    return key;
  };

  const gatewayUrl = address("SUPABASE_URL", required("SUPABASE_URL"));
  const anonKey = required("SUPABASE_ANON_KEY");
  const serviceRoleKey = required("SUPABASE_SERVICE_ROLE_KEY");
  const publishableKey = defaultKey("SUPABASE_PUBLISHABLE_KEYS") ?? anonKey;
  const secretKey = defaultKey("SUPABASE_SECRET_KEYS") ?? serviceRoleKey;
  const jwtSecret = new TextEncoder().encode(required("JWT_SECRET"));
  if (jwtSecret.length > 0 && jwtSecret.length < SHORTEST_SECRET) {
    problems.push(`JWT_SECRET is shorter than ${SHORTEST_SECRET} bytes`);
  }
  const baseUrl = address("BASE_URL") || `${gatewayUrl}/functions`;
  const cdnUrl = address("CDN_URL") || `${gatewayUrl}/storage/v1/object/public/assets`;

  if (problems.length > 0) {
    throw new ConfigError([...new Set(problems)].join("; "));
  }
  return {
    gatewayUrl,
    baseUrl,
    cdnUrl,
    jwtSecret,
    publishableKey,
    secretKey,
    visitorKeys: [...new Set([publishableKey, anonKey])],
    serviceKeys: [...new Set([secretKey, serviceRoleKey])],
  };
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function keyNamedDefault(json: string): string | undefined {
  try {
    const keys: unknown = JSON.parse(json);
    if (typeof keys !== "object" || keys === null || !("default" in keys)) {
      return undefined;
    }
    return typeof keys.default === "string" && keys.default !== "" ? keys.default : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
