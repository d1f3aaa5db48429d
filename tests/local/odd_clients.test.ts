// Requests that no library sends: malformed addresses, and bodies that do not arrive.
import { strict as assert } from "node:assert";
import { BodyError, continued, readBody, readStart } from "../../local/gateway/body.ts";
import { clientAddress } from "../../local/gateway/client_address.ts";
import { rpc, withFunction } from "../support/rest.ts";
import { stack } from "../support/stack.ts";

/** Sends these bytes and reads what comes back until the server closes. */
async function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(stack().apiUrl);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const writer = connection.writable.getWriter();
  await writer.write(new TextEncoder().encode(request));
  return await new Response(connection.readable).text();
}

for (const host of ["exa mple", "a:99999999", "[", "a b:80"]) {
  Deno.test(`gateway: the Host "${host}" is 400 in the error format`, async () => {
    const answer = await raw(`GET /v1/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1.1 400 /);
    if (/^content-type: application\/json/mi.test(answer)) {
      assert.equal(JSON.parse(answer.split("\r\n\r\n")[1]!).error.code, "validation_error");
    }
  });
}

Deno.test("gateway: a path that cannot be parsed is not a server error", async () => {
  for (
    const path of ["/rest/v1/rpc/%zz", "/v1/%zz", "/v1/parking-lots/%zz", "/auth/v1/%zz", "/storage/v1/s3/assets/%zz"]
  ) {
    const answer = await fetch(`${stack().apiUrl}${path}`, { headers: { apikey: stack().publishableKey } });
    await answer.body?.cancel();
    assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
  }
});

Deno.test("gateway: a body that does not arrive is 408, an incomplete one 400, a larger one 413", async () => {
  const send = (body: ReadableStream<Uint8Array>) => new Request("http://localhost/", { method: "POST", body });
  const piece = new Uint8Array(10);
  const silent = () => new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(piece) });
  const broken = () =>
    new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new TypeError("gone")) });
  const status = (body: ReadableStream<Uint8Array>, limit = 100) =>
    readBody(send(body), limit, 50).then(() => 200, (error: BodyError) => error.status);
  assert.equal(await status(silent()), 408);
  assert.equal(await status(broken()), 400);
  assert.equal(await status(new Blob([piece]).stream()), 200);
  assert.equal(await status(new Blob([piece]).stream(), 9), 413);
});

Deno.test("gateway: the buffered start and the streamed rest are the whole body", async () => {
  const text = "0123456789".repeat(20_000);
  for (const limit of [10, 100_000, 1_000_000]) {
    const start = await readStart(new Blob([text]).stream(), limit);
    assert.equal(await new Response(continued(start, () => {})).text(), text);
  }
});

Deno.test("gateway: the client's address headers are used only if a trusted proxy is configured", async () => {
  const headers = new Headers({ "cf-connecting-ip": "203.0.113.2" });
  assert.equal(clientAddress(headers, "192.0.2.7", undefined), "192.0.2.7");
  assert.equal(clientAddress(headers, "192.0.2.7", "cf-connecting-ip"), "203.0.113.2");
  assert.equal(clientAddress(new Headers(), "192.0.2.7", "cf-connecting-ip"), "192.0.2.7");
  const definition = `() returns jsonb language sql stable as $$ select current_setting('request.headers')::jsonb $$`;
  await withFunction(definition, async (name) => {
    const told = await (await rpc(name, {}, { "x-forwarded-for": "203.0.113.1", "x-real-ip": "203.0.113.3" })).json();
    assert.deepEqual(
      [told["x-forwarded-for"], told["cf-connecting-ip"], told["x-real-ip"]],
      ["127.0.0.1", "127.0.0.1", undefined],
    );
  });
});
