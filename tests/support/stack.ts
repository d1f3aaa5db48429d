// The running stack that API tests talk to: this machine's platform, `supabase start` or a hosted project.

export interface Stack {
  readonly apiUrl: string;
  readonly restUrl: string;
  readonly functionsUrl: string;
  readonly dbUrl: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly jwtSecret: string;
  /** The local platform's is the secret key. */
  readonly metricsToken: string;
}

export function stack(): Stack {
  const apiUrl = required("API_URL").replace(/\/$/, "");
  const optional = (name: string, fallback: string) => Deno.env.get(name) || fallback;
  const anonKey = optional("ANON_KEY", "");
  const serviceRoleKey = optional("SERVICE_ROLE_KEY", "");
  const secretKey = optional("SECRET_KEY", serviceRoleKey);
  return {
    apiUrl,
    restUrl: optional("REST_URL", `${apiUrl}/rest/v1`),
    functionsUrl: optional("FUNCTIONS_URL", `${apiUrl}/functions/v1`),
    dbUrl: optional("DB_URL", ""),
    publishableKey: optional("PUBLISHABLE_KEY", anonKey),
    secretKey,
    anonKey,
    serviceRoleKey,
    jwtSecret: required("JWT_SECRET"),
    metricsToken: optional("METRICS_TOKEN", secretKey),
  };
}

/** What requests of tests say of the caller's last write, where READ_AFTER says it: `0` lets a replica answer every read. */
export function readAfter(): Record<string, string> {
  const value = Deno.env.get("READ_AFTER");
  return value ? { "x-read-after": value } : {};
}

function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set: run the tests with \`deno task test\``);
  return value;
}
