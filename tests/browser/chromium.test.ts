// The browser of the tests itself.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { waitForExit } from "../../local/process.ts";
import { hasBrowser } from "../support/browser.ts";

const SCRIPT = `
import { startBrowser } from "${import.meta.resolve("./chromium.ts")}";
console.log((await startBrowser()).process().pid);
setInterval(() => {}, 1_000);
`;

Deno.test({ name: "browser: it ends when the process that started it is killed", ignore: !hasBrowser }, async () => {
  const config = fileURLToPath(import.meta.resolve("./deno.json"));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", `--config=${config}`, "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  await ReadableStream.from([SCRIPT]).pipeThrough(new TextEncoderStream()).pipeTo(child.stdin);
  const output = child.stdout.getReader();
  const pid = Number(new TextDecoder().decode((await output.read()).value));
  assert.ok(pid > 0);
  child.kill("SIGKILL");
  await child.status;
  await output.cancel();
  assert.ok(await waitForExit(pid, 60_000), `browser ${pid} still runs`);
});
