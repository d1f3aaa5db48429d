// The examples of openapi.json that need no token, sent as they are: each gets the status and the fields of its example.
import assert from "node:assert/strict";
import examples from "../../supabase/functions/openapi/examples.json" with { type: "json" };
import { addressOf, assertReply, type Recorded, routes } from "../examples/recorder.ts";
import { ask, jsonBody } from "./client.ts";

/** Requests that only a store can sign. */
const SIGNED = ["receiveAppStoreNotification", "receiveGooglePlayNotification"];

const anonymous = [...routes.values()].filter(({ access, name }) =>
  (access === "public" || access === "optional") && !SIGNED.includes(name)
);

Deno.test("examples: every operation that needs no token returns what its example shows", async (t) => {
  assert.ok(anonymous.length >= 20, String(anonymous.length));
  for (const route of anonymous) {
    await t.step(`${route.method} ${route.path}`, async () => {
      const example = (examples as Record<string, Recorded>)[route.name]!;
      const headers = { accept: "application/json" };
      const init = example.body === undefined ? { headers } : jsonBody(example.body, headers);
      const response = await ask(addressOf(route, example), { ...init, method: route.method });
      const text = await response.text();
      assert.equal(response.status, route.reply[0], text);
      const reply = JSON.parse(text);
      assertReply(route, reply);
      const visible = (value: unknown) => Object.keys(Array.isArray(value) ? value[0] ?? {} : value ?? {}).sort();
      // A document of the contract is too long for an example, and what no user has rated has no rating.
      if (!/Contract$/.test(route.name) && reply !== null) {
        assert.deepEqual(visible(reply), visible(example.reply), text);
      }
    });
  }
});
