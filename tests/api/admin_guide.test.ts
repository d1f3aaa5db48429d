// docs/clients/console.md: its requests get the responses below them, and its diagrams are the moves of the database.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { blocksOf, compare, sendRequests, type Values } from "../support/http_guide.ts";
import { asUser, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { aLot, inDatabase } from "./lots.ts";

const PAGE = Deno.readTextFileSync(new URL("../../docs/clients/console.md", import.meta.url));

const blocks = blocksOf(PAGE);

const GUIDE_AREAS = ["content", "lots", "notifications", "reviews", "search_presets", "support", "users"];

/** The state that the page assumes: an administrator, an app user with a ticket and with a review and a report of a lot, and one who leaves. */
async function given(): Promise<{ values: Values; email: string; password: string }> {
  const administrator = await signUp({
    appMetadata: { admin: { name: "Guide", areas: GUIDE_AREAS } },
  });
  const [author, lot] = [await signUp(), await aLot()];
  const write = async (path: string, body: unknown): Promise<string> => {
    const response = await asUser(author)(path, { method: "POST", body: JSON.stringify(body) });
    assert.equal(response.status, 201, path);
    return (await response.json()).id;
  };
  await write(`/parking-lots/${lot}/reviews`, { rating: 4 });
  await write("/error-reports", {
    parking_lot_id: lot,
    report_type: "vehicle_limits",
    description: "2.1 m by the sign",
  });
  const ticket = await write("/support/tickets", { category: "other", subject: "Question", message: "How?" });
  const values: Values = new Map(Object.entries({
    user: author.id,
    email: author.email,
    leaver: (await signUp()).id,
    lot,
    ticket,
    secret_key: stack().secretKey,
  }));
  return { values, email: administrator.email, password: administrator.password };
}

Deno.test("docs/clients/console.md: every request gets the response below it", async () => {
  const { values, email, password } = await given();
  const [signIn] = blocks.filter(({ kind }) => kind === "js");
  const known = {
    createClient: (url: string, key: string) =>
      createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } }),
    API_URL: stack().apiUrl,
    PUBLISHABLE_KEY: stack().publishableKey,
    email,
    password,
  };
  const code = `return (async () => {${signIn!.text}return token;})()`;
  values.set("token", await new Function(...Object.keys(known), code)(...Object.values(known)));

  const requests = await sendRequests("docs/clients/console.md", blocks, values);
  assert.ok(requests >= 10, `${requests} requests`);
});

Deno.test("docs/clients/console.md: a response that differs from the page fails", () => {
  const values: Values = new Map([["known", "1"]]);
  compare({ a: "{known}", b: [{ c: 1 }], d: "{fresh}" }, { a: "1", b: [{ c: 1, more: 2 }], d: "x" }, values, "");
  assert.equal(values.get("fresh"), "x");
  for (const got of [{ a: "2" }, { a: 1 }, {}]) {
    assert.throws(() => compare({ a: "{known}" }, got, values, ""), assert.AssertionError);
  }
  assert.throws(() => compare({ b: [{ c: 1 }] }, { b: [] }, values, ""), assert.AssertionError);
});

Deno.test("docs/clients/console.md: the diagrams show every transition that the database allows, and no other", async () => {
  const moves = await inDatabase((sql) =>
    sql<{ entity: string; move: string }[]>`
      select entity, from_state || ' to ' || to_state as move from private.allowed_moves order by 1, 2`
  );
  const diagrams = blocks.filter(({ kind }) => kind === "mermaid");
  for (const entity of ["review", "error_report", "support_ticket", "parking_lot", "account", "notification"]) {
    const drawn = diagrams.find(({ text }) => text.includes(`%% ${entity}\n`)) ??
      assert.fail(`no diagram of ${entity}`);
    const visible = [...drawn.text.matchAll(/^ *(\S+) --> (\w+)/gm)].map(([, from, to]) =>
      `${from === "[*]" ? "new" : from} to ${to}`
    );
    assert.deepEqual(
      visible.sort(),
      moves.filter((each) => each.entity === entity).map(({ move }) => move).sort(),
      entity,
    );
  }
});
