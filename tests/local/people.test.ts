// The sample people of `task dev`: who they are and what they find. They belong to the local platform alone.
import { strict as assert } from "node:assert";
import { SAMPLE_PASSWORD, SAMPLE_PEOPLE } from "../../local/people/people.ts";
import { crashPlatform } from "../support/crash_platform.ts";
import { stack } from "../support/stack.ts";

Deno.test("sample people: each signs in with the printed password, and the areas of administrators are as promised", async () => {
  await using platform = await crashPlatform({ withPeople: true });
  const { API_URL, PUBLISHABLE_KEY } = platform.status;
  const scopes: Record<string, string[]> = {};
  for (const { email } of SAMPLE_PEOPLE) {
    const response = await fetch(`${API_URL}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers: { apikey: PUBLISHABLE_KEY, "content-type": "application/json" },
      body: JSON.stringify({ email, password: SAMPLE_PASSWORD }),
    });
    const session = await response.json();
    assert.equal(response.status, 200, `${email}: ${JSON.stringify(session)}`);
    const me = await fetch(`${API_URL}/v1/me`, { headers: { authorization: `Bearer ${session.access_token}` } });
    const account = await me.json();
    assert.equal(me.status, 200, `${email}: ${JSON.stringify(account)}`);
    scopes[email] = account.permission_scopes.toSorted();
  }
  const [row] = await platform.sql<{ areas: string[] }[]>`select private.admin_areas() as areas`;
  assert.deepEqual(scopes, {
    "admin@example.com": ["admin", ...row!.areas.map((area) => `admin:${area}`).toSorted()],
    "hanako@example.com": ["user"],
    "james@example.com": ["user"],
    "taro@example.com": ["user"],
    "emma@example.com": [],
    "support@example.com": ["admin", "admin:reviews", "admin:support"],
  });
});

Deno.test("sample people: a test platform has none unless a test asks for them", async () => {
  const { apiUrl, publishableKey } = stack();
  for (const { email } of SAMPLE_PEOPLE) {
    const response = await fetch(`${apiUrl}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers: { apikey: publishableKey, "content-type": "application/json" },
      body: JSON.stringify({ email, password: SAMPLE_PASSWORD }),
    });
    assert.deepEqual([response.status, (await response.json()).error_code], [400, "invalid_credentials"], email);
  }
});
