// Which host names and which pages reach the platform: a website must not read keys or mails, or send commands, also if its
// name resolves to this machine.
import assert from "node:assert/strict";
import { request } from "node:http";
import { listen, type Parts } from "../../local/gateway/gateway.ts";
import { stack } from "../support/stack.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** As fetch, which does not send a Host of the caller's choice. */
function send(address: string, headers: Record<string, string>, method = "GET"): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(address, { method, headers: { connection: "close", ...headers } }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part) => text += part);
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
  });
  sent.on("error", reject).end();
  return promise;
}

/** The statuses for each Host header, of a gateway whose parts respond with 200. */
async function statusesFor(hosts: readonly string[], host?: string): Promise<Record<string, number>> {
  const gateway = listen(
    { hostname: "127.0.0.1", port: 0, ...(host === undefined ? {} : { host }), log: () => {} },
    () => Promise.resolve(new Response()),
  );
  gateway.open(new Proxy({}, { get: () => () => Promise.resolve(new Response()) }) as Parts);
  const found: Record<string, number> = {};
  for (const name of hosts) {
    found[name] = (await send(`http://127.0.0.1:${gateway.port}/v1/health`, { host: name })).status;
  }
  await gateway.stop();
  return found;
}

Deno.test("gateway: answers requests to the names of this machine and to LOCAL_HOST, others are 421", async () => {
  const own = ["127.0.0.1", "127.0.0.1:1", "localhost:54321", "LOCALHOST", "[::1]:54321", "10.0.2.2:54321"];
  const others = ["evil.example", "evil.example:54321", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0"];
  const named = ["192.168.1.5:54321", "My-Laptop.local:54321"];
  const all = (names: string[], status: number) => Object.fromEntries(names.map((name) => [name, status]));
  assert.deepEqual(await statusesFor([...own, ...others, ...named]), {
    ...all(own, 200),
    ...all([...others, ...named], 421),
  });
  assert.deepEqual(await statusesFor([...own, ...others, ...named], "my-laptop.local"), {
    ...all([...own, named[1]!], 200),
    ...all([...others, named[0]!], 421),
  });
});

const PATHS = [
  "/",
  "/_mail",
  "/_platform",
  "/v1/health",
  "/v1/nope",
  "/docs/",
  "/rest/v1/rpc/admin_list_users",
  "/auth/v1/admin/users",
  "/realtime/v1/websocket",
];

Deno.test("platform: no path answers a host name that is not its own, and no error links to that name", async () => {
  const { apiUrl, secretKey } = stack();
  for (const path of PATHS) {
    const { status, text } = await send(`${apiUrl}${path}`, { host: "rebind.evil.example", apikey: secretKey });
    assert.equal(status, 421, path);
    assert.doesNotMatch(JSON.parse(text).error.doc_url, /evil/, path);
  }
});

Deno.test("platform: pages of other origins reach no page of the platform and none of its commands", async () => {
  const { apiUrl, secretKey } = stack();
  for (const path of ["/", "/_mail", "/_mail/1", "/_platform", "/_platform/stop", "/_platform/reset"]) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      for (const origin of ["https://evil.example", "http://127.0.0.1:1", "null"]) {
        const { status } = await send(`${apiUrl}${path}`, { origin, apikey: secretKey }, method);
        assert.equal(status, 403, `${method} ${path} from ${origin}`);
      }
    }
  }
  assert.equal((await send(`${apiUrl}/_mail`, { origin: apiUrl })).status, 200);
  assert.equal((await send(`${apiUrl}/v1/health`, { origin: "https://app.example" })).status, 200);
});

Deno.test("platform: no page has a key that opens it, and its state has them only for who has the secret key", async () => {
  const { apiUrl, dbUrl, secretKey, jwtSecret, serviceRoleKey } = stack();
  const keys = [secretKey, jwtSecret, serviceRoleKey, Deno.env.get("S3_PROTOCOL_ACCESS_KEY_SECRET")!, dbUrl];
  const leaked = (text: string) => keys.filter((key) => text.includes(key)).length;
  for (const accept of ["text/html", "application/json"]) {
    for (const path of ["/", "/_mail", "/_platform", "/explore/", "/v1/openapi"]) {
      const { text } = await send(`${apiUrl}${path}`, { accept });
      assert.ok(text !== "" && leaked(text) === 0, `${accept} ${path}`);
    }
  }
  const wrong = await send(`${apiUrl}/_platform`, { apikey: "sb_secret_unknown" });
  assert.equal(JSON.parse(wrong.text).status, null);
  assert.equal(leaked((await send(`${apiUrl}/_platform`, { apikey: secretKey })).text), keys.length);
});

Deno.test("stand-ins: neither another host name nor a page reaches them or their controls", async () => {
  const address = Deno.env.get("PROVIDERS_URL")!;
  for (const path of ["/control/fcm", "/control/mail", "/control/app-store", "/google/certs"]) {
    assert.equal((await send(`${address}${path}`, { host: "rebind.evil.example" }, "POST")).status, 421, path);
    assert.equal((await send(`${address}${path}`, { origin: "https://evil.example" }, "POST")).status, 403, path);
  }
  assert.equal((await send(`${address}/google/certs`, {})).status, 200);
});
