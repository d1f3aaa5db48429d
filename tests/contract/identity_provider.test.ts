// What becomes of an invitation when the identity provider fails: each failure has the error that says what to do.
import assert from "node:assert/strict";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { identityProvider } from "../../supabase/functions/_shared/providers/identity_provider.ts";
import { configFor } from "./fake_rest.ts";

const EMAIL = "ops@example.com";

/** What an invitation gets when the identity provider does this; null when it was taken. */
async function outcome(answer: (request: Request) => Response | Promise<Response>): Promise<ApiError | null> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
  try {
    await identityProvider(() => ({
      ...configFor(`http://127.0.0.1:${server.addr.port}`),
      consoleUrl: "https://c.test",
    }))
      .invite(EMAIL, { invitation: "id" });
    return null;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  } finally {
    await server.shutdown();
  }
}

Deno.test("identity provider: an invitation is sent with the secret key, the metadata and the console's address", async () => {
  const seen: unknown[] = [];
  const answer = async (request: Request) => {
    const url = new URL(request.url);
    seen.push(request.method, url.pathname, url.searchParams.get("redirect_to"), await request.json());
    assert.match(request.headers.get("apikey")!, /^sb_secret_/);
    return Response.json({ id: crypto.randomUUID() });
  };
  assert.equal(await outcome(answer), null);
  assert.deepEqual(seen, ["POST", "/auth/v1/invite", "https://c.test", { email: EMAIL, data: { invitation: "id" } }]);
});

Deno.test("identity provider: an address that already has a user is returned to the caller, not raised", async () => {
  assert.equal(await outcome(() => Response.json({ code: 422, error_code: "email_exists" }, { status: 422 })), null);
  assert.equal(await outcome(() => Response.json({ code: "email_exists" }, { status: 422 })), null);
});

Deno.test("identity provider: a failed call is 503 with Retry-After, a call that may have succeeded is outcome_unknown", async () => {
  for (const status of [429, 500, 503]) {
    const failure = await outcome(() => Response.json({ error_code: "unexpected_failure" }, { status }));
    assert.deepEqual([failure?.code, failure?.headers], ["service_unavailable", { "Retry-After": "15" }], `${status}`);
  }
  for (const status of [502, 504]) {
    const failure = await outcome(() => new Response("<html>", { status }));
    assert.deepEqual([failure?.code, failure?.details], ["server_error", { reason: "outcome_unknown" }], `${status}`);
  }
  const wrongAddress = await outcome(() => Response.json({ error_code: "email_address_invalid" }, { status: 400 }));
  assert.deepEqual([wrongAddress?.code, wrongAddress?.param], ["validation_error", "email"]);
  assert.equal(
    (await outcome(() => Response.json({ error_code: "not_admin" }, { status: 403 })))?.code,
    "server_error",
  );
});

Deno.test("identity provider: a rejected connection is 503, a reset one is outcome_unknown", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const provider = identityProvider(() => configFor(`http://127.0.0.1:${listener.addr.port}`));
  const rejection = async () => {
    const error = await provider.invite(EMAIL, {}).then(() => null, (error: unknown) => error);
    assert.ok(error instanceof ApiError, String(error));
    return error;
  };
  const breaking = (async () => {
    const connection = await listener.accept();
    await connection.read(new Uint8Array(1024));
    connection.close();
  })();
  assert.deepEqual((await rejection()).details, { reason: "outcome_unknown" });
  await breaking;
  listener.close();
  assert.equal((await rejection()).code, "service_unavailable");
});
