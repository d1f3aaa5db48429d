import type { z } from "zod";
import type { Access, CallerOf } from "../auth/access.ts";
import type { AppsConfig } from "../config.ts";
import type { AnyDatabase, ApiFunction, ArgsOf, Database, Instance } from "../db/client.ts";
import { type Code, codes } from "../errors.ts";
import type { ProviderName, Providers } from "../providers/providers.ts";
import type { Cache } from "./caching.ts";
import { checkDeprecation, type Deprecation } from "./deprecation.ts";
import type { Links } from "./links.ts";
import type { Prepared } from "./prepared.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The areas of administrators (private.admin_areas). */
export type AdminArea =
  | "admins"
  | "content"
  | "lots"
  | "notifications"
  | "reviews"
  | "rewards"
  | "search_presets"
  | "store_sync"
  | "support"
  | "users";

/** Parameters, query and body are strict objects: unknown keys are rejected. */
type Fields = z.ZodObject;
type Read<F> = F extends Fields ? z.output<F> : undefined;

/** Arguments that `db` adds to each call: the administrator's id on administrators' routes. */
type GivenBy<A extends Access> = A extends "admin" ? "admin_id" : never;

/** The handler's argument: the parsed request, and the database for the functions in `calls`. */
export interface RequestInput<A extends Access, P, Q, B, C extends ApiFunction> {
  readonly db: Database<C, GivenBy<A>>;
  /** The same database without rate limit and idempotency: for reading a document page by page. */
  readonly pages: Database<C, GivenBy<A>>;
  readonly caller: CallerOf<A>;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly links: Links;
  /** The database as the service, to record statements of providers. Never use it to bypass a policy. */
  readonly service: Database<C>;
  /** The apps that open links of the website. */
  readonly apps: AppsConfig;
  /** The `If-Match` header: the expected version of the resource. Undefined: any version. */
  readonly ifMatch: string | undefined;
  /** The `Authorization` header, for providers that call a public route with their own token. */
  readonly authorization: string | null;
  readonly requestId: string;
  /** The client's IP address. The database stores only its hash. */
  readonly clientAddress: string;
}

/** The same with the providers that the route `uses`. */
export type HandlerContext<A extends Access, P, Q, B, C extends ApiFunction, U extends ProviderName> =
  & RequestInput<A, P, Q, B, C>
  & Pick<Providers, U>;

/** Status and schema of the reply. `asText` renders it for clients that do not accept JSON. */
type Reply<R extends z.ZodType> =
  | readonly [status: number, schema: R]
  | readonly [
    status: number,
    schema: R,
    asText: (reply: z.output<R>) => string,
  ];

/** A reply of any length, streamed as text or as JSON lines. */
export class Streamed {
  /** `mediaType` of the text. Default: JSON. */
  constructor(
    readonly text: () => AsyncIterable<string>,
    readonly values: () => AsyncIterable<unknown>,
    readonly mediaType?: string,
  ) {}
}

/** Handlers may return more fields than the reply schema has; these are dropped. */
type Returned<T> = T & Readonly<Record<string, unknown>>;

/** Further media types of a reply, chosen by the Accept header. */
export interface Representations<A extends Access, R, P, Q, B, C extends ApiFunction, U extends ProviderName> {
  /** The reply as GeoJSON. */
  readonly geojson?: (reply: R) => unknown;
  /** At most `limit` items as JSON lines, and a last line with the cursor. It calls the database itself. */
  readonly lines?: (work: HandlerContext<A, P, Q, B, C, U>, limit: number) => AsyncIterable<unknown>;
}

export interface Definition<
  A extends Access,
  R extends z.ZodType,
  P extends Fields | undefined,
  Q extends Fields | undefined,
  B extends Fields | undefined,
  C extends ApiFunction,
  U extends ProviderName,
> {
  readonly method: Method;
  /** `/<function>/...` with parameters in braces. Clients prefix it with `/v1`. */
  readonly path: `/${string}`;
  readonly access: A;
  /** The area that the administrator needs. Null: any active administrator. Required for the access `admin`. */
  readonly area?: AdminArea | null;
  readonly summary: string;
  readonly description?: string;
  /** The route will be removed. Its responses and the contract announce it. */
  readonly deprecated?: Deprecation;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Whether the body is optional. Then none of its fields is required. */
  readonly isBodyOptional?: boolean;
  /** Whether another company calls the route, and no client of ours. Its description says who, and how it is authenticated. */
  readonly isWebhook?: boolean;
  /** The database calls it to work on a queue for as long as there is work. No duration of it is slow. */
  readonly isConsumer?: boolean;
  /** Maximum body size in bytes. Default BODY_LIMIT, at most MAX_DRAIN_BYTES. */
  readonly bodyLimit?: number;
  readonly reply: Reply<R>;
  /** A second status of the same reply, for example 200 if the row already existed. Requires `replyStatus`. */
  readonly alternateStatus?: number;
  /** Chooses the status from the handler's return value, including fields that the reply schema drops. */
  readonly replyStatus?: (returned: Returned<z.input<R>>) => number;
  readonly representations?: Representations<A, z.output<R>, Read<P>, Read<Q>, Read<B>, C, U>;
  /**
   * The database for the route. Default: any for a GET, otherwise the primary. Set `any` for a POST that only reads, and
   * `primary` for a GET whose function writes or reports on the primary.
   */
  readonly instance?: Instance;
  /** Error codes of the handler and its database functions, without those that `errorCodesOf` adds. */
  readonly errors: readonly Code[];
  /**
   * The rate limit policy: that of the route's command (private.rate_limit_policies), or for a public route one that counts by
   * network. Default: `limitOf`.
   */
  readonly limit?: string;
  /** The policy of guests, by network, on a route with optional authentication. Default: `limit`. */
  readonly guestLimit?: string;
  /** The policy under which a request that is refused with 422 is counted instead. */
  readonly refusedLimit?: string;
  /** Whether a request costs more than one page. Such reads are rate limited, for anonymous users by network. */
  readonly isExpensive?: (query: Read<Q>) => boolean;
  readonly cache?: Cache;
  /** `updated_at` of the reply is its `ETag`. Requests that change the resource may send it as `If-Match`. */
  readonly isVersioned?: boolean;
  /** The handler returns a `Streamed`, which is also available as JSON lines. */
  readonly isStreamed?: boolean;
  /** Whether a bounded list was truncated. Sets `X-Truncated: true`. */
  readonly isTruncated?: (returned: Returned<z.input<R>>) => boolean;
  /** The ids of the lots in a page of search results, to count the search for each of them. */
  readonly shownLots?: (returned: Returned<z.input<R>>, query: Read<Q>) => readonly string[];
  /** The database functions of the route. A route without a handler calls one and returns its reply. */
  readonly calls?: C | readonly C[];
  /**
   * The arguments of that call. Default: the fields of path, query and body by name, plus `if_match` for a change of a
   * versioned resource.
   */
  args?(input: RequestInput<A, Read<P>, Read<Q>, Read<B>, C>): ArgsOf<C, GivenBy<A>>;
  /** The providers that the handler uses. Pass each of them to the group's `createApp`. */
  readonly uses?: readonly U[];
  /**
   * Serves the request itself, for a protocol that has its own messages and errors. The router reads no body and writes no
   * response.
   */
  serve?(request: Request, requestId: string): Promise<Response>;
  handle?(
    work: HandlerContext<A, Read<P>, Read<Q>, Read<B>, C, U>,
  ): z.input<R> | Streamed | Prepared | Promise<z.input<R> | Streamed | Prepared>;
}

/** A route without the types of its fields, as the router handles it. */
export interface Route {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly access: Access;
  readonly area?: AdminArea | null;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: Deprecation;
  readonly params?: Fields | undefined;
  readonly query?: Fields | undefined;
  readonly body?: Fields | undefined;
  readonly isBodyOptional?: boolean;
  readonly isWebhook?: boolean;
  readonly isConsumer?: boolean;
  readonly bodyLimit?: number;
  readonly reply: readonly [
    status: number,
    schema: z.ZodType,
    asText?: (reply: never) => string,
  ];
  readonly alternateStatus?: number;
  readonly replyStatus?: (returned: never) => number;
  readonly representations?: {
    readonly geojson?: (reply: never) => unknown;
    readonly lines?: (work: never, limit: number) => AsyncIterable<unknown>;
  };
  readonly instance?: Instance;
  readonly errors: readonly Code[];
  readonly limit?: string;
  readonly guestLimit?: string;
  readonly refusedLimit?: string;
  readonly isExpensive?: (query: never) => boolean;
  readonly cache?: Cache;
  readonly isVersioned?: boolean;
  readonly isStreamed?: boolean;
  readonly isTruncated?: (returned: never) => boolean;
  readonly shownLots?: (returned: never, query: never) => readonly string[];
  readonly calls: readonly ApiFunction[];
  readonly uses: readonly ProviderName[];
  /** Whether the route has no handler and returns the reply of the one function in `calls`. */
  readonly isOneCall: boolean;
  /** Whether the route has its own `args`. */
  readonly hasOwnArgs: boolean;
  serve?(request: Request, requestId: string): Promise<Response>;
  handle(work: never): unknown;
}

export function route<
  A extends Access,
  R extends z.ZodType,
  P extends Fields | undefined = undefined,
  Q extends Fields | undefined = undefined,
  B extends Fields | undefined = undefined,
  C extends ApiFunction = never,
  U extends ProviderName = never,
>(definition: Definition<A, R, P, Q, B, C, U>): Route {
  const { method, path, params, query, body, access, cache, limit, alternateStatus, replyStatus } = definition;
  const place = `${method} ${path}`;
  for (const fields of [params, query, body]) {
    if (fields && fields.def.catchall?._zod.def.type !== "never") throw new TypeError(`${place}: use z.strictObject`);
  }
  const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  if (named.join() !== Object.keys(params?.shape ?? {}).join()) {
    throw new TypeError(`${place}: params differ from path`);
  }
  if ((alternateStatus === undefined) !== (replyStatus === undefined)) {
    throw new TypeError(`${place}: alternateStatus and replyStatus go together`);
  }
  if ((access === "admin") !== (definition.area !== undefined)) {
    throw new TypeError(`${place}: an administrator's route has an area, and no other has one`);
  }
  if (definition.deprecated) checkDeprecation(place, definition.deprecated);
  if (cache && method !== "GET") throw new TypeError(`${place}: only a GET is cached`);
  if (limit !== undefined && isMachine(access)) throw new TypeError(`${place}: a service is not limited`);
  if (cache?.scope === "public" && access !== "public") {
    throw new TypeError(`${place}: what depends on the caller is private`);
  }
  const { handle, serve } = definition;
  const calls = typeof definition.calls === "string" ? [definition.calls] : definition.calls ?? [];
  if (!handle && !serve && calls.length !== 1) throw new TypeError(`${place}: it calls one function or has a handler`);
  if (handle && definition.args) throw new TypeError(`${place}: its handler calls the database itself`);
  return {
    ...definition,
    calls,
    uses: definition.uses ?? [],
    isOneCall: !handle && !serve,
    hasOwnArgs: definition.args !== undefined,
    handle: handle ?? oneCall(calls[0]!),
  };

  function oneCall(name: C) {
    return (input: RequestInput<A, Read<P>, Read<Q>, Read<B>, C>) => {
      const { params, query, body, ifMatch } = input;
      const args = definition.args?.(input) ??
        { ...params, ...query, ...body, ...isConditional(definition) && { if_match: ifMatch } };
      return (input.db as unknown as AnyDatabase).rpc(name, args);
    };
  }
}

/** A route with its export name, which is its operationId in the contract. */
export interface NamedRoute extends Route {
  readonly name: string;
}

/** The routes among the exports of modules. */
export function routesOf(...modules: readonly object[]): NamedRoute[] {
  return modules.flatMap((module) => Object.entries(module)).filter(isRoute)
    .map(([name, route]) => ({ ...route, name }));
}

function isRoute(member: [name: string, value: unknown]): member is [string, Route] {
  const [, value] = member;
  return typeof value === "object" && value !== null && "handle" in value && "path" in value;
}

/** Whether only programs of the operator call a route: a service or a monitoring system. */
export function isMachine(access: Access): boolean {
  return access === "service" || access === "monitor";
}

/** The rate limit policy of a route: its own, or the default for writes of authenticated users. Undefined: not limited. */
export function limitOf({ method, access, limit }: Route): string | undefined {
  const signedIn = access !== "public" && access !== "optional" && !isMachine(access);
  return limit ?? (method === "GET" || !signedIn ? undefined : access === "admin" ? "admin_write" : "write");
}

/** The database for the requests of a route. */
export function instanceOf({ method, instance }: Route): Instance {
  return instance ?? (method === "GET" ? "any" : "primary");
}

/** Whether `Idempotency-Key` works on a route: on every POST of authenticated users. */
export function keepsAnswers({ method, access }: Route): boolean {
  return method === "POST" && access !== "public" && !isMachine(access);
}

/** Whether `If-Match` works on a route: it changes a versioned resource that exists. */
export function isConditional(
  { method, isVersioned, reply }: Pick<Route, "method" | "isVersioned" | "reply">,
): boolean {
  return isVersioned === true && method !== "GET" && reply[0] !== 201;
}

/** All error codes of a route: its own and those of the router. */
export function errorCodesOf(route: Route): Code[] {
  const all = new Set<Code>(route.errors);
  all.add("validation_error").add("server_error").add("service_unavailable");
  // Suspended and withdrawn users are rejected on every route that reads the token, and all users on routes of the service.
  if (route.access !== "public") all.add("unauthorized");
  if (route.access !== "public" && route.access !== "monitor") all.add("forbidden");
  if (route.method !== "GET") all.add("payload_too_large").add("unsupported_media_type");
  if (limitOf(route) !== undefined || route.isExpensive !== undefined) all.add("rate_limited");
  if (isConditional(route)) all.add("precondition_failed");
  if (keepsAnswers(route)) all.add("conflict").add("rate_limited");
  return codes.filter((code) => all.has(code));
}
