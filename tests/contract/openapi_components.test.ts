// openapi.json describes each shared thing once, under one name, and refers to it everywhere else.
import assert from "node:assert/strict";
import { z } from "zod";
import { completeContract, contract, groups } from "../../supabase/functions/openapi/contract.ts";
import type { Operation } from "../../supabase/functions/openapi/generator.ts";
import { type JsonSchema, jsonSchemas } from "../../supabase/functions/openapi/json_schema.ts";
import { followed } from "../support/contract.ts";

const { paths, components } = contract();
const operations = Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
const complete = Object.values(completeContract().paths).flatMap((item) => Object.values(item) as Operation[]);
const routes = groups.flatMap(({ routes }) => routes);

/** The names that zod schemas have, and those of the schemas in them. */
function idsOf(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { id } = z.globalRegistry.get(schema) ?? {};
  const { parent, def } = schema._zod;
  const members = [...Object.values(def), ...Object.values((def as { shape?: object }).shape ?? {})].flat();
  const inner = [parent, ...members].filter((member) => member instanceof z.core.$ZodType) as z.core.$ZodType[];
  return [...(id === undefined ? [] : [id]), ...inner.flatMap((schema) => idsOf(schema, seen))];
}

Deno.test("openapi.json: every schema with an id that a route takes or returns is a component", () => {
  const ids = routes.flatMap(({ params, query, body, reply }) =>
    [params, query, body, reply[1]].flatMap((schema) => schema ? idsOf(schema) : [])
  );
  assert.ok(new Set(ids).size > 300, String(new Set(ids).size));
  assert.deepEqual([...new Set(ids)].filter((id) => !(id in components.schemas)).sort(), []);
});

Deno.test("openapi.json: two different schemas with one id are rejected", () => {
  const [one, other] = [z.object({ a: z.string() }), z.object({ b: z.string() })];
  const same = { id: "Same" };
  assert.throws(() => jsonSchemas({ one: one.meta(same), other: other.meta(same) }), /Duplicate schema id "Same"/);
});

Deno.test("openapi.json: no component is null; null is allowed where a component is used", () => {
  const isNullable = ({ type, anyOf }: JsonSchema): boolean =>
    [type].flat().includes("null") || (anyOf?.some(isNullable) ?? false);
  const names = Object.entries(components.schemas).filter(([, schema]) => isNullable(schema)).map(([name]) => name);
  assert.deepEqual(names, []);

  const Part = z.object({ a: z.string() }).meta({ id: "Part", description: "A part" });
  const { named, components: parts } = jsonSchemas({
    first: Part.nullable(),
    list: z.array(Part),
    described: Part.optional().meta({ description: "This part" }),
  });
  const $ref = "#/components/schemas/Part";
  assert.deepEqual(named, {
    first: { anyOf: [{ $ref }, { type: "null" }] },
    list: { type: "array", items: { $ref } },
    described: { $ref, description: "This part" },
  });
  const properties = { a: { type: "string" } };
  assert.deepEqual(parts, { Part: { type: "object", properties, required: ["a"], description: "A part" } });
});

Deno.test("openapi.json: every error response is a shared one, and no two shared ones are the same", () => {
  for (const { operationId, responses } of operations) {
    const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    assert.ok(errors.length > 0, operationId);
    for (const [status, response] of errors) assert.ok("$ref" in response, `${operationId} ${status}`);
  }
  const texts = Object.values(components.responses).map((response) => JSON.stringify(response));
  assert.equal(new Set(texts).size, texts.length);
  for (const name of ["401", "404", "429", "LotNotFound"]) assert.ok(components.responses[name], name);
});

Deno.test("contract: a parameter of three operations is a shared one", () => {
  const uses = new Map<string, number>();
  for (const parameter of complete.flatMap(({ parameters = [] }) => parameters)) {
    if ("$ref" in parameter) continue;
    const { example: _, ...defined } = parameter;
    const text = JSON.stringify(defined);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  assert.deepEqual([...uses].filter(([, count]) => count >= 3).map(([text]) => text), []);
});

Deno.test("contract: every operation, parameter and response is described, in openapi.json or in its overlay", () => {
  const undescribed = complete.flatMap(({ operationId, description, parameters = [], responses }) => [
    ...(description ? [] : [operationId]),
    ...parameters.map(followed).filter((one) => !one.description).map(({ name }) => `${operationId} ${name}`),
    ...Object.entries(responses).filter(([, one]) => !followed(one).description).map(([at]) => `${operationId} ${at}`),
  ]);
  assert.deepEqual(undescribed, []);
});

Deno.test("openapi.json: the operationId is the name that the route is exported by, and no other operation has it", () => {
  const operationIds = operations.map(({ operationId }) => operationId);
  assert.deepEqual(operationIds.toSorted(), routes.map(({ name }) => name).toSorted());
  assert.equal(new Set(operationIds).size, operationIds.length);
  assert.equal(paths["/v1/me/parking-sessions/{id}/photos/{phase}/{slot}"]?.put?.operationId, "putSessionPhoto");
});
