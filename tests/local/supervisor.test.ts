// The process that a supervisor runs, without the platform.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { Supervisor, type SupervisorOptions } from "../../local/supervisor.ts";
import { eventually } from "../support/eventually.ts";

/** Runs a supervisor of a process with this source, which knows its marker as `marker`. */
async function supervised(
  source: string,
  options: Partial<SupervisorOptions>,
  run: (supervisor: Supervisor, log: string[]) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const entry = join(folder, "main.ts");
  await Deno.writeTextFile(entry, `const [marker] = Deno.args;\n${source}`);
  const log: string[] = [];
  const supervisor = new Supervisor({
    name: "program",
    entry,
    stopTimeoutMs: 5_000,
    log: (line) => log.push(line),
    ...options,
  });
  try {
    await run(supervisor, log);
  } finally {
    await supervisor.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("supervisor: a process that ends at once again and again is given up, with its exit code and its last lines", async () => {
  const { promise: givenUp, resolve: onGiveUp } = Promise.withResolvers<string>();
  const source = `console.log(marker + 1234); console.error("no disk " + Deno.pid); Deno.exit(3);`;
  await supervised(source, { onGiveUp }, async (supervisor, log) => {
    const reason = await givenUp;
    assert.match(
      reason,
      /^The program ended 5 times in a row \(code 3\)\. Its last lines:(\n {2}.*)*\n {2}no disk \d+/,
    );
    assert.equal(log.filter((line) => line === "The program ended (code 3) and is started again").length, 4);
    assert.deepEqual([supervisor.pid, supervisor.isUp], [undefined, false]);
  });
});

Deno.test("supervisor: one without a limit is started again as often as it ends", async () => {
  await supervised(`Deno.exit(1);`, {}, async (_, log) => {
    await eventually(() => log.length >= 6 || undefined);
  });
});

Deno.test("supervisor: passes messages on in both directions, and other lines to the log", async () => {
  const received: unknown[] = [];
  const source = `
    console.log(marker + 1234);
    console.log("a line");
    for await (const chunk of Deno.stdin.readable) console.log(marker + JSON.stringify([new TextDecoder().decode(chunk)]));`;
  const onMessage = (message: unknown) => received.push(message);
  await supervised(source, { onMessage }, async (supervisor, log) => {
    assert.equal(await supervisor.port(60_000), 1234);
    supervisor.send({ n: 1 });
    await eventually(() => received.length > 0 || undefined);
    assert.deepEqual(received, [['{"n":1}\n']]);
    assert.deepEqual(log, ["a line"]);
  });
});
