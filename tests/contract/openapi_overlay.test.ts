// The contract that clients load is small. Its overlay has the rest: applied to it, it is the complete document.
import assert from "node:assert/strict";
import { codes } from "../../supabase/functions/_shared/errors.ts";
import { errorCodesOf } from "../../supabase/functions/_shared/http/route.ts";
import { completeContract, contract, contractOverlay, groups } from "../../supabase/functions/openapi/contract.ts";
import type { Operation } from "../../supabase/functions/openapi/generator.ts";
import { followed } from "../support/contract.ts";

type Json = Record<string, unknown>;

const asServed = <T>(document: T): T => JSON.parse(JSON.stringify(document));

/** Applies actions as OpenAPI Overlay 1.0 says: objects are merged, elements are appended to lists, other values replace. */
function applied(document: Json, actions: readonly { target: string; update: Json }[]): Json {
  for (const { target, update } of actions) {
    const steps = [...target.matchAll(/\['([^']*)'\]|\[(\d+)\]/g)].map(([, name, nth]) => name ?? nth!);
    assert.equal(target, `$${steps.map((one) => /^\d+$/.test(one) ? `[${one}]` : `['${one}']`).join("")}`);
    const place = steps.reduce((within, step) => within[step] as Json, document);
    assert.ok(typeof place === "object" && place !== null, `${target} selects nothing`);
    merge(place, update);
  }
  return document;
}

function merge(into: Json, update: Json): void {
  for (const [key, value] of Object.entries(update)) {
    const present = into[key];
    if (Array.isArray(present)) present.push(...[value].flat());
    else if (isObject(present) && isObject(value)) merge(present, value);
    else into[key] = value;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

Deno.test("contract: the overlay applied to the contract is the complete document", () => {
  const [lean, overlay] = [asServed(contract()), asServed(contractOverlay())];
  assert.deepEqual(applied(lean, overlay.actions), asServed(completeContract()));
  assert.equal(new Set(overlay.actions.map(({ target }) => target)).size, overlay.actions.length);
});

Deno.test("contract: the overlay adds examples, descriptions and rate limit headers, and nothing else", () => {
  const keys = new Set<string>();
  const visit = (value: unknown, key: string): void => {
    if (/^(example|examples|description|RateLimit|RateLimit-Policy)$/.test(key)) keys.add(key);
    else if (isObject(value)) Object.entries(value).forEach(([key, inner]) => visit(inner, key));
    else assert.fail(`the overlay adds ${key}`);
  };
  for (const { update } of asServed(contractOverlay()).actions) {
    // A field can have any name, for example "description": its schema is an object.
    visit(update, "");
  }
  assert.deepEqual([...keys].sort(), ["RateLimit", "RateLimit-Policy", "description", "example", "examples"]);
});

Deno.test("contract: openapi.json has each error code of each operation, with an example of each code", () => {
  const { paths, components } = contract();
  for (const route of groups.flatMap(({ routes }) => routes)) {
    const operation = paths[`/v1${route.path}`]![route.method.toLowerCase() as "get"] as Operation;
    const documented = Object.values(operation.responses).flatMap((response) =>
      Object.keys(followed(response).content?.["application/json"]?.examples ?? {})
    );
    assert.deepEqual(new Set(documented), new Set(errorCodesOf(route)), operation.operationId);
  }
  assert.ok(Object.keys(components.examples).length > 15);
  assert.deepEqual(Object.keys(components.examples).filter((code) => !(codes as readonly string[]).includes(code)), []);
});

Deno.test("contract: operations of apps are described in openapi.json itself; four of them have their examples there", () => {
  const isOfApps = ({ tags }: Operation) => !/^(admin|health|openapi|well-known|webhooks|consumers)/.test(tags[0]!);
  const operations = Object.values(contract().paths).flatMap((item) => Object.values(item) as Operation[]);
  const apps = operations.filter(isOfApps);
  assert.ok(apps.length > 80, String(apps.length));
  assert.deepEqual(apps.filter(({ description }) => !description).map(({ operationId }) => operationId), []);
  const shown = operations.filter((one) =>
    Object.values(one.responses).some((response) => followed(response).content?.["application/json"]?.example)
  );
  assert.deepEqual(shown.map(({ operationId }) => operationId).sort(), [
    "calculateFee",
    "finalizeSession",
    "nearbyParkingLots",
    "startSession",
  ]);
});

Deno.test("contract: GET /v1/openapi has at most 2,100 bytes an operation, and 250 with gzip", async () => {
  const operations = groups.flatMap(({ routes }) => routes).length;
  for (const [name, document] of Object.entries({ contract: contract(), overlay: contractOverlay() })) {
    const text = new Blob([JSON.stringify(document)]);
    const gzip = await new Response(text.stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
    console.log(`${name}: ${text.size} bytes, ${gzip.byteLength} with gzip, ${operations} operations`);
    if (name !== "contract") continue;
    assert.ok(text.size <= 2_100 * operations, String(text.size / operations));
    assert.ok(gzip.byteLength <= 250 * operations, String(gzip.byteLength / operations));
  }
});
