// asyncapi.json is valid, and docs/clients/realtime.md lists its channels. tests/db/realtime.test.ts compares its rows with
// the published tables.
import assert from "node:assert/strict";
import asyncapi from "@asyncapi/parser";
import { asyncApiDocument } from "../../supabase/functions/openapi/asyncapi.ts";
import { channels } from "../../supabase/functions/openapi/realtime_channels.ts";

const read = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));

async function findings(document: unknown): Promise<string[]> {
  const { diagnostics } = await new asyncapi.Parser().parse(JSON.stringify(document));
  // Version 3.1 adds nothing that the document needs, and fewer tools read it.
  return diagnostics.map(({ code }) => String(code)).filter((code) => code !== "asyncapi-latest-version");
}

Deno.test("asyncapi.json: the parser finds nothing in the document, and finds an unknown message", async () => {
  const document = asyncApiDocument();
  assert.deepEqual(await findings(document), []);
  const { userBadgesInsert: _, ...messages } = document.components.messages;
  assert.notDeepEqual(await findings({ ...document, components: { ...document.components, messages } }), []);
});

Deno.test("realtime.md: the table of channels has the topics, tables, events and receivers of asyncapi.json", () => {
  const section = read("docs/clients/realtime.md").split("\n## The five channels\n")[1]!.split("\n### ")[0]!;
  const rows = [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row]) => row!.split("|").map((cell) => cell.trim()));
  assert.deepEqual(
    rows,
    channels.map(({ topic, table, event, receiver }) => [
      `\`${topic}\``,
      `\`${table}\``,
      event === "*" ? "all" : event,
      receiver,
    ]),
  );
});

Deno.test("realtime.md: each snippet subscribes to the topic, the event, the table and the filter of its channel", () => {
  const code = read("docs/clients/realtime.md").replaceAll("${user.id}", "{uid}");
  for (const { topic, table, event, filter } of channels) {
    const snippet = code.split("```js\n").find((part) =>
      part.includes(`.channel(\`${topic}\`,`) || part.includes(`.channel("${topic}",`)
    );
    const binding = `{ event: "${event}", schema: "public", table: "${table}"${
      filter ? `, filter: \`${filter}\`` : ""
    } }`;
    assert.ok(snippet?.includes(binding), `${topic}: ${binding}`);
  }
});
