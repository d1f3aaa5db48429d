// client/README.md: its examples in a real browser, as a bundle with the built package, from a page of another origin.
import assert from "node:assert/strict";
import { aPricedLot } from "../api/sessions.ts";
import { readmeApp, TITLE, uploadedBy } from "../client/readme_app.ts";
import { connect, notify } from "../realtime/activities.ts";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { hasBrowser } from "../support/browser.ts";
import { withPage } from "./chromium.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

/** The bytes of the example's file. */
const BYTES = 200;

/** Each line goes to the server of the page, in order. */
const LOG = `
let sent = Promise.resolve();
const post = (line) => sent = sent.then(() => fetch("/lines", { method: "POST", body: line }));
console.log = post;
/** Only an upload that reports its progress is sent with XMLHttpRequest. */
function exit() {
  const uploads = performance.getEntriesByType("resource").filter((entry) => entry.initiatorType === "xmlhttprequest");
  post("exit after uploads: " + uploads.length);
}
for (const type of ["error", "unhandledrejection"]) {
  addEventListener(type, (event) => post("failed: " + ((event.reason ?? event.error)?.stack ?? event.message)));
}
`;

Deno.test({
  name:
    "client/README.md: the examples find a lot, know its fee, park, save it, export it, upload a file with progress and receive a notification in a browser",
  ignore: !hasBrowser,
}, async () => {
  const { apiUrl, publishableKey } = stack();
  const place = { lat: 30 + Math.random(), lng: 140 + Math.random() };
  const lot = await aPricedLot({ ...place, name: "Lot of the example" });
  const { id: user, email, password } = await signUp();
  await using app = await readmeApp(apiUrl);
  const values = JSON.stringify({ publishableKey, email, password, ...place });
  const process = `const process = { env: { VALUES: ${JSON.stringify(values)} }, exit };\n`;
  await Deno.writeTextFile(`${app.folder}/page.ts`, process + app.program);
  const bundled = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=browser", "page.ts"],
    cwd: app.folder,
  }).output();
  assert.ok(bundled.success, new TextDecoder().decode(bundled.stderr));

  const shown: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const page =
    `<!doctype html><meta charset="utf-8"><script>${LOG}</script><script type="module" src="/page.js"></script>`;
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return new Response(page, { headers: { "Content-Type": "text/html" } });
    if (pathname === "/page.js") {
      return new Response(bundled.stdout, { headers: { "Content-Type": "text/javascript" } });
    }
    if (pathname === "/lines") {
      const line = await request.text();
      if (line === "inbox: live") await notify(sql, user, { title: TITLE });
      shown.push(line);
      if (/^(exit|failed)/.test(line)) end();
    }
    return new Response(null, { status: 204 });
  });
  await withPage(`http://127.0.0.1:${server.addr.port}/`, async (log) => {
    const timer = setTimeout(() => (shown.push(`failed: ${log()}`), end()), 60_000);
    await ended;
    clearTimeout(timer);
  });
  const failure = shown.find((line) => line.startsWith("failed: "));
  assert.equal(failure, undefined, `${failure}\n${shown.join("\n")}`);
  assert.equal(shown.pop(), "exit after uploads: 1");
  const asset = uploadedBy(shown, lot);
  assert.ok((await sql`select from public.assets where id = ${asset}`).length === 1);
  assert.equal(shown.findLast((line) => line.startsWith("sent ")), `sent ${BYTES} of ${BYTES} bytes`);
});
