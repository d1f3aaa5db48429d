import { strict as assert } from "node:assert";
import { hasEnded, isRunning } from "../../local/process.ts";

Deno.test(
  "processes: one that ends while its state is read has ended",
  { ignore: Deno.build.os !== "linux" },
  async () => {
    const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
    const path = `/proc/${child.pid}/stat`;
    assert.equal(isRunning(child.pid), true);
    using file = Deno.openSync(path);
    child.kill("SIGKILL");
    await child.status;
    assert.throws(() => file.readSync(new Uint8Array(64)), hasEnded);
    assert.throws(() => Deno.readTextFileSync(path), hasEnded);
    assert.equal(isRunning(child.pid), false);
  },
);
