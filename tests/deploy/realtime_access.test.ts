// The check of a deployment that states whether public Realtime channels are open.
import assert from "node:assert/strict";
import { crashPlatform } from "../support/crash_platform.ts";

async function access(...args: string[]): Promise<[number, string]> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("../../tools/release/realtime_access.ts", import.meta.url).pathname, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  return [code, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)];
}

for (const [privateOnly, code, word] of [[false, 1, "Open"], [true, 0, "Closed"]] as const) {
  Deno.test(`realtime:access: a project whose public channels are ${word.toLowerCase()} gives exit code ${code}`, async () => {
    await using platform = await crashPlatform({ realtimePrivateOnly: privateOnly });
    const [exit, output] = await access(platform.status.API_URL, platform.status.PUBLISHABLE_KEY);
    assert.match(output, new RegExp(`^${word}: `, "m"));
    assert.equal(exit, code, output);
    if (privateOnly) {
      const [wrongKey, unknown] = await access(platform.status.API_URL, "sb_publishable_wrong");
      assert.match(unknown, /^Unknown: /m);
      assert.equal(wrongKey, 2, unknown);
    }
  });
}

Deno.test("realtime:access: without an address and a key it prints its usage", async () => {
  for (const args of [[], ["https://REF.supabase.co"], ["not an address", "key"]]) {
    const [code, output] = await access(...args);
    assert.equal(code, 2);
    assert.match(output, /^Usage: deno task realtime:access/m);
  }
});
