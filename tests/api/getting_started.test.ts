// docs/clients/getting_started.md: its commands and its program run as they are, at the address of this stack.
import assert from "node:assert/strict";
import { readmeApp } from "../client/readme_app.ts";
import { blocksOf } from "../support/http_guide.ts";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { aPricedLot } from "./sessions.ts";

const PAGE = Deno.readTextFileSync(new URL("../../docs/clients/getting_started.md", import.meta.url));

/** The blocks of a kind as one text, with the address and the key of this stack, and a place without other lots. */
function textOf(kind: string, place: { lat: number; lng: number }): string {
  const { functionsUrl, apiUrl, publishableKey } = stack();
  const base = functionsUrl.replace(/\/v1$/, "");
  const blocks = blocksOf(PAGE).filter((block) => block.kind === kind).map(({ text }) => text).join("\n");
  return blocks.replace("API=http://127.0.0.1:54321", `API=${base}`)
    .replace('url: "http://127.0.0.1:54321"', `url: "${apiUrl}"`)
    .replace("$API/auth", `${apiUrl}/auth`)
    .replace(/^KEY=.*$/m, `KEY=${publishableKey}`)
    .replace(/lat=[\d.]+&lng=[\d.]+/, `lat=${place.lat}&lng=${place.lng}`)
    .replace(/lat: [\d.]+, lng: [\d.]+/, `lat: ${place.lat}, lng: ${place.lng}`);
}

async function run(command: string, args: string[], options: Deno.CommandOptions): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, ...options }).output();
  const text = new TextDecoder().decode(stdout);
  assert.ok(success, text + new TextDecoder().decode(stderr));
  return text;
}

const aPlace = () => ({ lat: 30 + Math.random(), lng: 140 + Math.random() });

Deno.test("docs/clients/getting_started.md: the curl commands find a lot, price a stay, start a session and end it", async () => {
  const place = aPlace();
  const lot = await aPricedLot(place);
  const output = await run("sh", ["-euc", textOf("sh", place)], {});
  assert.deepEqual(output.trim().split("\n"), [`lot: ${lot}`, "600", "200", "200"]);
});

Deno.test("docs/clients/getting_started.md: the program does the same with the typed client", async () => {
  const place = aPlace();
  await aPricedLot({ ...place, name: "Lot of the example" });
  await using app = await readmeApp();
  await Deno.writeTextFile(`${app.folder}/park.mjs`, textOf("js", place));
  const { token } = await signUp();
  const output = await run("node", ["park.mjs"], { cwd: app.folder, env: { TOKEN: token } });
  assert.deepEqual(output.trim().split("\n"), ["Lot of the example: 600 JPY", "paid: 200 JPY"]);
});
