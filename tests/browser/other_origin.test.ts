// A web page of another origin, in a real browser, with the platform's client: what CORS forbids fails here and nowhere else.
import { strict as assert } from "node:assert";
import { fileURLToPath } from "node:url";
import { stack } from "../support/stack.ts";
import { hasBrowser } from "../support/browser.ts";
import { withPage } from "./chromium.ts";

const LIBRARY = fileURLToPath(import.meta.resolve("@supabase/supabase-js/dist/umd/supabase.js"));
const PATIENCE = 30_000;
/** A seeded lot. */
const LOT = "555c77e1-60d8-4123-9321-94515af67cff";

type Results = Record<string, unknown>;

/** Serves the page with its script and waits for what it finds out. */
async function inBrowser(script: string): Promise<Results> {
  const { promise, resolve, reject } = Promise.withResolvers<Results>();
  const page = `<!doctype html><meta charset="utf-8"><script src="/supabase.js"></script><script type="module">
    const { apiUrl, publishableKey } = ${JSON.stringify(stack())};
    const LOT = "${LOT}";
    const results = {};
    try { ${script} } catch (error) { results.error = String(error?.stack ?? error); }
    await fetch("/results", { method: "POST", body: JSON.stringify(results) });
  </script>`;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return new Response(page, { headers: { "content-type": "text/html" } });
    if (pathname === "/supabase.js") {
      return new Response(await Deno.readFile(LIBRARY), { headers: { "content-type": "text/javascript" } });
    }
    if (pathname === "/results") resolve(await request.json());
    return new Response(null, { status: 204 });
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  try {
    return await withPage(url, async (log) => {
      const timer = setTimeout(() => reject(new Error(`The page did not finish:\n${log()}`)), PATIENCE);
      const results = await promise.finally(() => clearTimeout(timer));
      assert.equal(results["error"], undefined, `${results["error"]}\n${log()}`);
      return results;
    });
  } finally {
    await server.shutdown();
  }
}

Deno.test({
  name:
    "other origin: a page of another origin signs up, calls a function with tracing headers, and receives the change",
  ignore: !hasBrowser,
}, async () => {
  const results = await inBrowser(`
    const client = supabase.createClient(apiUrl, publishableKey);
    const { data: { user }, error } = await client.auth.signUp({
      email: crypto.randomUUID() + "@example.com", password: "password 1",
    });
    if (error) throw error;
    results.user = user.id;

    const received = Promise.withResolvers();
    const ready = Promise.withResolvers();
    client.channel("mine")
      .on("postgres_changes", {
        event: "INSERT", schema: "public", table: "parking_sessions", filter: "user_id=eq." + user.id,
      }, (payload) => received.resolve(payload.new))
      .on("system", {}, ({ extension, status }) => extension === "postgres_changes" && status === "ok" && ready.resolve())
      .subscribe();
    await ready.promise;

    const started = await client.functions.invoke("parking-sessions", {
      body: { parking_lot_id: LOT },
      region: "ap-northeast-1",
      headers: {
        "idempotency-key": crypto.randomUUID(),
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "tracestate": "vendor=1",
        "baggage": "key=value",
        "sentry-trace": "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
      },
    });
    if (started.error) throw new Error(await started.error.context?.text?.() ?? String(started.error));
    results.started = started.data.session_id;
    results.received = (await received.promise).id;
    results.account = (await client.schema("api").rpc("my_account")).data.user_id;
    results.signedOut = (await client.auth.signOut()).error;
  `);
  assert.equal(results["received"], results["started"]);
  assert.equal(results["account"], results["user"]);
  assert.equal(results["signedOut"], null);
});

Deno.test(
  {
    name: "other origin: a page of another origin reads why it is rejected, at every part of the platform",
    ignore: !hasBrowser,
  },
  async () => {
    const { answers } = await inBrowser(`
    const asked = {
      "/nothing": 404,
      "/functions/v1/nothing": 404,
      "/functions/v1/me": 401,
      "/v1/parking-lots/nearby?lat=x": 422,
      "/auth/v1/user": 403,
      "/rest/v1/rpc/my_account": 401,
      "/storage/v1/bucket": 501,
      "/storage/v1/s3/assets/nothing": 403,
    };
    results.answers = {};
    for (const path of Object.keys(asked)) {
      const headers = { apikey: publishableKey, "x-custom": "1" };
      const answer = await fetch(apiUrl + path, { headers }).catch((error) => ({ status: String(error), text: () => "" }));
      results.answers[path] = [answer.status, (await answer.text()) !== ""];
      if (answer.status === asked[path] && results.answers[path][1]) delete results.answers[path];
    }
  `);
    assert.deepEqual(answers, {});
  },
);
