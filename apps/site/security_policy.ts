/** The Content-Security-Policy of the site: its own files, nothing else. */

/**
 * The policy of a page. Only the reference sends requests to the service: to its own origin, or to that of `api`. Scalar
 * writes its styles into the page, so this page allows inline styles.
 */
export function contentSecurityPolicy(address: string, api = ""): string {
  const isReference = address === "reference.html";
  const policy: Record<string, readonly string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'", ...isReference ? ["'unsafe-inline'"] : []],
    "img-src": ["'self'", ...isReference ? ["data:"] : []],
    "connect-src": ["'self'", ...isReference && api !== "" ? [new URL(api).origin] : []],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
  };
  return Object.entries(policy).map(([name, sources]) => `${name} ${sources.join(" ")}`).join("; ");
}
