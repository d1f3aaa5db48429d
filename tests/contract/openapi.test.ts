import assert from "node:assert/strict";
import { VERSION } from "../../supabase/functions/_shared/config.ts";
import { catalogue, codes, isCode } from "../../supabase/functions/_shared/errors.ts";
import { errorCodesOf } from "../../supabase/functions/_shared/http/route.ts";
import type { ProviderName } from "../../supabase/functions/_shared/providers/providers.ts";
import { completeContract, contract, groups } from "../../supabase/functions/openapi/contract.ts";
import { schemaFiles } from "../../tools/release/schema.ts";
import { followed } from "../support/contract.ts";
import { generatedFiles } from "../../supabase/functions/openapi/generated.ts";

const root = new URL("../../", import.meta.url);
const routes = groups.flatMap((group) => group.routes);

for (const { file, text } of await generatedFiles()) {
  const name = file.href.slice(root.href.length);
  Deno.test(`contract: ${name} is what the routes print now (deno task openapi)`, async () => {
    assert.ok(await Deno.readTextFile(file) === text, "run `deno task openapi`");
  });
}

Deno.test("contract: the contract is OpenAPI 3.1, in the version of the service, with the bearer token as the rule", () => {
  const { openapi, info, security, components } = contract();
  assert.match(openapi, /^3\.1\./);
  assert.equal(info.version, VERSION);
  assert.deepEqual(security, [{ bearer: [] }]);
  assert.ok(components?.securitySchemes?.["bearer"]);
});

/** Functions of a protocol that describes its own messages. */
const PROTOCOLS = ["mcp"];

Deno.test("contract: every function is a group of the contract, and every group a function, but for those of a protocol", async () => {
  const functions: string[] = [];
  for await (const entry of Deno.readDir(new URL("supabase/functions", root))) {
    if (entry.isDirectory && !entry.name.startsWith("_")) functions.push(entry.name);
  }
  assert.deepEqual([...groups.map((group) => group.name), ...PROTOCOLS].sort(), functions.sort());
  for (const { name, routes } of groups) {
    for (const { path } of routes) assert.ok(path === `/${name}` || path.startsWith(`/${name}/`), path);
  }
});

/** What makes each provider, in the order in which an index.ts names them. */
const MAKERS: readonly [option: ProviderName, maker: string, file: string][] = [
  ["ai", "aiGateway", "../_shared/providers/ai_gateway.ts"],
  ["appStore", "appStore", "../_shared/providers/app_store.ts"],
  ["contract", "contractDocuments", "./documents.ts"],
  ["geocoder", "geocoder", "../_shared/providers/geocoder.ts"],
  ["googlePlay", "googlePlay", "../_shared/providers/google_play.ts"],
  ["identity", "identityProvider", "../_shared/providers/identity_provider.ts"],
  ["mail", "mailSender", "../_shared/providers/mail.ts"],
  ["push", "pushSender", "../_shared/providers/fcm.ts"],
  ["storage", "objectStorage", "../_shared/storage/object_storage.ts"],
  ["storeReports", "storeReports", "../_shared/providers/store_report_sources.ts"],
];

Deno.test("contract: every index.ts serves its routes, with the providers and counts that routes use, and does nothing else", async () => {
  for (const { name, routes } of groups) {
    const index = await Deno.readTextFile(new URL(`supabase/functions/${name}/index.ts`, root));
    const searches = routes.some(({ shownLots }) => shownLots !== undefined);
    const used = MAKERS.filter(([option]) => routes.some(({ uses }) => uses.includes(option)));
    const options = [
      ...used.map(([option, maker]) => option === maker ? option : `${option}: ${maker}`),
      ...searches ? ["searches: searchCounts"] : [],
    ]
      .join(", ");
    const expected = [
      'import { createApp } from "../_shared/http/app.ts";',
      ...searches ? ['import { searchCounts } from "../_shared/http/search_counts.ts";'] : [],
      ...used.map(([_, maker, file]) => `import { ${maker} } from "${file}";`),
      'import { routes } from "./routes.ts";',
      "",
      `Deno.serve(createApp(routes${options && `, { ${options} }`}).fetch);`,
      "",
    ];
    assert.equal(index, expected.join("\n"), name);
  }
});

Deno.test("contract: every route is in the contract with each status it can answer", () => {
  const paths = contract().paths ?? {};
  for (const route of routes) {
    const operation = paths[`/v1${route.path}`]?.[route.method.toLowerCase() as "get"];
    const documented = Object.keys(operation?.responses ?? {}).map(Number);
    const expected = new Set([route.reply[0], ...errorCodesOf(route).map((code) => catalogue[code].status)]);
    if (route.cache) expected.add(304);
    if (route.alternateStatus !== undefined) expected.add(route.alternateStatus);
    assert.deepEqual(new Set(documented), expected, `${route.method} ${route.path}`);
  }
  const operations = Object.values(paths).flatMap((item) => Object.keys(item));
  assert.equal(operations.length, routes.length);
});

Deno.test("contract: what other companies call is a webhook: public, signed, and with its own tag", () => {
  const webhooks = routes.filter(({ isWebhook }) => isWebhook);
  const paths = webhooks.map(({ path }) => path);
  assert.deepEqual(paths, ["/store-notifications/app-store", "/store-notifications/google-play"]);
  const document = contract();
  assert.match(document.tags.find(({ name }) => name === "webhooks")!.description, /signed by its sender/);
  for (const { path, access, uses, errors } of webhooks) {
    assert.equal(access, "public");
    // The provider verifies who sent it.
    assert.ok(uses.includes("appStore") || uses.includes("googlePlay"), path);
    assert.ok(errors.includes("iap_invalid") || errors.includes("unauthorized"), path);
    assert.deepEqual(document.paths[`/v1${path}`]?.post?.tags, ["webhooks"]);
  }
});

Deno.test("contract: every operation has one tag, every tag is in exactly one group, and none is long", () => {
  const document = contract();
  const tagged = Map.groupBy(
    Object.values(document.paths).flatMap((item) => Object.values(item)).map(({ tags, operationId }) => {
      assert.equal(tags.length, 1, operationId);
      return tags[0]!;
    }),
    (tag) => tag,
  );
  const grouped = document["x-tagGroups"].flatMap(({ tags }) => tags);
  assert.deepEqual(document["x-tagGroups"].map(({ name }) => name), [
    "Drive",
    "Account",
    "Rewards",
    "Pay",
    "Operate",
    "Machines",
  ]);
  assert.deepEqual(grouped, document.tags.map(({ name }) => name), "in the order of the tags, each once");
  assert.equal(new Set(grouped).size, grouped.length);
  assert.deepEqual(grouped.toSorted(), [...tagged.keys()].sort());
  for (const [tag, operations] of tagged) assert.ok(operations.length <= 40, `${tag}: ${operations.length}`);
});

Deno.test("contract: a query parameter that is an object is declared as JSON text, and a list with commas", () => {
  type Schema = { type?: unknown; allOf?: unknown; $ref?: string; contentMediaType?: string; contentSchema?: Schema };
  const schemas = (contract().components?.schemas ?? {}) as Record<string, Schema>;
  const kind = (schema: Schema): unknown =>
    schema.$ref !== undefined ? kind(schemas[schema.$ref.split("/").at(-1)!]!) : schema.allOf ? "object" : schema.type;
  const texts: string[] = [];
  const lists: string[] = [];
  for (const [path, item] of Object.entries(contract().paths ?? {})) {
    for (const parameter of item.get?.parameters?.map(followed) ?? []) {
      if (parameter.in !== "query") continue;
      // Generators of clients send an object for `content`, or fail.
      assert.ok(!("content" in parameter), `${path} ${parameter.name}`);
      const schema = parameter.schema as Schema;
      const type = kind(schema);
      assert.ok(
        type !== "object" && !Array.isArray(type),
        `${path} ${parameter.name}: a query has no object and no null`,
      );
      assert.equal(parameter.explode, type === "array" ? false : undefined, `${path} ${parameter.name}`);
      if (type === "array") lists.push(parameter.name);
      if (schema.contentSchema === undefined) continue;
      assert.deepEqual([type, schema.contentMediaType], ["string", "application/json"], `${path} ${parameter.name}`);
      assert.equal(kind(schema.contentSchema), "object", `${path} ${parameter.name}`);
      texts.push(parameter.name);
    }
  }
  assert.deepEqual([...new Set(texts)].sort(), ["center", "filters", "query", "vehicle"]);
  assert.ok(lists.includes("keywords"));
});

Deno.test("contract: JSON is the only media type of a response; what Accept selects is in x-representations", () => {
  const others: string[] = [];
  for (const [path, item] of Object.entries(contract().paths ?? {})) {
    for (const operation of Object.values(item)) {
      if (!("responses" in operation)) continue;
      for (const response of Object.values(operation.responses).map(followed)) {
        const { content, "x-representations": representations = {} } = response;
        // orval returns a stream for an operation that has NDJSON among its media types.
        if (content) assert.deepEqual(Object.keys(content), ["application/json"], path);
        for (const type of Object.keys(representations)) {
          others.push(type);
          assert.ok(response.description.includes(`\`${type}\``), `${path}: ${response.description}`);
        }
      }
    }
  }
  assert.deepEqual([...new Set(others)].sort(), ["application/geo+json", "application/x-ndjson", "text/plain"]);
});

Deno.test("contract: fields that depend on or exclude each other are declared so", () => {
  const schemas = JSON.parse(JSON.stringify(contract().components?.schemas));
  const required = (...names: string[]) => names.map((name) => ({ required: [name] }));
  const pair = (one: string, other: string) => ({ [one]: [other], [other]: [one] });
  assert.deepEqual(schemas.MarkRead.oneOf, required("ids", "before"));
  assert.deepEqual(schemas.NewErrorReport.oneOf, required("parking_lot_id", "parking_lot_name"));
  const measures = required("state", "free_spaces", "occupancy_ratio");
  assert.deepEqual(schemas.NewOccupancyReport.anyOf, measures);
  assert.deepEqual(schemas.OccupancyFeed.properties.reports.items.anyOf, measures);
  assert.deepEqual(schemas.NewParkingSession.dependentRequired, pair("start_lat", "start_lng"));
  assert.deepEqual(schemas.UploadRequest.dependentRequired, pair("entity_type", "entity_id"));
});

Deno.test("contract: the example of an id is a seeded lot", async () => {
  const seed = await Deno.readTextFile(new URL("supabase/seed.sql", root));
  const examples = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { format, examples: given } = value as { format?: string; examples?: string[] };
    if (format === "uuid") given?.forEach((example) => examples.add(example));
    Object.values(value).forEach(visit);
  };
  visit(completeContract());
  assert.ok(examples.size > 0);
  for (const example of examples) assert.ok(seed.includes(`('${example}', 'seed', `), example);
});

Deno.test("contract: a nullable field is nullable in the contract, and null never has to match another schema as well", () => {
  const impossible: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { allOf } = value as { allOf?: { type?: unknown }[] };
    if (allOf?.some(({ type }) => Array.isArray(type) && type.includes("null"))) impossible.push(path);
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key}`);
  };
  visit(contract(), "");
  assert.deepEqual(impossible, []);
});

Deno.test("contract: every code that the database rejects with is in the table, with the same status", () => {
  const found: string[] = [];
  for (const { path, text } of schemaFiles()) {
    for (const [, code, status] of text.matchAll(/private\.raise_error\(\s*'(\w+)'\s*,\s*(\d+)/g)) {
      assert.ok(isCode(code), `${path} refuses with ${code}`);
      assert.equal(catalogue[code].status, Number(status), `${path}: ${code}`);
      found.push(code);
    }
  }
  assert.ok(found.length > 0, "no refusal was found in the schema");
});

Deno.test("contract: the table has every code of the specification with its status", () => {
  const specified = {
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    conflict: 409,
    validation_error: 422,
    rate_limited: 429,
    unparseable: 422,
    iap_invalid: 400,
    server_error: 500,
    service_unavailable: 503,
    concurrent_session_not_allowed: 409,
    lot_not_found: 404,
  };
  for (const [code, status] of Object.entries(specified)) {
    assert.equal(isCode(code) && catalogue[code].status, status, code);
  }
  for (const code of codes) assert.match(code, /^[a-z]+(_[a-z]+)*$/);
});

Deno.test("contract: the linter finds nothing in the contract, and finds planted mistakes", async () => {
  assert.equal((await lint(contract())).code, 0);
  const { paths, ...rest } = contract();
  const { security: _removed, ...unsafe } = rest;
  const [path, item] = Object.entries(paths ?? {})[0]!;
  const broken = {
    ...unsafe,
    paths: { [path]: { get: { ...item.get, operationId: undefined, security: undefined } } },
  };
  const { code, output } = await lint(broken);
  assert.notEqual(code, 0);
  assert.match(output, /security-defined/);
});

async function lint(document: unknown): Promise<{ code: number; output: string }> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(file, JSON.stringify(document));
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--config=tests/contract/deno.json",
        "@redocly/cli",
        "lint",
        "--config=tests/contract/redocly.yaml",
        "--format=codeframe",
        file,
      ],
      cwd: root,
      env: { REDOCLY_TELEMETRY: "off", DO_NOT_TRACK: "1", NO_COLOR: "1" },
    }).output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    return { code: code || (/\b(error|warning)s?\b.*\bproblem|You have \d+ warning/i.test(output) ? 1 : 0), output };
  } finally {
    await Deno.remove(file);
  }
}
