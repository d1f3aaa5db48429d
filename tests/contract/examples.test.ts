// Every operation of the contract has an example of its request and of its response. They are recorded: `deno task examples`.
import assert from "node:assert/strict";
import { Ajv } from "ajv";
import examples from "../../supabase/functions/openapi/examples.json" with { type: "json" };
import { completeContract, groups } from "../../supabase/functions/openapi/contract.ts";
import type { Example, Operation } from "../../supabase/functions/openapi/generator.ts";
import { assertReply, assertRequest } from "../examples/recorder.ts";
import { differences } from "../examples/shape.ts";
import { followed } from "../support/contract.ts";

const byName: Readonly<Record<string, Example>> = examples;
const routes = groups.flatMap(({ routes }) => routes);
const document = completeContract();
const operations = new Map(
  Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]).map((operation) =>
    [operation.operationId, operation] as const
  ),
);
const HOW = "Add a request of it to tests/examples, run `deno task examples`, then `deno task openapi`.";

Deno.test("examples: every operation has one, and no other has one", () => {
  const names = routes.map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !(name in byName)), [], `Operations without an example. ${HOW}`);
  assert.deepEqual(Object.keys(byName).filter((name) => !names.includes(name)), [], "Operations that do not exist.");
});

Deno.test("examples: a request is one that its route accepts, and a reply one that its route returns", () => {
  for (const route of routes) {
    const example = byName[route.name] ?? {};
    assert.deepEqual(Object.keys(example).filter((part) => !["params", "query", "body", "reply"].includes(part)), []);
    assertRequest(route, example as Parameters<typeof assertRequest>[1]);
    assertReply(route, example.reply);
    if (route.body && !route.isBodyOptional) assert.ok(example.body, `${route.name}: no body. ${HOW}`);
  }
});

/** The JSON Schema of a media type, with the components that it refers to. */
function validator() {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(JSON.parse(JSON.stringify({ $id: "contract", components: document.components })));
  return (schema: unknown) =>
    ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/components/', '"$ref":"contract#/components/')),
    );
}

Deno.test("examples: each is in the contract, and is valid by the contract's own JSON Schema", () => {
  const compile = validator();
  let values = 0;
  const check = (schema: unknown, value: unknown, place: string) => {
    const validate = compile(schema);
    assert.ok(validate(value), `${place}: ${JSON.stringify(validate.errors)}`);
    values++;
  };
  for (const route of routes) {
    const example = byName[route.name]!;
    const { parameters = [], requestBody, responses } = operations.get(route.name)!;
    for (const parameter of parameters.map(followed)) {
      if (parameter.example !== undefined) {
        check(parameter.schema, parameter.example, `${route.name} ${parameter.name}`);
      }
      const given = { path: example.params, query: example.query, header: {} }[parameter.in] ?? {};
      if (parameter.required || parameter.name in given) {
        assert.notEqual(parameter.example, undefined, `${route.name}: the parameter ${parameter.name} has no example`);
      }
    }
    const body = requestBody?.content["application/json"];
    if (body && example.body !== undefined) check(body.schema, body.example, `${route.name} body`);
    const reply = followed(responses[route.reply[0]]!).content?.["application/json"];
    assert.deepEqual([body?.example, reply?.example], [example.body, example.reply], route.name);
    if (reply) check(reply.schema, reply.example, `${route.name} reply`);
  }
  assert.ok(values > 500, String(values));
});

Deno.test("examples: none is of an error, and none has a secret, a local address or a time of the recording", () => {
  for (const [name, example] of Object.entries(byName)) {
    const text = JSON.stringify(example);
    assert.ok(!Object.hasOwn(Object(example.reply), "error") || name === "readStoreSyncRun", name);
    for (
      const pattern of [
        /eyJ[\w-]{20,}\.eyJ/,
        /sb_(secret|publishable)_/,
        /X-Amz-(Signature|Credential)/,
        /127\.0\.0\.1|localhost/,
      ]
    ) {
      assert.doesNotMatch(text, pattern, name);
    }
    // Long texts without spaces: keys, signatures, tokens. Data of Pub/Sub is JSON in Base64.
    const long = (text.match(/[A-Za-z0-9+/_=-]{65,}/g) ?? []).filter((found) => !/^https?|\/storage\//.test(found));
    assert.deepEqual(long.filter((found) => !found.startsWith(btoa('{"version":"1.0"').slice(0, 20))), [], name);
  }
});

/** Documents whose parts are best seen together. */
const LONG = [
  "readParkingLot",
  "readLotOfAnyStatus",
  "readOverview",
  "readMySession",
  "createParkingLot",
  "updateParkingLot",
];

Deno.test("examples: a request with its response has at most 1.5 KB, at most 4 KB where it shows a whole lot", () => {
  const sizes = Object.entries(byName).map(([name, example]) => ({
    name,
    size: new TextEncoder().encode(JSON.stringify(example)).length,
  }));
  const isLong = (name: string) => LONG.includes(name) || /^replace[A-Z]/.test(name);
  assert.deepEqual(sizes.filter(({ name, size }) => size > (isLong(name) ? 4 : 1.5) * 1024), []);
  const mean = sizes.reduce((sum, { size }) => sum + size, 0) / sizes.length;
  assert.ok(mean < 1024, String(mean));
});

Deno.test("examples: fields that differ are found by name and type, and other values are not", () => {
  const one = { a: { id: "x", list: [{ n: 1 }], none: null } };
  assert.deepEqual(differences(one, { a: { id: "y", list: [{ n: 2 }, { n: 3 }], none: "z" } }), []);
  assert.deepEqual(differences(one, { a: { id: 5, list: [{ m: 1 }] } }), [
    "a.id: string in the file, number now",
    "a.list.0.n: number in the file, undefined now",
    "a.list.0.m: undefined in the file, number now",
  ]);
});
