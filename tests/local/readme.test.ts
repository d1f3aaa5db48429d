// README.md: its requests work as they are, at the address and with the key of this platform.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { createParkingClient } from "../../client/src/index.ts";
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

Deno.test("README.md: the lines of the typed client return the lots of the search with curl", async () => {
  const { apiUrl, publishableKey } = stack();
  const [, lines] = /^```js\n([\s\S]*?)^```$/m.exec(README) ?? assert.fail("no lines");
  const program = `return (async () => { ${lines!.replaceAll("http://127.0.0.1:54321", apiUrl)} return lots; })()`;
  const run = new Function("createClient", "createParkingClient", "KEY", program);
  const lots = await run(createClient, createParkingClient, publishableKey);
  const filters = encodeURIComponent('{"max_height_m": 2.1, "tags": ["covered"]}');
  const response = await fetch(`${apiUrl}/v1/parking-lots/nearby?lat=35.6812&lng=139.7671&filters=${filters}`);
  const found: { id: string }[] = await response.json();
  assert.ok(found.length > 0);
  assert.deepEqual(lots.map(({ id }: { id: string }) => id), found.map(({ id }) => id));
});
