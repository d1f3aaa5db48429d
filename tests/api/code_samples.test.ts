// The code samples of the reference that need no token, run as they are: curl in a shell, the typed client in a program.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../../local/settings.ts";
import { codeSamples, type Contract } from "../../apps/site/code_samples.ts";
import { completeContract } from "../../supabase/functions/openapi/contract.ts";
import { routes } from "../examples/recorder.ts";
import { stack } from "../support/stack.ts";

/** Requests that only a store can sign. */
const SIGNED = ["receiveAppStoreNotification", "receiveGooglePlayNotification"];

const contract = JSON.parse(JSON.stringify(completeContract())) as Contract;
const base = `${stack().apiUrl}/functions`;
const anonymous = [...routes.values()].filter(({ access, name }) =>
  (access === "public" || access === "optional") && !SIGNED.includes(name)
).map((route) => {
  const samples = codeSamples(contract, `/v1${route.path}`, route.method.toLowerCase(), base);
  const sourceOf = (label: string) => samples.find((sample) => sample.label === label)!.source;
  return { name: route.name, status: route.reply[0], curl: sourceOf("curl"), client: sourceOf("Typed client") };
});

async function output(command: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd, stdin: "null" }).output();
  const text = new TextDecoder();
  assert.ok(success, `${args.join(" ")}\n${text.decode(stderr)}`);
  return text.decode(stdout);
}

Deno.test("code samples: curl gets the status of every operation that needs no token", async (t) => {
  assert.ok(anonymous.length >= 20, String(anonymous.length));
  for (const { name, status, curl } of anonymous) {
    await t.step(name, async () => {
      const script = `${curl.trimEnd()} \\\n  --silent --output /dev/null --write-out '%{http_code}'`;
      assert.equal(await output("sh", ["-c", script], ROOT), String(status), curl);
    });
  }
});

Deno.test("code samples: the typed client's programs run for every operation that needs no token", async () => {
  // In the repository, so that the import of the client is found.
  const folder = await Deno.makeTempDir({ dir: join(ROOT, ".local") });
  try {
    for (const { name, client } of anonymous) await Deno.writeTextFile(join(folder, `${name}.ts`), client);
    const program = anonymous.map(({ name }) =>
      `await import("./${name}.ts").catch((e) => failed.push("${name}: " + e));`
    );
    await Deno.writeTextFile(
      join(folder, "all.ts"),
      `const failed = [];\nconsole.log = () => {};\n${program.join("\n")}\nconsole.info(JSON.stringify(failed));\n`,
    );
    const printed = await output(Deno.execPath(), [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      "--config=client/deno.json",
      join(folder, "all.ts"),
    ], ROOT);
    assert.deepEqual(JSON.parse(printed), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
