/** Other services of a Supabase project have addresses below it too. */
const OTHER_SERVICES = /^\/(auth|graphql|realtime|rest|storage)\/v1$/;

const EXPECTED =
  "Give the address of the Supabase project (https://<project>.supabase.co, http://127.0.0.1:54321) or of its " +
  "functions (https://<project>.supabase.co/functions). A service at a domain of its own: https://api.example.com/v1.";

/** The address before `/v1`, from what the app gives as `url`. */
export function serviceRoot(url: string): string {
  const parsed = parse(url);
  const path = parsed?.pathname.replace(/\/+$/, "") ?? "";
  const isAddress = parsed !== undefined && /^https?:$/.test(parsed.protocol) && !/[?#@]/.test(url);
  if (!isAddress || OTHER_SERVICES.test(path)) throw new TypeError(`url is ${url}. ${EXPECTED}`);
  if (path === "") return `${parsed.origin}/functions`;
  if (path === "/functions") return parsed.origin + path;
  if (path.endsWith("/v1")) return parsed.origin + path.slice(0, -"/v1".length);
  throw new TypeError(`url is ${url}. ${EXPECTED}`);
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}
