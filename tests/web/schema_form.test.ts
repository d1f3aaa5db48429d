// apps/web/src/console/kit/schema.ts: forms of the console from the schemas of the contract.
import assert from "node:assert/strict";
import { changedFields, type Model, modelOf, readValue, type Schema } from "../../apps/web/src/console/kit/schema.ts";
import { texts as english } from "../../apps/web/src/texts/en/console.ts";
import { texts as japanese } from "../../apps/web/src/texts/ja/console.ts";

interface Contract {
  readonly paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

const contract: Contract = JSON.parse(await Deno.readTextFile(new URL("../../contract/openapi.json", import.meta.url)));
const resolve = (name: string) => contract.components.schemas[name];

/** The requests of administrators that have a body, by operation. */
const REQUESTS = new Map(
  Object.entries(contract.paths).filter(([path]) => path.startsWith("/v1/admin/")).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) =>
      requestBody === undefined ? [] : [[
        `${method.toUpperCase()} ${path}`,
        modelOf(requestBody.content["application/json"]!.schema, resolve),
      ]] as const
    )
  ),
);

/** Each field with its position, those of rows and variants too. */
function* fieldsOf(model: Model, path: string): Generator<{ path: string; name: string; model: Model }> {
  if (model.kind === "rows") yield* fieldsOf(model.row, path);
  if (model.kind === "variants") { for (const variant of model.variants) yield* fieldsOf(variant, path); }
  if (model.kind !== "object") return;
  for (const { name, model: field } of model.fields) {
    yield { path: `${path}.${name}`, name, model: field };
    yield* fieldsOf(field, `${path}.${name}`);
  }
}

/** Requests of screens with a form of their own. Their fields have texts there. */
const OWN_FORMS = [
  "POST /v1/admin/notifications/mark-read",
  "POST /v1/admin/parking-lots/import",
  "POST /v1/admin/parking-lots/{id}/preview-fee",
  "PATCH /v1/admin/reviews/{id}",
  "POST /v1/admin/reviews/decisions",
  "POST /v1/admin/support-tickets/{id}/messages",
  "PATCH /v1/admin/support-tickets/{id}",
  "POST /v1/admin/store-sync/trigger",
  "POST /v1/admin/user-notifications",
  "POST /v1/admin/user-notifications/preview",
  "POST /v1/admin/user-notifications/{id}/send",
  "PATCH /v1/admin/user-notifications/{id}",
  "POST /v1/admin/user-search-presets",
  "PATCH /v1/admin/user-search-presets/{id}",
  "POST /v1/admin/users/{id}/premium",
  "PATCH /v1/admin/error-reports/{id}",
  "PATCH /v1/admin/field-values/{id}",
  "POST /v1/admin/tariff-text",
];

Deno.test("schema form: every request of administrators is an object of fields, and few fields are JSON text", () => {
  assert.ok(REQUESTS.size > 50, String(REQUESTS.size));
  const json: string[] = [];
  for (const [operation, model] of REQUESTS) {
    assert.equal(model.kind, "object", operation);
    if (OWN_FORMS.includes(operation)) continue;
    for (const { path, model: field } of fieldsOf(model, operation)) if (field.kind === "json") json.push(path);
  }
  assert.deepEqual(json, [
    "POST /v1/admin/badges.conditions",
    "PATCH /v1/admin/badges/{id}.conditions",
    "POST /v1/admin/badges/preview.conditions",
    "POST /v1/admin/parking-lots.area",
    "PATCH /v1/admin/parking-lots/{id}.area",
  ]);
});

Deno.test("schema form: every field has a label in both languages", () => {
  const hidden = ["id", "parking_lot_id"];
  const names = new Set(
    [...REQUESTS].filter(([operation]) => !OWN_FORMS.includes(operation)).flatMap(([operation, model]) =>
      [...fieldsOf(model, operation)].map(({ name }) => name)
    ),
  );
  for (const { fields } of [english, japanese]) {
    assert.deepEqual([...names].filter((name) => !hidden.includes(name) && !(name in fields)), []);
  }
});

/** The model of an object with these properties. */
const modelWith = (properties: Record<string, Schema>, required: string[] = []) =>
  modelOf({ type: "object", properties, required }, resolve);

function form(...values: [name: string, value: string][]): FormData {
  const data = new FormData();
  for (const [name, value] of values) data.append(name, value);
  return data;
}

Deno.test("schema form: an empty field is null where the schema has null, and else absent", () => {
  const model = modelWith({
    name: { type: "string" },
    note: { type: ["string", "null"] },
    count: { type: "integer" },
    limit: { anyOf: [{ type: "integer" }, { type: "null" }] },
    from: { anyOf: [{ $ref: "#/components/schemas/Timestamp" }, { type: "null" }] },
  });
  const empty = form(["name", " "], ["note", ""], ["count", ""], ["limit", ""], ["from", ""]);
  assert.deepEqual(readValue(model, empty), { note: null, limit: null, from: null });
  const filled = form(["name", " A "], ["note", "b"], ["count", "0"], ["limit", "x"], ["from", "2026-09-01T09:30"]);
  assert.deepEqual(
    readValue(model, filled),
    { name: "A", note: "b", count: 0, limit: "x", from: "2026-09-01T00:30:00.000Z" },
    "times are those of Japan, and the service rejects what is no number",
  );
});

Deno.test("schema form: a checkbox, a choice of yes and no, checkboxes and lines", () => {
  const model = modelWith({
    is_active: { type: "boolean" },
    state: { type: ["boolean", "null"] },
    areas: { type: "array", items: { $ref: "#/components/schemas/AdminArea" } },
    tags: { type: "array", items: { type: "string" } },
  });
  const values = form(["is_active", "false"], ["is_active", "true"], ["state", "false"], ["areas", ""], ["tags", ""]);
  assert.deepEqual(readValue(model, values), { is_active: true, state: false, areas: [], tags: [] });
  values.append("areas", "lots");
  values.append("areas", "users");
  values.set("is_active", "false");
  values.set("state", "");
  values.set("tags", " a \n\nb");
  assert.deepEqual(readValue(model, values), {
    is_active: false,
    state: null,
    areas: ["lots", "users"],
    tags: ["a", "b"],
  });
});

Deno.test("schema form: rows keep their order and their paths are those of errors; no row is null where null is allowed", () => {
  const hours: Schema = {
    type: ["array", "null"],
    items: { type: "object", properties: { opens: { type: "string" }, weekday: { type: "integer" } } },
  };
  const model = modelWith({ hours, more: { ...hours, type: "array" } });
  const none = form(["hours#rows", "0"], ["hours#null", ""], ["more#rows", "0"]);
  assert.deepEqual(readValue(model, none), { hours: null, more: [] });
  const two = form(
    ["hours#rows", "2"],
    ["hours.0.opens", "08:00"],
    ["hours.0.weekday", "1"],
    ["hours.1.opens", ""],
    ["hours.1.weekday", ""],
  );
  assert.deepEqual(readValue(model, two), { hours: [{ opens: "08:00", weekday: 1 }, {}] });
});

Deno.test("schema form: an optional object without a value is left out, and a variant is read by its kind", () => {
  const labels: Schema = { type: "object", properties: { ja: { type: "string" }, en: { type: "string" } } };
  const features: Schema = { anyOf: [{ type: "array", items: { type: "string" } }, { type: "object" }] };
  const model = modelWith({ labels, features });
  assert.deepEqual(readValue(model, form(["labels.ja", ""], ["labels.en", ""])), {});
  assert.deepEqual(readValue(model, form(["labels.en", "Tower"], ["features#variant", "0"], ["features", "a\nb"])), {
    labels: { en: "Tower" },
    features: ["a", "b"],
  });
  assert.deepEqual(readValue(model, form(["features#variant", "1"], ["features", '{"a":1}'])), { features: { a: 1 } });
});

Deno.test("schema form: an update has the fields that differ", () => {
  const before = { name: "A", note: null, tags: ["a"] };
  assert.deepEqual(changedFields(before, { name: "A", note: "n", tags: ["a", "b"] }), { note: "n", tags: ["a", "b"] });
  assert.deepEqual(changedFields(before, before), {});
});
