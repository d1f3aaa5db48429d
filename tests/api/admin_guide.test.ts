// docs/clients/console.md: its requests get the responses that stand below them, and its diagrams are the moves of the database.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { asUser, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { aLot, inDatabase } from "./lots.ts";

const PAGE = Deno.readTextFileSync(new URL("../../docs/clients/console.md", import.meta.url));

interface Block {
  readonly kind: string;
  readonly text: string;
  readonly line: number;
}

const blocks: Block[] = [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ 1: kind, 2: text, index }) => ({
  kind: kind!,
  text: text!,
  line: PAGE.slice(0, index).split("\n").length,
}));

/** The first line of a message, its headers by their small names, and its body. */
function message({ text }: Block): { first: string; headers: [name: string, value: string][]; body: string } {
  const [head, ...rest] = text.split("\n\n");
  const [first, ...lines] = head!.trimEnd().split("\n");
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(":");
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return { first: first!, headers, body: rest.join("\n\n").trim() };
}

type Values = Map<string, string>;

/** A text of a request with what its braces stand for. */
function filled(text: string, values: Values): string {
  return text.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => values.get(name) ?? assert.fail(`nothing has been called {${name}}`),
  );
}

/** Compares what the page promises with what came. A name in braces that is new stands for what came from then on. */
function compare(promised: unknown, got: unknown, values: Values, place: string): void {
  const name = typeof promised === "string" ? /^\{(\w+)\}$/.exec(promised)?.[1] : undefined;
  if (name !== undefined) {
    assert.equal(typeof got, "string", place);
    if (!values.has(name)) values.set(name, got as string);
    assert.equal(got, values.get(name), place);
  } else if (Array.isArray(promised)) {
    assert.equal((got as unknown[]).length, promised.length, place);
    promised.forEach((item, n) => compare(item, (got as unknown[])[n], values, `${place}.${n}`));
  } else if (promised !== null && typeof promised === "object") {
    for (const [key, value] of Object.entries(promised)) compare(value, Object(got)[key], values, `${place}.${key}`);
  } else assert.deepEqual(got, promised, place);
}

async function send(block: Block, values: Values): Promise<Response> {
  const { first, headers, body } = message(block);
  const [method, path] = filled(first, values).split(" ");
  const { apiUrl, functionsUrl } = stack();
  // `/v1` is the gateway's short form of the functions' address, which only some gateways have.
  const url = path!.startsWith("/v1/") ? `${functionsUrl}${path!.slice("/v1".length)}` : `${apiUrl}${path}`;
  const sent = new Headers(headers.map(([name, value]): [string, string] => [name, filled(value, values)]));
  if (body !== "") sent.set("content-type", "application/json");
  return await fetch(url, { method: method!, headers: sent, body: body === "" ? null : filled(body, values) });
}

const GUIDE_AREAS = ["content", "lots", "notifications", "reviews", "search_presets", "support", "users"];

/** What the page takes for granted: an administrator, an app user with a ticket and with a review and a report of a lot, and one who leaves. */
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
    unique: crypto.randomUUID(),
    secret_key: stack().secretKey,
  }));
  return { values, email: administrator.email, password: administrator.password };
}

Deno.test("docs/clients/console.md: every request gets the response that stands below it", async () => {
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

  const messages = blocks.filter(({ kind }) => kind === "http");
  let requests = 0;
  for (const [n, block] of messages.entries()) {
    if (/^\d{3}\b/.test(block.text)) continue;
    const response = await send(block, values);
    const text = await response.text();
    const place = `docs/clients/console.md:${block.line}`;
    requests++;
    const next = messages[n + 1];
    if (next === undefined || !/^\d{3}\b/.test(next.text)) {
      assert.ok(response.ok, `${place}: ${text}`);
      continue;
    }
    const { first, headers, body } = message(next);
    assert.equal(response.status, Number(first), `${place}: ${text}`);
    for (const [name, value] of headers) compare(value, response.headers.get(name), values, `${place} ${name}`);
    if (body !== "") compare(JSON.parse(body), JSON.parse(text), values, place);
  }
  assert.ok(requests >= 10, `${requests} requests`);
});

Deno.test("docs/clients/console.md: a response that differs from the page is noticed", () => {
  const values: Values = new Map([["known", "1"]]);
  compare({ a: "{known}", b: [{ c: 1 }], d: "{fresh}" }, { a: "1", b: [{ c: 1, more: 2 }], d: "x" }, values, "");
  assert.equal(values.get("fresh"), "x");
  for (const got of [{ a: "2" }, { a: 1 }, {}]) {
    assert.throws(() => compare({ a: "{known}" }, got, values, ""), assert.AssertionError);
  }
  assert.throws(() => compare({ b: [{ c: 1 }] }, { b: [] }, values, ""), assert.AssertionError);
});

Deno.test("docs/clients/console.md: the diagrams show every move that the database allows, and no other", async () => {
  const moves = await inDatabase((sql) =>
    sql<{ entity: string; move: string }[]>`
      select entity, from_state || ' to ' || to_state as move from private.allowed_moves order by 1, 2`
  );
  const diagrams = blocks.filter(({ kind }) => kind === "mermaid");
  for (const entity of ["review", "error_report", "support_ticket", "parking_lot", "account", "notification"]) {
    const drawn = diagrams.find(({ text }) => text.includes(`%% ${entity}\n`)) ??
      assert.fail(`no diagram of ${entity}`);
    const shown = [...drawn.text.matchAll(/^ *(\S+) --> (\w+)/gm)].map(([, from, to]) =>
      `${from === "[*]" ? "new" : from} to ${to}`
    );
    assert.deepEqual(
      shown.sort(),
      moves.filter((each) => each.entity === entity).map(({ move }) => move).sort(),
      entity,
    );
  }
});
