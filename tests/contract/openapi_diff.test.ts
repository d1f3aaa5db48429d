// A change of the contract that breaks clients is listed in CHANGELOG.md under "Breaking". Until the first tag v… there is no
// release, and nothing is compared.
import assert from "node:assert/strict";
import { join } from "node:path";
import { breakingChanges } from "../../tools/contract/breaking_changes.ts";
import { announcesBreaking, contractDiff } from "../../tools/contract/openapi_diff.ts";
import { git } from "../../tools/release/git.ts";
import { ROOT } from "../../local/settings.ts";

Deno.test("openapi.json: changes since the newest release that break clients are in CHANGELOG.md under Breaking", async () => {
  const { changes, isAnnounced } = await contractDiff(ROOT);
  if (!isAnnounced) assert.deepEqual(changes, []);
});

type Json = Record<string, unknown>;

const nullable = (schema: Json) => ({ anyOf: [schema, { type: "null" }] });
const object = (properties: Json, ...required: string[]) => ({ type: "object", properties, required });

/** A document with one operation, which takes and returns these schemas. */
function document(request: Json, response: Json, operation: Json = {}, components: Json = {}): Json {
  const content = (schema: Json) => ({ content: { "application/json": { schema } } });
  return {
    paths: {
      "/things": {
        post: {
          operationId: "createThing",
          security: [{}, { bearer: [] }],
          requestBody: content(request),
          responses: { 200: { description: "OK", headers: { ETag: {} }, ...content(response) } },
          ...operation,
        },
      },
    },
    components,
  };
}

const inRequest = (before: Json, after: Json) => breakingChanges(document(before, {}), document(after, {}));
const inResponse = (before: Json, after: Json) => breakingChanges(document({}, before), document({}, after));
const withOperation = (before: Json, after: Json) => breakingChanges(document({}, {}, before), document({}, {}, after));
const REQUEST = "POST /things: request";
const RESPONSE = "POST /things: 200";

Deno.test("breaking changes: a removed operation, a new name, a removed status, header and media type are found", () => {
  const before = document({}, {});
  assert.deepEqual(breakingChanges(before, { paths: {} }), ["POST /things: the operation was removed"]);
  assert.deepEqual(withOperation({}, { operationId: "addThing" }), [
    "POST /things: the operation createThing is now called addThing",
  ]);
  assert.deepEqual(withOperation({}, { responses: {} }), ["POST /things: the status 200 was removed"]);
  assert.deepEqual(withOperation({}, { responses: { 200: { content: { "text/plain": {} } }, 201: {} } }), [
    "POST /things: the header ETag of 200 was removed",
    "POST /things: 200: the media type application/json was removed",
  ]);
});

Deno.test("breaking changes: a token, a body or a parameter that is required now, and a removed one, are found", () => {
  assert.deepEqual(withOperation({}, { security: [{ bearer: [] }] }), ["POST /things: a token is required now"]);
  assert.deepEqual(withOperation({}, { requestBody: { required: true, content: { "application/json": {} } } }), [
    "POST /things: a request body is required now",
  ]);
  assert.deepEqual(withOperation({}, { requestBody: undefined }), ["POST /things: the request body was removed"]);
  const parameter = (name: string, required: boolean, schema: Json) => ({ name, in: "query", required, schema });
  const before = {
    parameters: [parameter("limit", false, { type: "integer", maximum: 100 }), parameter("q", false, {})],
  };
  const after = {
    parameters: [parameter("limit", true, { type: "integer", maximum: 50 }), parameter("lang", true, {})],
  };
  assert.deepEqual(withOperation(before, after), [
    "POST /things: the query parameter q was removed",
    "POST /things: the query parameter limit is required now",
    "POST /things: the query parameter lang is required now",
    "POST /things: query parameter limit (request): maximum 100 became 50",
  ]);
});

Deno.test("breaking changes: a field of a request that is removed, required or narrower now is found", () => {
  const text = { type: "string" };
  const before = object({
    id: text,
    name: nullable(text),
    size: { type: "number" },
    kind: { ...text, enum: ["a", "b"] },
  });
  const after = object(
    { name: { ...text, maxLength: 9, pattern: "^a" }, size: { type: "integer" }, kind: { ...text, enum: ["a"] } },
    "name",
  );
  assert.deepEqual(inRequest(before, { ...after, additionalProperties: false }), [
    `${REQUEST} (request): unknown fields are rejected now`,
    `${REQUEST}.id (request): the field was removed`,
    `${REQUEST}.name (request): the field is required now`,
    `${REQUEST}.name (request): maxLength none became 9`,
    `${REQUEST}.name (request): pattern was added or changed`,
    `${REQUEST}.name (request): null is no longer accepted`,
    `${REQUEST}.size (request): number is no longer accepted`,
    `${REQUEST}.kind (request): the value "b" was removed`,
  ]);
});

Deno.test("breaking changes: a field of a response that is removed, can be absent, null or of another type is found", () => {
  const text = { type: "string" };
  const before = object(
    { id: text, name: text, size: { type: "integer" }, at: { ...text, format: "date" }, kind: { enum: ["a", "b"] } },
    "id",
    "name",
  );
  const after = object(
    { name: nullable(text), size: { type: "number" }, at: text, kind: { enum: ["b", "c"] }, added: text },
  );
  assert.deepEqual(inResponse(before, after), [
    `${RESPONSE}.id (response): the field was removed`,
    `${RESPONSE}.name (response): the field can be absent now`,
    `${RESPONSE}.name (response): can be null now`,
    `${RESPONSE}.size (response): can be number now`,
    `${RESPONSE}.at (response): the format date became any`,
    `${RESPONSE}.kind (response): the value "a" was removed`,
  ]);
});

Deno.test("breaking changes: references are resolved, a component is named once, and recursion ends", () => {
  const ref = { $ref: "#/components/schemas/Node" };
  const node = (fields: Json) => ({
    schemas: { Node: object({ ...fields, next: nullable(ref), children: { type: "array", items: ref } }) },
  });
  const before = document(ref, ref, {}, node({ a: { type: "string" } }));
  assert.deepEqual(breakingChanges(before, before), []);
  assert.deepEqual(breakingChanges(before, document(ref, ref, {}, node({}))), [
    "Node.a (request): the field was removed",
    "Node.a (response): the field was removed",
  ]);
  const inlined = object({ a: { type: "string" }, next: nullable(ref), children: { type: "array", items: ref } });
  assert.deepEqual(breakingChanges(before, document(inlined, inlined, {}, node({ a: { type: "string" } }))), []);
});

Deno.test("breaking changes: what a client of the earlier document need not know is no break", () => {
  const text = { type: "string" };
  assert.deepEqual(
    inRequest(object({ a: { ...text, maxLength: 5 } }, "a"), object({ a: nullable(text), b: text })),
    [],
  );
  assert.deepEqual(inRequest({ type: "integer" }, { type: ["number", "null"], description: "Any number" }), []);
  assert.deepEqual(inResponse(object({ a: nullable(text) }), object({ a: text, b: text }, "a", "b")), []);
  assert.deepEqual(
    inResponse({ type: ["string", "null"], enum: ["a", null] }, { type: "string", enum: ["a", "b"] }),
    [],
  );
  assert.deepEqual(withOperation({}, { security: [], parameters: [{ name: "q", in: "query", schema: text }] }), []);
});

Deno.test("openapi:diff: a break since the newest tag is rejected until CHANGELOG.md lists it; without a tag nothing is compared", async () => {
  const folder = await Deno.makeTempDir();
  const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
  try {
    await git(folder, "init", "--quiet");
    await Deno.mkdir(join(folder, "contract"));
    await write("contract/openapi.json", JSON.stringify(document({}, {})));
    await write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n### Breaking\n\n- An earlier one.\n");
    await git(folder, "add", ".");
    const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
    await git(folder, ...author, "commit", "--quiet", "--message", "first");
    await write("contract/openapi.json", JSON.stringify({ paths: {} }));
    assert.deepEqual(await contractDiff(folder), { base: undefined, changes: [], isAnnounced: false });
    const changes = ["POST /things: the operation was removed"];
    assert.deepEqual(await contractDiff(folder, "HEAD"), { base: "HEAD", changes, isAnnounced: false });
    await git(folder, "tag", "v0.1.0");
    assert.deepEqual(await contractDiff(folder), { base: "v0.1.0", changes, isAnnounced: false });
    await write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n### Breaking\n\n- `POST /things` was removed.\n");
    assert.deepEqual(await contractDiff(folder), { base: "v0.1.0", changes, isAnnounced: true });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("CHANGELOG.md: only an entry under Breaking of a version after the tag announces a break", () => {
  const announces = (changelog: string) => announcesBreaking(changelog, "v0.1.0");
  assert.ok(announces("## Unreleased\n\n### Added\n\n- New.\n\n### Breaking\n\n- Old.\n"));
  assert.ok(announces("## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n### Breaking\n\n- Old.\n\n## 0.1.0 - 2026-11-01\n"));
  assert.ok(!announces("## Unreleased\n\n### Breaking\n\n### Added\n\n- New.\n"));
  assert.ok(!announces("## Unreleased\n\n## 0.1.0 - 2026-11-01\n\n### Breaking\n\n- Old.\n"));
});
