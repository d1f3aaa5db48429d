// A deprecated route or field: its headers, the contract, a year until its end, and its entry in CHANGELOG.md. No operation is
// deprecated today, so the tests define their own.
import assert from "node:assert/strict";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { type NamedRoute, route, routesOf } from "../../supabase/functions/_shared/http/route.ts";
import { deprecated } from "../../supabase/functions/_shared/schema/deprecated.ts";
import { contract } from "../../supabase/functions/openapi/contract.ts";
import { openApiDocument } from "../../supabase/functions/openapi/generator.ts";
import { configFor } from "./fake_rest.ts";

const deprecation = { since: "2026-12-01", sunset: "2027-12-01", link: "https://example.com/changes#old" };
const text = "Deprecated since 2026-12-01. It can be removed from 2027-12-01 on. The replacement is described at " +
  "https://example.com/changes#old.";
const Thing = z.object({
  id: z.string(),
  colour: deprecated(z.string().optional().meta({ description: "Its colour." }), deprecation),
}).meta({ id: "Thing" });
const common = { method: "GET", access: "public", summary: "A thing", reply: [200, Thing], errors: [] } as const;
const handle = () => ({ id: "a" });

const routes = routesOf({
  readOld: route({
    ...common,
    path: "/things/old",
    description: "The thing.",
    deprecated: deprecation,
    query: z.strictObject({ shade: deprecated(z.string().optional(), deprecation) }),
    handle,
  }),
  readNew: route({ ...common, path: "/things/new", handle }),
});

const documentOf = (routes: readonly NamedRoute[]) =>
  JSON.parse(JSON.stringify(openApiDocument([{ name: "things", routes }])));

Deno.test("deprecation: each response of a deprecated route has Deprecation, Sunset and Link, which web pages can read", async () => {
  const { fetch } = createApp(routes, { config: () => configFor("http://127.0.0.1:1"), log: () => {} });
  for (const query of ["", "?wrong=1"]) {
    const { status, headers } = await fetch(new Request(`http://127.0.0.1/things/old${query}`));
    assert.equal(status, query === "" ? 200 : 422);
    assert.deepEqual(["Deprecation", "Sunset", "Link"].map((name) => headers.get(name)), [
      `@${Date.UTC(2026, 11, 1) / 1000}`,
      "Wed, 01 Dec 2027 00:00:00 GMT",
      '<https://example.com/changes#old>; rel="deprecation"',
    ]);
    const exposed = headers.get("Access-Control-Expose-Headers")!.split(", ");
    for (const name of ["deprecation", "sunset", "link"]) assert.ok(exposed.includes(name), name);
  }
  const { headers } = await fetch(new Request("http://127.0.0.1/things/new"));
  for (const name of ["Deprecation", "Sunset", "Link"]) assert.equal(headers.get(name), null);
});

Deno.test("deprecation: the contract marks the operation, the parameter and the field, and describes their end", () => {
  const { paths, components } = documentOf(routes);
  const { get: old } = paths["/v1/things/old"];
  assert.deepEqual([old.deprecated, old.description], [true, `The thing. ${text}`]);
  const shade = { name: "shade", in: "query", description: text, deprecated: true };
  assert.deepEqual(old.parameters, [{ ...shade, schema: { type: "string" } }]);
  const { colour } = components.schemas.Thing.properties;
  assert.deepEqual(colour, { type: "string", description: `Its colour. ${text}`, deprecated: true });
  const { get: other } = paths["/v1/things/new"];
  assert.deepEqual(["deprecated" in other, "description" in other], [false, false]);
});

Deno.test("deprecation: a sunset less than a year after since, a wrong date and a wrong link are rejected", () => {
  const wrong = [
    { ...deprecation, sunset: "2027-11-30" },
    { ...deprecation, sunset: "soon" },
    { ...deprecation, since: "2026-13-01" },
    { ...deprecation, link: "not an address>" },
  ];
  for (const deprecation of wrong) {
    assert.throws(
      () => route({ ...common, path: "/things/x", deprecated: deprecation, handle }),
      /^TypeError: GET \/things\/x/,
    );
    assert.throws(() => deprecated(z.string(), deprecation), TypeError);
  }
  // A year from a leap day ends on the first of March.
  assert.throws(() => deprecated(z.string(), { ...deprecation, since: "2028-02-29", sunset: "2029-02-28" }), TypeError);
  deprecated(z.string(), { ...deprecation, since: "2028-02-29", sunset: "2029-03-01" });
});

/** What the contract marks as deprecated: `GET /v1/things`, `GET /v1/things?shade`, `Thing.colour`. */
function deprecations(document: unknown): string[] {
  const { paths, components } = document as {
    paths: Record<string, Record<string, { deprecated?: boolean; parameters?: unknown[] }>>;
    components: { parameters: Record<string, unknown>; schemas: Record<string, unknown> };
  };
  const isMarked = (value: unknown) => (value as { deprecated?: boolean }).deprecated === true;
  const nameOf = (value: unknown) => (value as { name: string }).name;
  const fields = (name: string, schema: unknown): string[] => {
    if (typeof schema !== "object" || schema === null) return [];
    const { properties = {} } = schema as { properties?: Record<string, unknown> };
    const own = Object.entries(properties).filter(([, value]) => isMarked(value)).map(([field]) => `${name}.${field}`);
    return [...own, ...Object.values(schema).flatMap((inner) => fields(name, inner))];
  };
  return [
    ...Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) => {
        const place = `${method.toUpperCase()} ${path}`;
        const marked = (operation.parameters ?? []).filter(isMarked).map((parameter) =>
          `${place}?${nameOf(parameter)}`
        );
        return [...operation.deprecated ? [place] : [], ...marked, ...fields(place, operation)];
      })
    ),
    ...Object.values(components.parameters).filter(isMarked).map(nameOf),
    ...Object.entries(components.schemas).flatMap(([name, schema]) => fields(name, schema)),
  ];
}

/** Those that no version of the changelog names under "Deprecated". */
function unlisted(document: unknown, changelog: string): string[] {
  const parts = changelog.split(/^#{2,3} /m).filter((part) => part.startsWith("Deprecated\n"));
  return deprecations(document).filter((name) => !parts.some((part) => part.includes(`\`${name}\``)));
}

Deno.test("CHANGELOG.md: everything that the contract marks as deprecated is listed under Deprecated", async () => {
  assert.deepEqual(unlisted(contract(), await Deno.readTextFile(new URL("../../CHANGELOG.md", import.meta.url))), []);
});

Deno.test("CHANGELOG.md: a deprecated operation, parameter or field that is listed elsewhere or not at all is found", () => {
  const document = documentOf(routes);
  const names = ["GET /v1/things/old", "GET /v1/things/old?shade", "Thing.colour"];
  assert.deepEqual(deprecations(document), names);
  const entries = names.map((name) => `- \`${name}\`\n`).join("");
  assert.deepEqual(unlisted(document, `## Unreleased\n\n### Added\n\n${entries}`), names);
  assert.deepEqual(unlisted(document, `## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n### Deprecated\n\n${entries}`), []);
});
