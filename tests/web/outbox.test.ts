// apps/web/: what a browser keeps for times without a connection: whose it is, and in which order it is sent.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";
import { capture, capturing } from "../../apps/web/src/captured.ts";
import { newKey } from "../../apps/web/src/keys.ts";
import { ownerOf } from "../../apps/web/src/token.ts";

const SOURCES = fileURLToPath(new URL("../../apps/web/src/", import.meta.url));
const sources = new Map<string, string>();
for (const path of await files(SOURCES)) {
  if (/\.tsx?$/.test(path)) sources.set(relative(SOURCES, path), await Deno.readTextFile(path));
}

/** An access token of a user whose name is not ASCII. */
function tokenOf(claims: Record<string, unknown>): string {
  const json = new TextEncoder().encode(JSON.stringify({ ...claims, name: "山田>>>???" }));
  const payload = json.toBase64({ alphabet: "base64url", omitPadding: true });
  return `Bearer e30.${payload}.c2ln`;
}

const requestOf = (headers: Record<string, string>, body?: string) =>
  new Request("http://service.test/v1/me", { method: "POST", headers, ...(body === undefined ? {} : { body }) });

Deno.test("requests: each belongs to the user of its token, and without one to a guest", () => {
  assert.equal(ownerOf(requestOf({ Authorization: tokenOf({ sub: "person-a" }) })), "person-a");
  assert.equal(ownerOf(requestOf({ Authorization: tokenOf({ role: "anon" }) })), "");
  assert.equal(ownerOf(requestOf({ Authorization: "Bearer sb_publishable_1" })), "");
  assert.equal(ownerOf(requestOf({})), "");
});

Deno.test("outbox: a change is kept as it left, with the user of its request", async () => {
  const sent = requestOf({ "Idempotency-Key": "k1", Authorization: tokenOf({ sub: "person-a" }) }, '{"a":1}');
  const result = await capturing("k1", false, async () => {
    await capture(sent);
    await capture(sent.clone());
    throw new TypeError("offline");
  });
  assert.deepEqual("captured" in result && result.captured, {
    user: "person-a",
    method: "POST",
    address: "http://service.test/v1/me",
    body: '{"a":1}',
  });
  assert.equal(await sent.text(), '{"a":1}', "the request can still be sent");
});

Deno.test("outbox: a change that must wait for others does not leave, and is kept", async () => {
  let isSent = false;
  const result = await capturing("k2", true, async () => {
    await capture(requestOf({ "Idempotency-Key": "k2" }));
    isSent = true;
  });
  assert.equal(isSent, false);
  assert.equal("captured" in result && result.captured?.method, "POST");
  // Other requests leave meanwhile.
  await capturing("k3", true, () => capture(requestOf({ "Idempotency-Key": "k4" })));
});

Deno.test("keys: each is a new UUID, also where the browser has no randomUUID", () => {
  const keys = Array.from({ length: 100 }, newKey);
  assert.equal(new Set(keys).size, 100);
  for (const key of keys) assert.match(key, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.deepEqual([...sources].filter(([, code]) => code.includes(".randomUUID")).map(([name]) => name), []);
});

Deno.test("storage: what the page stores outside of its database is of the device, or is removed with its user", () => {
  /** Settings of the device, and those of each administrator under their id. */
  const DEVICE = [
    "console/kit/kept.ts",
    "console/kit/shortcuts.ts",
    "language.ts",
    "pages/map/map_view.tsx",
    "theme.ts",
  ];
  const found = [...sources].flatMap(([name, code]) =>
    code.matchAll(/localStorage\.setItem\(([\w.]+)/g).map(([, key]) => [name, key!] as const).toArray()
  );
  assert.ok(found.length >= 6);
  const others = found.filter(([name, key]) => !key.startsWith("OF_USER.") && !DEVICE.includes(name));
  assert.deepEqual(others, []);
});
