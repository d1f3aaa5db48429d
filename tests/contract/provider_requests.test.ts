// Requests to providers: what a provider that sends too much, or never ends, costs.
import assert from "node:assert/strict";
import { ProviderDown } from "../../supabase/functions/_shared/providers/calls/errors.ts";
import { MAX_RESPONSE_BYTES, request } from "../../supabase/functions/_shared/providers/calls/request.ts";

const CHUNK = new Uint8Array(64 * 1024);

/** A provider that sends this many chunks of 64 KiB. */
function provider(chunks: number) {
  let sent = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ < chunks) controller.enqueue(CHUNK);
        else controller.close();
      },
    });
    return new Response(body);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    sent: () => sent,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const deadline = 20_000;

Deno.test("providers: a response of the maximum size is read whole", async () => {
  await using gateway = provider(MAX_RESPONSE_BYTES / CHUNK.length);
  const { status, bytes } = await request("The provider", gateway.url, { deadline });
  assert.deepEqual([status, bytes.length], [200, MAX_RESPONSE_BYTES]);
});

Deno.test("providers: a response that does not end is left, and is an outage", async () => {
  await using gateway = provider(Infinity);
  const error = await request("The provider", gateway.url, { deadline }).catch((error) => error);
  assert.ok(error instanceof ProviderDown, String(error));
  assert.deepEqual([error.message, error.why], ["The provider responds with more than 4 MiB", "failing"]);
  await using other = provider(3);
  await assert.rejects(request("The provider", other.url, { deadline, maxBytes: 2 * CHUNK.length }), ProviderDown);
});
