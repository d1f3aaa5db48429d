// The code samples of the reference: each language sends the operation's method, path, headers and body.
import assert from "node:assert/strict";
import { codeSamples, type Contract, sampleRequest, withSamples } from "../../apps/site/code_samples.ts";
import { completeContract, groups } from "../../supabase/functions/openapi/contract.ts";

const contract = JSON.parse(JSON.stringify(completeContract())) as Contract;
const BASE = "https://project.supabase.test/functions";
const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => ({ path, method, operation: item[method]! }))
);

const routes = new Map(groups.flatMap((group) => group.routes).map((route) => [route.name, route]));

/** What a sample sends, read from its text. */
interface Read {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

const json = (text: string | undefined): unknown => text === undefined ? undefined : JSON.parse(text);

const readers: Record<string, (source: string) => Read> = {
  curl(source) {
    const [, method = "GET", url] = /^curl(?: -X (\w+))? '([^']+)'/.exec(source)!;
    return {
      method,
      url: url!,
      headers: Object.fromEntries(
        [...source.matchAll(/^ {2}-H ["']([\w-]+): (.*)["'](?: \\)?$/gm)].map(([, name, value]) => [name!, value!]),
      ),
      body: json(/--data '([\s\S]*)'\n$/.exec(source)?.[1]?.replaceAll("'\\''", "'")),
    };
  },
  Swift(source) {
    return {
      method: /httpMethod = "(\w+)"/.exec(source)![1]!,
      url: JSON.parse(/URL\(string: ("[^"]+")\)!/.exec(source)![1]!),
      headers: Object.fromEntries(
        [...source.matchAll(/setValue\("(.*)", forHTTPHeaderField: "([\w-]+)"\)/g)].map((
          [, value, name],
        ) => [name!, value!]),
      ),
      body: json(/Data\(#"""\n([\s\S]*)\n"""#\.utf8\)/.exec(source)?.[1]),
    };
  },
  Kotlin(source) {
    const body = /"""([\s\S]*)"""\.toRequestBody\("application\/json"\.toMediaType\(\)\)/.exec(source)?.[1];
    return {
      method: /\.method\("(\w+)", /.exec(source)![1]!,
      url: JSON.parse(/\.url\(("[^"]+")\)/.exec(source)![1]!.replaceAll("\\$", "$")),
      headers: {
        ...Object.fromEntries(
          [...source.matchAll(/\.header\("([\w-]+)", "(.*)"\)/g)].map(([, name, value]) => [name!, value!]),
        ),
        // The media type of the body is its header.
        ...body === undefined ? {} : { "Content-Type": "application/json" },
      },
      body: json(body?.replaceAll("${'$'}", "$")),
    };
  },
};

Deno.test("code samples: curl, Swift and Kotlin send the method, path, query, headers and body of every operation", () => {
  assert.ok(operations.length > 200);
  for (const { path, method } of operations) {
    const request = sampleRequest(contract, path, method, BASE);
    const address = new URL(request.url);
    assert.match(address.pathname, new RegExp(`^/functions${path.replaceAll(/\{\w+\}/g, "[^/{}]+")}$`), request.url);
    assert.ok(!address.pathname.includes("undefined"), request.url);
    const samples = codeSamples(contract, path, method, BASE);
    assert.deepEqual(samples.map(({ label }) => label), ["Typed client", "curl", "Swift", "Kotlin"]);
    for (const { label, source } of samples.slice(1)) {
      const { headers, ...read } = readers[label]!(source);
      const place = `${label}: ${method} ${path}\n${source}`;
      assert.deepEqual(read, { method: request.method, url: request.url, body: request.body }, place);
      assert.deepEqual(Object.keys(headers).sort(), Object.keys(request.headers).sort(), place);
      if (request.needsToken) assert.match(headers["Authorization"]!, /^Bearer (\$TOKEN|\\\(token\)|\$token)$/, place);
    }
  }
});

Deno.test("code samples: a required parameter has a value, and an operation that needs a token sends one", () => {
  for (const { path, method, operation } of operations) {
    const { pathValues, query, needsToken } = sampleRequest(contract, path, method, BASE);
    for (const one of operation.parameters ?? []) {
      const { name, in: place, required } = one.$ref
        ? contract.components.parameters[one.$ref.split("/").at(-1)!]!
        : one;
      if (required) assert.ok(name in (place === "path" ? pathValues : query), `${method} ${path}: ${name}`);
    }
    const route = routes.get(operation.operationId)!;
    assert.equal(needsToken, !["public", "optional"].includes(route.access), `${method} ${path}`);
  }
});

Deno.test("code samples: the reference shows the examples of optional headers and sends none of them", () => {
  const shown = withSamples(contract, BASE);
  const headers = [
    ...Object.values(shown.components.parameters),
    ...Object.values(shown.paths).flatMap((item) => Object.values(item)).flatMap(({ parameters = [] }) => parameters),
  ].filter((one) => one.in === "header" && !one.required) as unknown as {
    example?: unknown;
    examples: Record<string, unknown>;
  }[];
  assert.ok(headers.length >= 4);
  for (const { example, examples } of headers) {
    assert.equal(example, undefined);
    assert.equal((examples["default"] as Record<string, unknown>)["x-disabled"], true);
  }
  // The samples are no part of the contract, whose size is bounded.
  assert.ok(!JSON.stringify(contract).includes("x-codeSamples"));
});
