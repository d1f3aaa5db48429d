// The gateway's own responses: while the platform starts, and when one of its parts fails.
import assert from "node:assert/strict";
import { type Gateway, listen, type Parts } from "../../local/gateway/gateway.ts";

const PATHS = [
  "/rest/v1/rpc/f",
  "/auth/v1/token",
  "/v1/me",
  "/functions/v1/me",
  "/storage/v1/s3/a/b",
  "/realtime/v1/api/x",
];

async function withGateway(run: (gateway: Gateway, log: string[]) => Promise<void>): Promise<void> {
  const log: string[] = [];
  const gateway = listen({
    hostname: "127.0.0.1",
    port: 0,
    addressHeader: undefined,
    log: (line) => log.push(line),
  }, () => Promise.resolve(new Response()));
  try {
    await run(gateway, log);
  } finally {
    await gateway.stop();
  }
}

const answer = (gateway: Gateway, path: string, method: string) =>
  fetch(`http://127.0.0.1:${gateway.port}${path}`, { method });

Deno.test("gateway: while the platform starts every request is 503 with Retry-After", async () => {
  await withGateway(async (gateway) => {
    for (const path of PATHS) {
      for (const method of ["GET", "POST"]) {
        assert.equal(await told(await answer(gateway, path, method)), "503 service_unavailable");
      }
    }
  });
});

Deno.test("gateway: when a part fails, a read is 503 with Retry-After and any other request 500 outcome_unknown", async () => {
  await withGateway(async (gateway, log) => {
    const fail = () => Promise.reject(new Error("the cause"));
    gateway.open(new Proxy({}, { get: () => fail }) as Parts);
    for (const path of PATHS) {
      assert.equal(await told(await answer(gateway, path, "GET")), "503 service_unavailable");
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        assert.equal(await told(await answer(gateway, path, method)), "500 server_error outcome_unknown");
      }
    }
    assert.equal(log.length, PATHS.length * 5);
    assert.ok(log.every((line) => line.includes("the cause")));
  });
});

/** Status, code and reason; checks what every refusal has. */
async function told(response: Response): Promise<string> {
  const { error } = await response.clone().json();
  assert.doesNotMatch(JSON.stringify(error), /the cause/);
  assert.equal(response.headers.has("retry-after"), response.status === 503);
  const { status } = response;
  await response.body?.cancel();
  return [status, error.code, error.details?.reason].filter((part) => part !== undefined).join(" ");
}
