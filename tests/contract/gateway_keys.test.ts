// The keys of the Data API and the auth server at the local gateway, as Supabase's gateway treats them.
import assert from "node:assert/strict";
import { authenticateApiKey } from "../../local/gateway/keys.ts";
import { ANON_KEY, PUBLISHABLE_KEY, SECRET_KEY, SERVICE_ROLE_KEY } from "../../local/settings.ts";

const UNKNOWN = "sb_secret_unknown0000000000000_00000000";
const USER = "Bearer header.claims.signature";
const TOKENS = {
  [PUBLISHABLE_KEY]: ANON_KEY,
  [SECRET_KEY]: SERVICE_ROLE_KEY,
  [ANON_KEY]: ANON_KEY,
  [SERVICE_ROLE_KEY]: SERVICE_ROLE_KEY,
};

/** The Authorization header for the service, or the code of the rejection. */
function outcome(apikey: string | undefined, authorization: string | undefined, search = ""): string {
  const url = new URL(`http://127.0.0.1:1/rest/v1/rpc/f${search}`);
  const headers = new Headers();
  if (apikey !== undefined) headers.set("apikey", apikey);
  if (authorization !== undefined) headers.set("authorization", authorization);
  const result = authenticateApiKey(new Request(url, { headers }), url);
  return "error" in result ? result.error.headers.get("sb-error-code")! : result.authorization;
}

Deno.test("gateway: Authorization stays unless it is missing or an opaque key; then it is the token of apikey", () => {
  for (const [apikey, token] of Object.entries(TOKENS)) {
    for (const key of [PUBLISHABLE_KEY, SECRET_KEY, UNKNOWN]) {
      assert.equal(outcome(apikey, `Bearer ${key}`), `Bearer ${token}`);
    }
    assert.equal(outcome(apikey, undefined), `Bearer ${token}`);
    assert.equal(outcome(undefined, undefined, `?apikey=${apikey}`), `Bearer ${token}`);
    for (const own of [`Bearer ${ANON_KEY}`, `Bearer ${SERVICE_ROLE_KEY}`, USER, "Basic eDp5"]) {
      assert.equal(outcome(apikey, own), own);
    }
  }
});

Deno.test("gateway: without a valid apikey no Authorization header opens the Data API", () => {
  for (const own of [undefined, `Bearer ${SECRET_KEY}`, `Bearer ${SERVICE_ROLE_KEY}`, USER]) {
    assert.equal(outcome(undefined, own), "UNAUTHORIZED_MISSING_API_KEY");
    for (const key of [UNKNOWN, `${SECRET_KEY}x`, "", `Bearer ${SECRET_KEY}`]) {
      assert.equal(outcome(key, own), "UNAUTHORIZED_INVALID_API_KEY");
    }
  }
});
