// The page at `/`, with links. Links of mails lead here too while SITE_URL is not set.

const LINKS: readonly (readonly [path: string, text: string])[] = [
  ["/v1/openapi", "The contract (OpenAPI 3.1)"],
  ["/v1/codes?lang=en", "Codes and their names"],
  ["/v1/parking-lots/nearby?lat=35.6812&lng=139.7671&limit=3", "Three lots near Tokyo station"],
  ["/v1/health/ready", "Readiness of the service and its database"],
  ["/_mail", "Mails, which are not sent from here"],
];

export function homePage(): Response {
  const items = LINKS.map(([path, text]) => `<li><a href="${path.replaceAll("&", "&amp;")}">${text}</a></li>`).join("");
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Parking lot service</title>` +
    `<style>body{font:16px/1.5 system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem}</style></head><body>` +
    `<h1>Parking lot service</h1><p>The local platform runs. It is for development: its keys are public.</p>` +
    `<ul>${items}</ul></body></html>`;
  return new Response(page, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}
