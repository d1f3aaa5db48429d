// Sign-ups and other requests to the auth server with values that were made to fail: each is accepted or refused with 4xx.
import assert from "node:assert/strict";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";

const { apiUrl, publishableKey } = stack();
const password = "correct horse battery";
const address = () => `${crypto.randomUUID()}@example.com`;

/** The status, with the body as it is written here: escapes of half a character do not survive JSON.stringify. */
async function send(method: string, path: string, body: string, token?: string): Promise<number> {
  const response = await fetch(`${apiUrl}/auth/v1${path}`, {
    method,
    body,
    headers: {
      apikey: publishableKey,
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  });
  const text = await response.text();
  assert.ok(response.status < 500, `${method} ${path} ${body.slice(0, 200)}: ${response.status} ${text}`);
  return response.status;
}

const NESTED = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;

for (
  const [data, status] of [
    ['{"invitation":null}', 200],
    ['{"invitation":""}', 200],
    ['{"invitation":{"a":[null]}}', 200],
    ['{"invitation":"00000000-0000-0000-0000-000000000000"}', 200],
    ['{"invitation":null,"display_name":"山田"}', 200],
    ['{"display_name":null}', 200],
    ['{"display_name":{"a":1}}', 200],
    [`{"display_name":"${"x".repeat(100_000)}"}`, 200],
    ['{"name":"a\\u0000b"}', 400],
    ['{"a\\u0000b":1}', 400],
    ['{"name":"\\ud83d"}', 400],
    ['{"deep":{"name":["\\udc00"]}}', 400],
    [NESTED, 400],
  ] as const
) {
  Deno.test(`sign-up: metadata ${data.slice(0, 60)} get ${status}`, async () => {
    assert.equal(
      await send("POST", "/signup", `{"email":"${address()}","password":"${password}","data":${data}}`),
      status,
    );
  });
}

Deno.test("auth server: a NUL or half a character in any field of any request is never an error of the server", async () => {
  const { token } = await signUp();
  for (const text of ["\\u0000", "a\\u0000b", "\\ud83d", "\\udc00\\ud83d"]) {
    const requests = [
      ["POST", "/signup", `{"email":"${text}@example.com","password":"${password}"}`],
      [
        "POST",
        "/signup",
        `{"email":"${address()}","password":"${text}${password}","code_challenge":"${text}","code_challenge_method":"${text}"}`,
      ],
      ["POST", "/token?grant_type=password", `{"email":"${text}","password":"${text}"}`],
      ["POST", "/token?grant_type=refresh_token", `{"refresh_token":"${text}"}`],
      ["POST", "/token?grant_type=pkce", `{"auth_code":"${text}","code_verifier":"${text}"}`],
      ["POST", "/verify", `{"type":"email","email":"${text}","token":"${text}"}`],
      ["POST", "/verify", `{"type":"signup","token_hash":"${text}"}`],
      ["POST", "/recover", `{"email":"${text}","code_challenge":"${text}"}`],
      ["PUT", "/user", `{"data":{"name":"${text}"}}`, token],
      ["PUT", "/user", `{"email":"${text}"}`, token],
      ["POST", "/factors", `{"factor_type":"totp","friendly_name":"${text}"}`, token],
    ] as const;
    for (const [method, path, body, caller] of requests) await send(method, path, body, caller);
  }
  for (const query of ["token=%00&type=signup", "token=%ED%A0%BD&type=email", "token_hash=%00&type=recovery"]) {
    const response = await fetch(`${apiUrl}/auth/v1/verify?${query}`, { redirect: "manual" });
    await response.body?.cancel();
    assert.ok(response.status < 500, `verify?${query}: ${response.status}`);
  }
});
