import assert from "node:assert/strict";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import type { LogLine } from "../../supabase/functions/_shared/http/log.ts";
import { openApiDocument } from "../../supabase/functions/openapi/generator.ts";
import { route, routesOf } from "../../supabase/functions/_shared/http/route.ts";
import { assertError } from "../support/api_errors.ts";
import { configFor } from "./fake_rest.ts";

const Thing = z.object({ id: z.string() });

function making(returned: Record<string, unknown>) {
  return route({
    method: "POST",
    path: "/things",
    access: "public",
    summary: "Make a thing, or find the one there is",
    reply: [201, Thing],
    alternateStatus: 200,
    replyStatus: ({ made }) => made === "odd" ? 202 : made ? 201 : 200,
    errors: [],
    handle: () => ({ id: "a", ...returned }),
  });
}

async function answerTo(returned: Record<string, unknown>) {
  const lines: LogLine[] = [];
  const app = createApp([making(returned)], {
    config: () => configFor("http://127.0.0.1:1"),
    log: (line) => lines.push(line),
  });
  return { response: await app.fetch(new Request("http://localhost/things", { method: "POST" })), lines };
}

Deno.test("reply status: the status of a reply may depend on a field that the reply does not have", async () => {
  for (const [made, status] of [[true, 201], [false, 200]] as const) {
    const { response } = await answerTo({ made });
    assert.equal(response.status, status);
    assert.deepEqual(await response.json(), { id: "a" });
  }
});

Deno.test("reply status: a status that the contract does not declare is an internal error", async () => {
  const { response, lines } = await answerTo({ made: "odd" });
  await assertError(response, { code: "server_error" });
  assert.match(lines[0]?.cause ?? "", /status 202/);
});

Deno.test("reply status: the contract has both statuses with the same content", () => {
  const { paths } = openApiDocument([{
    name: "things",
    routes: routesOf({ makeThing: making({}) }),
  }]);
  const { 200: found, 201: made } = paths["/v1/things"]!.post!.responses;
  assert.ok("content" in found! && "content" in made!);
  assert.deepEqual(found.content, made.content);
});

Deno.test("reply status: a route with a second status and no function to choose it is rejected", () => {
  const common = { method: "POST", path: "/things", access: "public", summary: "Make", errors: [] } as const;
  assert.throws(
    () => route({ ...common, reply: [201, Thing], alternateStatus: 200, handle: () => ({ id: "a" }) }),
    /alternateStatus/,
  );
});
