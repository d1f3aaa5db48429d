// Pages of the local platform for people: one small document without scripts, dark and light, from 320 px on.
import { createHash } from "node:crypto";
import { html, raw } from "hono/html";

export { html, raw };

export type Html = ReturnType<typeof html>;

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#c9ced6, #454b55); --soft: light-dark(#f3f5f8, #22262c) }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
a { color: light-dark(#0b57d0, #9ec3ff) }
ul { padding: 0; list-style: none } li { padding: .5rem 0; border-top: 1px solid var(--line) }
pre, input, textarea { font: .875rem/1.5 ui-monospace, monospace; background: var(--soft); color: inherit }
pre { padding: .75rem; white-space: pre-wrap; user-select: all; border: 1px solid var(--line) }
label { display: block; margin: .75rem 0 }
input { display: block; box-sizing: border-box; width: 100%; padding: .5rem; border: 1px solid var(--line) }
small { display: block } strong { font-variant-numeric: tabular-nums }
`;
const HASH = createHash("sha256").update(STYLE).digest("base64");

/** Without CORS headers: pages of other origins must not read codes of mails. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'none'; ` +
    "frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** A page; `html` escapes what it is given. */
export async function page(title: string, content: Html, init: ResponseInit = {}): Promise<Response> {
  const document = await html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title}</title>
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <main>
    <h1>${title}</h1>
    ${content}
        </main>
      </body>
    </html>
  `;
  const headers = new Headers({ ...HEADERS, ...Object.fromEntries(new Headers(init.headers)) });
  return new Response(String(document), { ...init, headers });
}
