// apps/web/: lengths and passwords as fields check them.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";
import { bytesOf, sentPassword, signInWithPassword } from "../../apps/web/src/pages/account/password.ts";
import { textLength } from "../../apps/web/src/ui/text_length.ts";
import { textLengths } from "../support/cases.ts";

const SOURCES = fileURLToPath(new URL("../../apps/web/src/", import.meta.url));

Deno.test("validity: a length counts code points after NFC", () => {
  for (const { text, length } of textLengths()) assert.equal(textLength(text), length);
});

Deno.test("validity: no element has the attribute maxlength, which counts UTF-16 units", async () => {
  const found: string[] = [];
  for (const path of await files(SOURCES)) {
    if (!path.endsWith(".tsx")) continue;
    for (const [element] of (await Deno.readTextFile(path)).matchAll(/<(?:input|textarea)\b[^]*?\/>/g)) {
      if (/\bmaxLength=/i.test(element)) found.push(`${path}: ${element}`);
      const [spread] = /\{\.\.\.[A-Z]\w+\.\w+\}/.exec(element) ?? [];
      if (spread && !element.includes('type="number"')) found.push(`${path}: ${spread}`);
    }
  }
  assert.deepEqual(found, []);
});

Deno.test("passwords: they are sent in NFKC, and their bytes are those of UTF-8 after NFKC", () => {
  assert.equal(sentPassword("\uff50\uff41\uff53\uff53\u3000\uff11e\u0301"), "pass 1\u00e9");
  assert.deepEqual(["", "\uff41".repeat(72), "\u304b\u3099".repeat(25), "\u{1f600}"].map(bytesOf), [0, 72, 75, 4]);
});

/** An auth server with one account, and the passwords that it received. */
function server(stored: string, code = "invalid_credentials") {
  const received: string[] = [];
  const auth = {
    signInWithPassword: ({ password }: { password: string }) => {
      received.push(password);
      return Promise.resolve({ data: {}, error: password === stored ? null : { code } });
    },
  } as unknown as Parameters<typeof signInWithPassword>[0];
  return { received, signIn: (typed: string) => signInWithPassword(auth, "a@example.com", typed) };
}

Deno.test("passwords: a sign-in sends NFKC, and after invalid_credentials the text as typed where it differs", async () => {
  const wide = "\uff50\uff41\uff53\uff53\uff11";
  const tries = [
    { stored: "pass1", typed: wide, received: ["pass1"] },
    { stored: wide, typed: wide, received: ["pass1", wide] },
    { stored: "pass1", typed: "other", received: ["other"] },
    { stored: "pass2", typed: wide, received: ["pass1"], code: "over_request_rate_limit" },
  ];
  for (const { stored, typed, received, code } of tries) {
    const auth = server(stored, code);
    const { error } = await auth.signIn(typed);
    assert.deepEqual(auth.received, received);
    assert.equal(error === null, received.at(-1) === stored);
  }
});
