// The examples of openapi.json are what the service returns today: every operation is used again, on a platform of its own.
import assert from "node:assert/strict";

Deno.test("examples: every operation returns the fields of its example", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tests/examples/record.ts", "--check"],
    cwd: new URL("../../", import.meta.url),
    env: { NO_COLOR: "1" },
    stdout: "null",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
});
