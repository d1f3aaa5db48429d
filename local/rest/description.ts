// GET /rest/v1/: the functions as OpenAPI 2.0, for tools that read it (consoles, generators). Hosted projects answer it to
// the secret key only.
import { CORS, RestError } from "./errors.ts";
import type { Parameter, Schema } from "./schema.ts";

const TYPES: readonly (readonly [RegExp, Record<string, unknown>])[] = [
  [/\[\]$/, { type: "array", items: {} }],
  [/^(smallint|integer|bigint)$/, { type: "integer" }],
  [/^(numeric|real|double precision)$/, { type: "number" }],
  [/^boolean$/, { type: "boolean" }],
  [/^jsonb?$/, {}],
];

export function describe({ functions }: Schema, schemaName: string, role: string): Response {
  if (role !== "service_role") {
    throw new RestError(403, "42501", "The description of the Data API is for the secret key only.");
  }
  const paths: Record<string, unknown> = {};
  for (const { schema, name, comment, parameters } of Array.from(functions.values()).flat()) {
    if (schema !== schemaName) continue;
    const properties = Object.fromEntries(parameters.map((one) => [one.name, typeOf(one)]));
    const required = parameters.filter(({ isRequired }) => isRequired).map((one) => one.name);
    paths[`/rpc/${name}`] = {
      post: {
        tags: [`(rpc) ${name}`],
        ...(comment === null ? {} : { summary: comment.split("\n", 1)[0], description: comment }),
        consumes: ["application/json"],
        produces: ["application/json", "application/vnd.pgrst.object+json"],
        parameters: [{
          name: "args",
          in: "body",
          required: true,
          schema: { type: "object", properties, ...(required.length > 0 ? { required } : {}) },
        }],
        responses: { 200: { description: "OK" } },
      },
    };
  }
  const document = {
    swagger: "2.0",
    info: { title: "The functions of the service", version: "local" },
    basePath: "/rest/v1",
    consumes: ["application/json"],
    produces: ["application/json"],
    paths,
  };
  return new Response(JSON.stringify(document), {
    headers: { ...CORS, "content-type": "application/openapi+json; charset=utf-8" },
  });
}

function typeOf({ type }: Parameter): Record<string, unknown> {
  const [, known = { type: "string" }] = TYPES.find(([pattern]) => pattern.test(type)) ?? [];
  return { ...known, format: type };
}
