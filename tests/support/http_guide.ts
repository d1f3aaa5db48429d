// Pages that show requests and responses as `http` blocks: sends the requests and compares the responses.
//
// A name in braces is a variable: a response sets it, and a request uses its value. {unique} is a new UUID each time.
import assert from "node:assert/strict";
import { stack } from "./stack.ts";

export interface Block {
  readonly kind: string;
  readonly text: string;
  readonly line: number;
}

export type Values = Map<string, string>;

/** The code blocks of a page. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ 1: kind, 2: text, index }) => ({
    kind: kind!,
    text: text!,
    line: page.slice(0, index).split("\n").length,
  }));
}

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

/** A text of a request with the values of its names. */
function filled(text: string, values: Values): string {
  const valueOf = (name: string) =>
    name === "unique" ? crypto.randomUUID() : values.get(name) ?? assert.fail(`{${name}} has no value yet`);
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => valueOf(name));
}

/** Compares the page with the actual response. A new name in braces takes the actual value. */
export function compare(expected: unknown, got: unknown, values: Values, place: string): void {
  const name = typeof expected === "string" ? /^\{(\w+)\}$/.exec(expected)?.[1] : undefined;
  if (name !== undefined) {
    assert.equal(typeof got, "string", place);
    if (!values.has(name)) values.set(name, got as string);
    assert.equal(got, values.get(name), place);
  } else if (Array.isArray(expected)) {
    assert.equal((got as unknown[]).length, expected.length, place);
    expected.forEach((item, n) => compare(item, (got as unknown[])[n], values, `${place}.${n}`));
  } else if (expected !== null && typeof expected === "object") {
    for (const [key, value] of Object.entries(expected)) compare(value, Object(got)[key], values, `${place}.${key}`);
  } else assert.deepEqual(got, expected, place);
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

/** Sends the requests of a page in their order; returns how many. One without a response on the page must succeed. */
export async function sendRequests(name: string, blocks: readonly Block[], values: Values): Promise<number> {
  const messages = blocks.filter(({ kind }) => kind === "http");
  let requests = 0;
  for (const [n, block] of messages.entries()) {
    if (/^\d{3}\b/.test(block.text)) continue;
    const response = await send(block, values);
    const text = await response.text();
    const place = `${name}:${block.line}`;
    requests++;
    const next = messages[n + 1];
    if (next === undefined || !/^\d{3}\b/.test(next.text)) {
      assert.ok(response.ok, `${place}: ${text}`);
      continue;
    }
    const { first, headers, body } = message(next);
    assert.equal(response.status, Number(first), `${place}: ${text}`);
    for (const [header, value] of headers) {
      compare(value, response.headers.get(header), values, `${place} ${header}`);
    }
    if (body !== "") compare(JSON.parse(body), JSON.parse(text), values, place);
  }
  return requests;
}
