/** Generates the OpenAPI 3.1 document from the routes. Only loaded by the function `openapi` and by tools. */
import type { ZodType } from "zod";
import { VERSION } from "../_shared/config.ts";
import { ApiError, catalogue, type Code, codes } from "../_shared/errors.ts";
import { deprecationText } from "../_shared/http/deprecation.ts";
import { envelope, ErrorEnvelope } from "../_shared/http/envelope.ts";
import { KEY_HEADER, REPLAYED_HEADER } from "../_shared/http/idempotency.ts";
import { isWrite, READ_AFTER_HEADER } from "../_shared/http/read_after.ts";
import { TRUNCATED_HEADER } from "../_shared/http/reply.ts";
import {
  errorCodesOf,
  instanceOf,
  isConditional,
  isMachine,
  keepsAnswers,
  limitOf,
  type NamedRoute,
  type Route,
} from "../_shared/http/route.ts";
import { sharedParameters } from "../_shared/schema/parameters.ts";
import { type JsonSchema, type JsonSchemas, jsonSchemas, resolved, sorted } from "./json_schema.ts";
import { tagOf, tagsOf } from "./tags.ts";

/** The routes of one function. */
export interface Group {
  readonly name: string;
  readonly routes: readonly NamedRoute[];
}

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  /** Absent means false. */
  readonly required?: true;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A request and its response as an example. The values of a query are those that its schema accepts, not their text. */
export interface Example {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly reply?: unknown;
}

/** Examples by operationId. */
export type Examples = Readonly<Record<string, Example>>;

export interface Content {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference>>;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, Content>>;
  /** What other values of `Accept` select, by media type. */
  readonly "x-representations"?: Readonly<Record<string, Content>>;
}

export type Responses = Record<string, ResponseObject | Reference>;

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  /** Absent means that of the document: a token. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Responses>;
}

export type PathItem = Partial<Record<"get" | "post" | "put" | "patch" | "delete", Operation>>;

/** Path prefix for clients. */
const PREFIX = "/v1";

const description = `Search for parking lots, estimate parking fees, and manage parking sessions.

Every error response is an \`Error\`. Its \`doc_url\` links to the documentation of the code. Unknown parameters and fields are
rejected, and a \`validation_error\` lists every problem of the request. Separate the values of a list in a query by commas,
or repeat the parameter. Timestamps have an offset. Amounts of money are in minor units of the currency.

Send an \`Idempotency-Key\` to retry a POST safely for 24 hours: it takes effect once and returns the same response. A request
that was rejected is processed again. Write requests are rate limited per caller. Their responses have \`RateLimit\`, the
remaining quota, and \`RateLimit-Policy\`.

Every response has the headers \`X-Request-Id\`, which identifies the request in the service's logs, \`Server-Timing\`, the
milliseconds spent in the database and in total, \`Cache-Control\`, and \`Access-Control-Allow-Origin: *\`. Responses of a deprecated operation
have \`Deprecation\`, \`Sunset\` and a \`Link\` with \`rel="deprecation"\`.

The tag of an administrators' operation names its permission scope: \`admin-lots\` requires \`admin:lots\`. \`externalDocs\` is an
OpenAPI Overlay with examples and the descriptions of operations that no app uses. \`GET /v1/openapi/asyncapi\` returns the
contract of Realtime, in AsyncAPI 3.0.`;

/** Shared parts of operations, by their reference names, and the examples. */
class Components {
  readonly parameters: Record<string, Parameter> = {};
  readonly responses: Record<string, ResponseObject> = {};

  constructor(
    readonly schemas: JsonSchemas,
    readonly examples: Examples,
    /** The examples of shared parameters. A shared parameter has that of the first operation with one. */
    readonly sharedExamples: ReadonlyMap<string, unknown>,
  ) {}

  parameter(name: string, parameter: Parameter): Reference {
    return this.#share("parameters", name, parameter);
  }

  response(name: string, response: ResponseObject): Reference {
    return this.#share("responses", name, response);
  }

  #share(kind: "parameters" | "responses", name: string, value: object): Reference {
    const shared: Record<string, object> = this[kind];
    if (JSON.stringify(shared[name] ??= value) !== JSON.stringify(value)) {
      throw new TypeError(`components/${kind}: two different ones are called ${name}`);
    }
    return { $ref: `#/components/${kind}/${name}` };
  }
}

/** `bases` are schemas that no route returns directly: the common parts of several replies, for typed clients. */
export function openApiDocument(groups: readonly Group[], bases: readonly ZodType[] = [], examples: Examples = {}) {
  const routes = groups.flatMap(({ routes }) => routes);
  const { named, components: schemas } = jsonSchemas({
    [ERROR]: ErrorEnvelope,
    ...Object.fromEntries(bases.map((schema, nth) => [`base ${nth}`, schema])),
    ...Object.fromEntries(routes.flatMap(schemasOf)),
  });
  const components = new Components(schemas, examples, sharedExamples(routes, examples));
  const paths: Record<string, PathItem> = {};
  for (const { name, routes } of groups) {
    for (const route of routes) {
      const item = paths[PREFIX + route.path] ??= {};
      item[methodOf(route)] = operation(route, tagOf(route) ?? name, named, components);
    }
  }
  const used = new Set(routes.flatMap(errorCodesOf));
  const tagged = tagsOf(new Set(routes.map(tagOf)));
  return {
    openapi: "3.1.0",
    info: {
      title: "Parking lot service",
      version: VERSION,
      description,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [
      {
        url: "/functions",
        description: "The environment that this document was read from: production, staging or local",
        "x-internal": false,
      },
      {
        url: "http://127.0.0.1:54321/functions",
        description: "A local platform on this machine",
        "x-internal": true,
      },
    ],
    externalDocs: {
      description: "Examples, and the texts of operations that no app uses: an OpenAPI Overlay of this document",
      url: "/functions/v1/openapi/overlay",
    },
    security: [{ bearer: [] }],
    tags: tagged.tags,
    "x-tagGroups": tagged.groups,
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The access token (JWT) from the identity provider, verified as RFC8725 recommends",
        },
        secretKey: {
          type: "apiKey",
          in: "header",
          name: "apikey",
          description: "The secret key of the project, which a trusted service may also send as the bearer token",
        },
        metricsToken: {
          type: "http",
          scheme: "bearer",
          description: "The token that the operator has chosen for the monitoring system (`METRICS_TOKEN`)",
        },
      },
      parameters: sorted(components.parameters),
      headers,
      responses: sorted(components.responses),
      examples: Object.fromEntries(
        codes.filter((code) => used.has(code)).map((code) =>
          [code, { summary: catalogue[code].message, value: example(code) }] as const
        ),
      ),
      schemas,
    },
  };
}

const ERROR = "error";
const PARTS = ["params", "query", "body"] as const;
const keyOf = ({ name }: NamedRoute, part: typeof PARTS[number] | "reply") => `${name} ${part}`;

/** The schemas of a route, by their keys. */
function schemasOf(route: NamedRoute): [key: string, schema: ZodType][] {
  const parts = PARTS.flatMap((part) => route[part] ? [[keyOf(route, part), route[part]] as [string, ZodType]] : []);
  const [status, reply] = route.reply;
  return status === 204 ? parts : [...parts, [keyOf(route, "reply"), reply]];
}

/** The examples of shared parameters, by their names. */
function sharedExamples(routes: readonly NamedRoute[], examples: Examples): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const route of routes) {
    for (const part of ["params", "query"] as const) {
      for (const [name, value] of Object.entries(examples[route.name]?.[part] ?? {})) {
        const id = sharedParameters.get(route[part]!.shape[name]!)?.id;
        if (id !== undefined && !found.has(id)) found.set(id, value);
      }
    }
  }
  return found;
}

const methodOf = ({ method }: Route) => method.toLowerCase() as Lowercase<typeof method>;

const headers = {
  "X-Request-Id": {
    description:
      "Identifies the request in the service's logs. The service always creates it. An id sent by the client is " +
      "logged in addition.",
    schema: { type: "string" },
  },
  "ETag": {
    description: "The version of the response, for `If-None-Match` or `If-Match`",
    schema: { type: "string" },
  },
  "WWW-Authenticate": {
    description: "The authentication scheme, and what is wrong with the token",
    schema: { type: "string" },
  },
  [REPLAYED_HEADER]: {
    description:
      "`true` if this is the stored response of an earlier request with the same `Idempotency-Key`. Absent otherwise.",
    schema: { type: "string", enum: ["true"] },
  },
  [TRUNCATED_HEADER]: {
    description: "`true` if the list is incomplete. Absent otherwise.",
    schema: { type: "string", enum: ["true"] },
  },
  [READ_AFTER_HEADER]: {
    description:
      "When the response to the write was sent, in milliseconds since 1970. Send it in the same header of later " +
      "requests.",
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description:
      'The rate limit policy of the request, with its quota `q` and its window `w` in seconds: `"write";q=120;w=60`',
    schema: { type: "string" },
  },
  "RateLimit": {
    description: 'The remaining quota `r` and the seconds `t` until the window ends: `"write";r=119;t=60`',
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "Seconds to wait before the next request",
    schema: { type: "integer", format: "int32", minimum: 1 },
  },
};

const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of the client's copy. Returns 304 if it is still current.",
  schema: { type: "string" },
  example: '"9b74c9897bac770ffc029102a200c5de"',
};

const ifMatch: Parameter = {
  name: "If-Match",
  in: "header",
  description:
    "The `ETag` of the version to change. Returns 412 if a newer version exists. If omitted, any version is changed.",
  schema: { type: "string" },
  example: '"2026-11-25T08:00:00.482915+00:00"',
};

const idempotencyKey: Parameter = {
  name: KEY_HEADER,
  in: "header",
  description:
    "A key that the client creates for this request, for example a UUID. Repeating the request within 24 hours " +
    "with the same key, method, path and body has no further effect and returns the first response. Another " +
    "request with the same key returns 409 `conflict` with `details.reason` `key_reused_with_different_body`. " +
    "Ignored for anonymous requests.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  example: "0d2e6d49-5f0d-4f6d-8c0e-8a1b0c3d4e22",
};

const readAfter: Parameter = {
  name: READ_AFTER_HEADER,
  in: "header",
  description:
    "The last `X-Read-After` that the client received, `0` before the first one, or `now`. If the time is more " +
    "than a minute ago, a read replica may respond, with a short replication delay. If omitted, the primary " +
    "database responds.",
  schema: { type: "string", pattern: "^([0-9]{1,15}|now)$" },
  example: "1795568400482",
};

function headersNamed(...names: (keyof typeof headers)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function operation(route: NamedRoute, tag: string, named: JsonSchemas, components: Components): Operation {
  const parameters = parametersOf(route, named, components);
  const body = named[keyOf(route, "body")];
  const example = components.examples[route.name] ?? {};
  return {
    operationId: route.name,
    tags: [tag],
    summary: route.summary,
    ...describedWith(route),
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(route.access in security ? { security: security[route.access as keyof typeof security] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
        requestBody: {
          required: !route.isBodyOptional,
          content: { "application/json": { schema: body, ...shown(example.body) } },
        },
      }
      : {}),
    responses: { ...success(route, named[keyOf(route, "reply")], components), ...failures(route, components) },
  };
}

function shown(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

function parametersOf(route: NamedRoute, named: JsonSchemas, components: Components): (Parameter | Reference)[] {
  const fields = (["params", "query"] as const).flatMap((part) => {
    const { properties = {}, required = [] } = named[keyOf(route, part)] ?? {};
    return Object.entries(properties).map(([name, { description, deprecated, ...schema }]) => {
      const shared = sharedParameters.get(route[part]!.shape[name]!)?.id;
      const written = part === "params" ? { schema } : serialized(schema, components.schemas);
      const example = shared === undefined
        ? components.examples[route.name]?.[part]?.[name]
        : components.sharedExamples.get(shared);
      const parameter: Parameter = {
        name,
        in: part === "params" ? "path" : "query",
        ...(required.includes(name) ? { required: true } : {}),
        ...(description === undefined ? {} : { description }),
        ...(deprecated === true ? { deprecated } : {}),
        ...written,
        ...shown(isText(written.schema) && typeof example === "object" ? JSON.stringify(example) : example),
      };
      return shared === undefined ? parameter : components.parameter(shared, parameter);
    });
  });
  const isReplicated = instanceOf(route) === "any" && isSignedIn(route);
  return [
    ...fields,
    ...(route.cache ? [ifNoneMatch] : []),
    ...(isConditional(route) ? [ifMatch] : []),
    ...(route.method === "POST" ? [idempotencyKey] : []),
    ...(isReplicated ? [readAfter] : []),
  ].map((parameter) =>
    "in" in parameter && parameter.in === "header" ? components.parameter(parameter.name, parameter) : parameter
  );
}

/** Where it differs from that of the document. */
/** Where it is not the contract's own, which is the user's token. */
const security = {
  public: [],
  optional: [{}, { bearer: [] }],
  service: [{ bearer: [] }, { secretKey: [] }],
  monitor: [{ metricsToken: [] }],
} as const;

/** The description of a route, with the permission scope of administrators' routes and the end of a deprecated one. */
function describedWith({ description, area, deprecated }: Route): { description?: string } {
  const scope = area === null
    ? "Requires the permission scope `admin`."
    : `Requires the permission scope \`admin:${area}\`.`;
  const sentences = [
    ...(description ? [description] : []),
    ...(area === undefined ? [] : [scope]),
    ...(deprecated ? [deprecationText(deprecated)] : []),
  ];
  return sentences.length > 0 ? { description: sentences.join(" ") } : {};
}

function success(route: NamedRoute, reply: JsonSchema | undefined, components: Components): Responses {
  const { reply: [status, , asText], alternateStatus, representations, cache } = route;
  const names = [
    ...limitHeadersOf(route),
    ...(cache || route.isVersioned ? ["ETag"] as const : []),
    ...(keepsAnswers(route) ? [REPLAYED_HEADER] as const : []),
    ...(isWrite(route) && isSignedIn(route) ? [READ_AFTER_HEADER] as const : []),
    ...(route.isTruncated ? [TRUNCATED_HEADER] as const : []),
  ] as const;
  // A client that sends no `Accept` gets JSON. Generators read every media type of `content` as a possible result: with
  // lines among them, some return a stream for each request.
  const others: Record<string, Content> = {
    ...(asText ? { "text/plain": { schema: { type: "string" } } } : {}),
    ...(representations?.geojson ? { "application/geo+json": { schema: featureCollection } } : {}),
    ...(representations?.lines || route.isStreamed ? { "application/x-ndjson": { schema: { type: "string" } } } : {}),
  };
  const otherTypes = Object.keys(others).map((type) => `\`${type}\``).join(" or ");
  const response: ResponseObject = {
    description: status === 204
      ? "No content"
      : otherTypes === ""
      ? "OK"
      : `OK. \`Accept\` also selects ${otherTypes}.`,
    ...(names.length > 0 ? { headers: headersNamed(...names) } : {}),
    ...(reply === undefined ? {} : {
      content: { "application/json": { schema: reply, ...shown(components.examples[route.name]?.reply) } },
      ...(otherTypes === "" ? {} : { "x-representations": others }),
    }),
  };
  return {
    [status]: reply === undefined ? components.response(noContent(names), response) : response,
    ...(alternateStatus === undefined
      ? {}
      : { [alternateStatus]: { ...response, description: "OK: nothing was created" } }),
    ...(cache
      ? { 304: components.response("NotModified", { description: "Not modified", headers: headersNamed("ETag") }) }
      : {}),
  };
}

/** The name of the shared response without content that has these headers. */
function noContent(headers: readonly string[]): string {
  const own = headers.filter((name) => name === "ETag" || name === REPLAYED_HEADER);
  return `NoContent${own.map((name) => `With${name.replaceAll("-", "")}`).join("")}`;
}

/** Whether the route can have a caller. */
function isSignedIn({ access }: Route): boolean {
  return access !== "public" && !isMachine(access);
}

function limitHeadersOf(route: Route): readonly ("RateLimit" | "RateLimit-Policy")[] {
  return limitOf(route) === undefined && !keepsAnswers(route) && !route.isExpensive
    ? []
    : ["RateLimit", "RateLimit-Policy"];
}

const featureCollection = {
  type: "object",
  description:
    "A GeoJSON FeatureCollection (RFC 7946) of the items. The other fields of the JSON response are members of the " +
    "collection.",
  required: ["type", "features"],
  properties: {
    type: { type: "string", enum: ["FeatureCollection"] },
    features: { type: "array", items: { type: "object" } },
  },
};

/** One response per status, with an example of each of its codes. */
function failures(route: Route, components: Components): Responses {
  const byStatus = Object.groupBy(errorCodesOf(route), (code) => String(catalogue[code].status));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes = []]) => [
      status,
      components.response(nameOf(codes), {
        description: codes.map((code) => `\`${code}\`: ${catalogue[code].meaning}`).join("\n\n"),
        headers: headersNamed(
          "X-Request-Id",
          // A request without a valid token is not counted.
          ...(status === "401" ? ["WWW-Authenticate"] as const : ["RateLimit", "RateLimit-Policy"] as const),
          ...(status === "429" || status === "503" ? ["Retry-After"] as const : []),
        ),
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Error" },
            examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      }),
    ]),
  );
}

/** The codes that are usual for their status. */
const USUAL: ReadonlySet<Code> = new Set<Code>([
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "precondition_failed",
  "payload_too_large",
  "unsupported_media_type",
  "validation_error",
  "rate_limited",
  "server_error",
  "service_unavailable",
]);

/**
 * The name of a shared error response: the status, if it has the usual code of the status alone, otherwise the codes. Each
 * operation refers to eight of them, so long names are a tenth of the document.
 */
function nameOf(codes: readonly Code[]): string {
  const [code] = codes;
  return codes.length === 1 && USUAL.has(code!) ? String(catalogue[code!].status) : codes.map(inPascalCase).join("Or");
}

function inPascalCase(code: Code): string {
  return code.split("_").map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
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

/** Whether an object is written as JSON text. */
function isText({ contentSchema }: JsonSchema): boolean {
  return contentSchema !== undefined;
}

/**
 * Serialises objects in a query as JSON text and lists with commas. A parameter that refers to a list of codes is a
 * plain string. A query has no representation of null, so null is removed from the type.
 * The text is declared as a string with `contentSchema`. `content` means the same, but many generators send `[object
 * Object]` for it or fail. With a string, callers use JSON.stringify themselves.
 */
function serialized(schema: JsonSchema, components: JsonSchemas): { explode?: false; schema: JsonSchema } {
  const { type } = resolved(schema, components);
  if (type === "array") return { explode: false, schema };
  if (Array.isArray(type)) return { schema: { ...schema, type: type.find((type) => type !== "null") } };
  if (type !== "object") return { schema };
  return { schema: { type: "string", contentMediaType: "application/json", contentSchema: schema } };
}
