/** Prints the OpenAPI 3.1 document from the routes. Loaded by the function `openapi` and by tools only. */
import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { ZodType } from "zod";
import type { Access } from "../_shared/auth/access.ts";
import { VERSION } from "../_shared/config.ts";
import { ApiError, catalogue, type Code, codes } from "../_shared/errors.ts";
import { envelope, ErrorEnvelope } from "../_shared/http/envelope.ts";
import { KEY_HEADER, REPLAYED_HEADER } from "../_shared/http/idempotency.ts";
import { isWrite, READ_AFTER_HEADER } from "../_shared/http/read_after.ts";
import { TRUNCATED_HEADER } from "../_shared/http/reply.ts";
import { errorCodesOf, instanceOf, isConditional, keepsAnswers, limitOf, type Route } from "../_shared/http/route.ts";

/** The routes of one function, as a chapter of the document. */
export interface Group {
  readonly name: string;
  readonly description: string;
  readonly routes: readonly Route[];
}

type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
type Responses = RouteConfig["responses"];

/** What stands before a route's path for a client. */
const PREFIX = "/v1";

const description = `Search for parking lots, estimate parking fees, and manage parking sessions.

Every error response is an \`Error\`. Its \`doc_url\` links to the documentation of the code. Unknown parameters and fields are
rejected, and a \`validation_error\` lists every problem of the request. Separate the values of a list in a query by commas,
or repeat the parameter. Timestamps have an offset. Amounts of money are in minor units of the currency.

Send an \`Idempotency-Key\` to retry a POST safely for 24 hours: it takes effect once and returns the same response. A request
that was rejected is processed again. Write requests are rate limited per caller. Their responses carry \`RateLimit\`, the
remaining quota.`;

/** `bases` are schemas that no route answers with as they are: what several replies have in common, for typed clients. */
export function openApiDocument(groups: readonly Group[], bases: Record<string, ZodType> = {}): Document {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  for (const [name, schema] of Object.entries(bases)) registry.register(name, schema);
  registry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token (JWT) from the identity provider",
  });
  for (const [name, header] of Object.entries(headers)) {
    registry.registerComponent("headers", name, header);
  }
  registry.registerComponent("parameters", "If-None-Match", ifNoneMatch);
  registry.registerComponent("parameters", "If-Match", ifMatch);
  registry.registerComponent("parameters", KEY_HEADER, idempotencyKey);
  registry.registerComponent("parameters", READ_AFTER_HEADER, readAfter);
  const used = new Set(groups.flatMap(({ routes }) => routes.flatMap(errorCodesOf)));
  for (const code of codes.filter((code) => used.has(code))) {
    registry.registerComponent("examples", code, { summary: catalogue[code].message, value: example(code) });
  }
  for (const { name, routes } of groups) {
    for (const route of routes) registry.registerPath(operation(route, name));
  }
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Parking lot service", version: VERSION, description },
    servers: [
      {
        url: "/functions",
        description: "The environment that this document was read from",
      },
      {
        url: "http://127.0.0.1:54321/functions",
        description: "A platform on this machine",
      },
    ],
    security: [{ bearer: [] }],
    tags: groups.map(({ name, description }) => ({ name, description })),
  });
  return corrected(document);
}

const headers = {
  "X-Request-Id": {
    description:
      "Identifies the request in the service's logs. The service always creates it. An id sent by the client is " +
      "logged in addition.",
    schema: { type: "string" as const },
  },
  "Server-Timing": {
    description: "Milliseconds spent in the database and in total",
    schema: { type: "string" as const },
  },
  "Cache-Control": {
    description: "Whether and how long the response may be cached",
    schema: { type: "string" as const },
  },
  "ETag": {
    description: "The version of the response, for `If-None-Match` or `If-Match`",
    schema: { type: "string" as const },
  },
  "WWW-Authenticate": {
    description: "The authentication scheme, and what is wrong with the token",
    schema: { type: "string" as const },
  },
  [REPLAYED_HEADER]: {
    description:
      "`true` if this is the stored response of an earlier request with the same `Idempotency-Key`. Absent otherwise.",
    schema: { type: "string" as const, enum: ["true"] },
  },
  [TRUNCATED_HEADER]: {
    description: "`true` if the list is incomplete. Absent otherwise.",
    schema: { type: "string" as const, enum: ["true"] },
  },
  [READ_AFTER_HEADER]: {
    description:
      "When the response to the write was sent, in milliseconds since 1970. Send it in the same header of later " +
      "requests.",
    schema: { type: "string" as const },
  },
  "RateLimit-Policy": {
    description:
      'The rate limit policy of the request, with its quota `q` and its window `w` in seconds: `"write";q=120;w=60`',
    schema: { type: "string" as const },
  },
  "RateLimit": {
    description: 'The remaining quota `r` and the seconds `t` until the window ends: `"write";r=119;t=60`',
    schema: { type: "string" as const },
  },
  "Retry-After": {
    description: "Seconds to wait before the next request",
    schema: { type: "integer" as const, minimum: 1 },
  },
};

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header" as const,
  required: false,
  description: "The `ETag` of the client's copy. Returns 304 if it is still current.",
  schema: { type: "string" as const },
};

const ifMatch = {
  name: "If-Match",
  in: "header" as const,
  required: false,
  description:
    "The `ETag` of the version to change. Returns 412 if a newer version exists. If omitted, any version is changed.",
  schema: { type: "string" as const },
};

const idempotencyKey = {
  name: KEY_HEADER,
  in: "header" as const,
  required: false,
  description:
    "A key that the client creates for this request, for example a UUID. Repeating the request within 24 hours " +
    "with the same key, method, path and body has no further effect and returns the first response. Another " +
    "request with the same key returns 409 `conflict` with `details.reason` `key_reused_with_different_body`. " +
    "Ignored for anonymous requests.",
  schema: { type: "string" as const, minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
};

const readAfter = {
  name: READ_AFTER_HEADER,
  in: "header" as const,
  required: false,
  description:
    "The last `X-Read-After` that the client received, `0` before the first one, or `now`. If the time is more " +
    "than a minute ago, a read replica may respond, with a short replication delay. If omitted, the primary " +
    "database responds.",
  schema: { type: "string" as const, pattern: "^([0-9]{1,15}|now)$" },
};

function headersNamed(...names: (keyof typeof headers)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function operation(route: Route, tag: string): RouteConfig {
  const { method, path, summary, params, query, body, cache } = route;
  return {
    method: method.toLowerCase() as Lowercase<typeof method>,
    path: PREFIX + path,
    operationId: operationId(route),
    tags: [tag],
    summary,
    ...describedWith(route),
    security: security[route.access],
    request: {
      ...(params ? { params } : {}),
      ...(query ? { query } : {}),
      ...(body
        ? {
          body: { required: !route.isBodyOptional, content: { "application/json": { schema: body } } },
        }
        : {}),
    },
    parameters: [
      ...(cache ? [{ $ref: "#/components/parameters/If-None-Match" }] : []),
      ...(isConditional(route) ? [{ $ref: "#/components/parameters/If-Match" }] : []),
      ...(method === "POST" ? [{ $ref: `#/components/parameters/${KEY_HEADER}` }] : []),
      ...(instanceOf(route) === "any" && isSignedIn(route)
        ? [{ $ref: `#/components/parameters/${READ_AFTER_HEADER}` }]
        : []),
    ],
    responses: { ...success(route), ...failures(route) },
  } as RouteConfig;
}

const security: Record<Access, Record<string, string[]>[]> = {
  public: [],
  optional: [{}, { bearer: [] }],
  user: [{ bearer: [] }],
  admin: [{ bearer: [] }],
  service: [{ bearer: [] }],
};

/** The description of a route; of an administrator's, with the permission scope that it requires. */
function describedWith({ description, area }: Route): { description?: string } {
  if (area === undefined) return description ? { description } : {};
  const scope = area === null
    ? "Requires the permission scope `admin`."
    : `Requires the permission scope \`admin:${area}\`.`;
  return { description: description ? `${description} ${scope}` : scope };
}

function success(route: Route): Responses {
  const { reply: [status, schema, asText], alternateStatus, representations, cache } = route;
  const always = ["X-Request-Id", "Server-Timing", "Cache-Control", ...limitHeadersOf(route)] as const;
  const responses: Responses = {
    [status]: {
      description: status === 204 ? "No content" : "OK",
      headers: headersNamed(
        ...always,
        ...(cache || route.isVersioned ? ["ETag"] as const : []),
        ...(keepsAnswers(route) ? [REPLAYED_HEADER] as const : []),
        ...(isWrite(route) && isSignedIn(route) ? [READ_AFTER_HEADER] as const : []),
        ...(route.isTruncated ? [TRUNCATED_HEADER] as const : []),
      ),
      ...(status === 204 ? {} : {
        content: {
          "application/json": { schema },
          ...(asText ? { "text/plain": { schema: { type: "string" as const } } } : {}),
          ...(representations?.geojson ? { "application/geo+json": { schema: featureCollection } } : {}),
          ...(representations?.lines || route.isStreamed
            ? { "application/x-ndjson": { schema: { type: "string" as const } } }
            : {}),
        },
      }),
    },
  };
  if (alternateStatus !== undefined) {
    responses[alternateStatus] = { ...responses[status]!, description: "OK: nothing was created" };
  }
  if (cache) responses[304] = { description: "Not modified", headers: headersNamed(...always, "ETag") };
  return responses;
}

/** Whether a caller may be known. */
function isSignedIn({ access }: Route): boolean {
  return access !== "public" && access !== "service";
}

function limitHeadersOf(route: Route): readonly ("RateLimit" | "RateLimit-Policy")[] {
  return limitOf(route) === undefined && !keepsAnswers(route) && !route.isExpensive
    ? []
    : ["RateLimit", "RateLimit-Policy"];
}

const featureCollection = {
  type: "object" as const,
  description:
    "A GeoJSON FeatureCollection (RFC 7946) of the items. The other fields of the JSON response are members of the " +
    "collection.",
  required: ["type", "features"],
  properties: {
    type: { type: "string" as const, enum: ["FeatureCollection"] },
    features: { type: "array" as const, items: { type: "object" as const } },
  },
};

/** One response a status, with an example of each code that has it. */
function failures(route: Route): Responses {
  const byStatus = Object.groupBy(errorCodesOf(route), (code) => String(catalogue[code].status));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes = []]) => [status, {
      description: codes.map((code) => `\`${code}\`: ${catalogue[code].meaning}`).join("\n\n"),
      headers: headersNamed(
        "X-Request-Id",
        // Who is not let in is not counted.
        ...(status === "401" ? ["WWW-Authenticate"] as const : limitHeadersOf(route)),
        ...(status === "429" || status === "503" ? ["Retry-After"] as const : []),
      ),
      content: {
        "application/json": {
          schema: ErrorEnvelope,
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    }]),
  );
}

function example(code: Code) {
  const refusal = code === "validation_error"
    ? ApiError.ofFields([{
      param: "lat",
      code: "required",
      message: "This field is required.",
    }])
    : new ApiError(code);
  return envelope(refusal, "6f1c1d0e-6a53-4c1b-9a83-7d1f0f2f5a10", `/functions/v1/openapi/errors/${code}`);
}

/** GET /parking-lots/{id}/reviews is getParkingLotsByIdReviews. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/\{(\w+)\}/g, "by-$1").split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  return method.toLowerCase() +
    words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

/** The generator writes an empty list of webhooks, and does not know how objects and lists travel in a query. */
function corrected({ webhooks: _none, ...document }: Document): Document {
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      operation?.parameters?.forEach((parameter) => fixParameterSerialization(parameter, document.components?.schemas));
    }
  }
  return document;
}

interface Schema {
  readonly type?: unknown;
  readonly allOf?: unknown;
  readonly $ref?: string;
}

/**
 * A parameter that is an object is sent as JSON text, a list with commas between; one that only refers to a list of codes
 * is a word like any other. Outside JSON there is no way to write null: the parameter is left out instead.
 *
 * The text is declared as a string with `contentSchema`. The other way, `content`, says the same, but many generators
 * send `[object Object]` for it or fail: with a string their callers write JSON.stringify themselves.
 */
function fixParameterSerialization(parameter: object, schemas: Record<string, Schema> = {}): void {
  const described = parameter as { in?: string; schema?: unknown; explode?: boolean };
  const schema = described.schema as Schema | undefined;
  if (described.in !== "query" || !schema) return;
  const meant = schema.$ref === undefined ? schema : schemas[schema.$ref.replace("#/components/schemas/", "")];
  if (meant?.type === "array") described.explode = false;
  if (Array.isArray(meant?.type)) described.schema = { ...meant, type: meant.type.find((type) => type !== "null") };
  if (meant?.type !== "object" && !meant?.allOf) return;
  described.schema = { type: "string", contentMediaType: "application/json", contentSchema: schema };
}
