// README.md: its requests work as they are, at the address and with the key of this platform.
import assert from "node:assert/strict";
import { stack } from "../support/stack.ts";

const README = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));

Deno.test("README.md: the three requests return lots and the caller's account", async () => {
  const { apiUrl, publishableKey } = stack();
  const [, block] = /^## Three requests\n\n```sh\n([\s\S]*?)^```$/m.exec(README) ?? assert.fail("no requests");
  const [nearby, filtered, account] = block!.replaceAll("http://127.0.0.1:54321", apiUrl)
    .replace(/^KEY=.*$/m, `KEY=${publishableKey}`).split("\n\n");
  const reply = async (command: string) => {
    const { stdout, stderr } = await new Deno.Command("sh", { args: ["-c", command] }).output();
    const text = new TextDecoder().decode(stdout);
    assert.ok(text.startsWith("[") || text.startsWith("{"), text + new TextDecoder().decode(stderr));
    return JSON.parse(text);
  };
  assert.equal((await reply(nearby!)).length, 3);
  assert.ok((await reply(filtered!)).length > 0);
  assert.equal((await reply(account!)).app_user.status, "active");
});
