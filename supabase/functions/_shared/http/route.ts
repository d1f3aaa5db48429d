import type { z } from "zod";
import type { Access, CallerOf } from "../auth/access.ts";
import type { AppsConfig } from "../config.ts";
import type { AnyDatabase, ApiFunction, ArgsOf, Database, Instance } from "../db/client.ts";
import { type Code, codes } from "../errors.ts";
import type { ProviderName, Providers } from "../providers/providers.ts";
import type { Cache } from "./caching.ts";
import type { Links } from "./links.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What an administrator can be given (private.admin_areas). */
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

/** Parameters, query and body are strict objects: an unknown key is refused. */
type Fields = z.ZodObject;
type Read<F> = F extends Fields ? z.output<F> : undefined;

/** What `db` adds to the arguments of a call: an administrator's id where only administrators are answered. */
type GivenBy<A extends Access> = A extends "admin" ? "admin_id" : never;

/** What a handler gets: the parsed request, and the database for the functions in the route's `calls`. */
export interface RequestInput<A extends Access, P, Q, B, C extends ApiFunction> {
  readonly db: Database<C, GivenBy<A>>;
  /** The same database, whose functions are neither counted nor run once: for the pages of a document, which only reads. */
  readonly pages: Database<C, GivenBy<A>>;
  readonly caller: CallerOf<A>;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly links: Links;
  /** The service itself, for what a provider said; never around a policy. */
  readonly service: Database<C>;
  /** The apps that open links of the site. */
  readonly apps: AppsConfig;
  /** The `If-Match` header: which version of a versioned resource the request is about; undefined: any. */
  readonly ifMatch: string | undefined;
  /** The `Authorization` header, for a company that calls a public route with a token of its own. */
  readonly authorization: string | null;
  readonly requestId: string;
  /** The network address that the request comes from, for the database to hash. */
  readonly clientAddress: string;
}

/** The same with the providers that the route `uses`. */
export type HandlerContext<A extends Access, P, Q, B, C extends ApiFunction, U extends ProviderName> =
  & RequestInput<A, P, Q, B, C>
  & Pick<Providers, U>;

/** Status and schema of the reply; `asText` renders it for readers who do not ask for JSON. */
type Reply<R extends z.ZodType> =
  | readonly [status: number, schema: R]
  | readonly [
    status: number,
    schema: R,
    asText: (reply: z.output<R>) => string,
  ];

/** A reply of any length, as its text or as JSON lines, which is read while it is sent. */
export class Streamed {
  constructor(readonly text: () => AsyncIterable<string>, readonly values: () => AsyncIterable<unknown>) {}
}

/** What a handler returns may say more than the schema of the reply lets through. */
type Returned<T> = T & Readonly<Record<string, unknown>>;

/** Further types of a reply, for readers whose Accept header names them. */
export interface Representations<A extends Access, R, P, Q, B, C extends ApiFunction, U extends ProviderName> {
  /** The reply as GeoJSON. */
  readonly geojson?: (reply: R) => unknown;
  /** A stream of JSON lines, however long; it calls the database for itself. */
  readonly lines?: (work: HandlerContext<A, P, Q, B, C, U>) => AsyncIterable<unknown>;
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
  /** As the function sees it: `/<function>/...`, parameters in braces. Clients put `/v1` in front. */
  readonly path: `/${string}`;
  readonly access: A;
  /** What an administrator must have for it; null: any active administrator. Every route with the access `admin` has one. */
  readonly area?: AdminArea | null;
  readonly summary: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Whether the body may be left out; no field of it is required then. */
  readonly isBodyOptional?: boolean;
  /** How many bytes the body may have, where that is not BODY_LIMIT; at most MAX_DRAIN_BYTES. */
  readonly bodyLimit?: number;
  readonly reply: Reply<R>;
  /** A further status of the same reply: 200 where there was nothing left to create. Goes with `replyStatus`. */
  readonly alternateStatus?: number;
  /** Which of the two it is, told from what the handler returned, with what the schema of the reply takes off it. */
  readonly replyStatus?: (returned: Returned<z.input<R>>) => number;
  readonly representations?: Representations<A, z.output<R>, Read<P>, Read<Q>, Read<B>, C, U>;
  /**
   * Which database may answer: any for a GET, the primary for the rest, unless this says otherwise. A POST that only reads
   * says `any`; a GET whose function writes, or that is about the primary, says `primary`.
   */
  readonly instance?: Instance;
  /** Codes the handler or its database function may refuse with, beyond those that `errorCodesOf` adds. */
  readonly errors: readonly Code[];
  /**
   * The rate limit policy that requests are counted under: that of the route's command (private.rate_limit_policies), or for a
   * public route one that counts by network. `limitOf` knows the usual one.
   */
  readonly limit?: string;
  /** Whether a request may cost more than a page; such reads of anonymous clients are counted by network. */
  readonly isExpensive?: (query: Read<Q>) => boolean;
  readonly cache?: Cache;
  /** The reply has `updated_at`, which is its `ETag`; a request that changes the resource may send it as `If-Match`. */
  readonly isVersioned?: boolean;
  /** The handler returns a `Streamed`, also as JSON lines. */
  readonly isStreamed?: boolean;
  /** Whether a list with a bound left something out, which `X-Truncated: true` says. */
  readonly isTruncated?: (returned: Returned<z.input<R>>) => boolean;
  /** The ids of the lots that a page of a search shows, for which the search is counted. */
  readonly shownLots?: (returned: Returned<z.input<R>>, query: Read<Q>) => readonly string[];
  /** The functions of the database that the route calls; a route without a handler calls one and replies what it returns. */
  readonly calls?: C | readonly C[];
  /**
   * The arguments of that call, where they are not the fields of path, query and body by their names, with `if_match` for a
   * change of a versioned resource.
   */
  args?(input: RequestInput<A, Read<P>, Read<Q>, Read<B>, C>): ArgsOf<C, GivenBy<A>>;
  /** The providers that the handler uses; the group's `createApp` is given each of them. */
  readonly uses?: readonly U[];
  handle?(
    work: HandlerContext<A, Read<P>, Read<Q>, Read<B>, C, U>,
  ): z.input<R> | Streamed | Promise<z.input<R> | Streamed>;
}

/** A route whose types are known to its own handler alone. */
export interface Route {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly access: Access;
  readonly area?: AdminArea | null;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Fields | undefined;
  readonly query?: Fields | undefined;
  readonly body?: Fields | undefined;
  readonly isBodyOptional?: boolean;
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
    readonly lines?: (work: never) => AsyncIterable<unknown>;
  };
  readonly instance?: Instance;
  readonly errors: readonly Code[];
  readonly limit?: string;
  readonly isExpensive?: (query: never) => boolean;
  readonly cache?: Cache;
  readonly isVersioned?: boolean;
  readonly isStreamed?: boolean;
  readonly isTruncated?: (returned: never) => boolean;
  readonly shownLots?: (returned: never, query: never) => readonly string[];
  readonly calls: readonly ApiFunction[];
  readonly uses: readonly ProviderName[];
  /** Whether the reply is what the one function in `calls` returns. */
  readonly isOneCall: boolean;
  /** Whether the route says itself how the request's fields become the arguments of its call. */
  readonly hasOwnArgs: boolean;
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
  if (cache && method !== "GET") throw new TypeError(`${place}: only a GET is cached`);
  if (limit !== undefined && access === "service") throw new TypeError(`${place}: a service is not limited`);
  if (cache?.scope === "public" && access !== "public") {
    throw new TypeError(`${place}: what depends on the caller is private`);
  }
  const { handle } = definition;
  const calls = typeof definition.calls === "string" ? [definition.calls] : definition.calls ?? [];
  if (!handle && calls.length !== 1) throw new TypeError(`${place}: it calls one function or has a handler`);
  if (handle && definition.args) throw new TypeError(`${place}: its handler calls the database itself`);
  return {
    ...definition,
    calls,
    uses: definition.uses ?? [],
    isOneCall: !handle,
    hasOwnArgs: definition.args !== undefined,
    handle: handle ?? oneCall(calls[0]!),
  };

  function oneCall(name: C) {
    const isVersionedChange = definition.isVersioned === true && method !== "GET";
    return (input: RequestInput<A, Read<P>, Read<Q>, Read<B>, C>) => {
      const { params, query, body, ifMatch } = input;
      const args = definition.args?.(input) ??
        { ...params, ...query, ...body, ...isVersionedChange && { if_match: ifMatch } };
      return (input.db as unknown as AnyDatabase).rpc(name, args);
    };
  }
}

/** A route by the name that it is exported by: the id of its operation in the contract. */
export interface NamedRoute extends Route {
  readonly name: string;
}

/** The routes that modules export; other exports are left out. */
export function routesOf(...modules: readonly object[]): NamedRoute[] {
  return modules.flatMap((module) => Object.entries(module)).filter(isRoute)
    .map(([name, route]) => ({ ...route, name }));
}

function isRoute(member: [name: string, value: unknown]): member is [string, Route] {
  const [, value] = member;
  return typeof value === "object" && value !== null && "handle" in value && "path" in value;
}

/** The policy that limits a route: its own, or `write` for what a signed-in caller writes; undefined for the others. */
export function limitOf({ method, access, limit }: Route): string | undefined {
  const signedIn = access !== "public" && access !== "optional" && access !== "service";
  return limit ?? (method === "GET" || !signedIn ? undefined : access === "admin" ? "admin_write" : "write");
}

/** Which database may answer the requests of a route. */
export function instanceOf({ method, instance }: Route): Instance {
  return instance ?? (method === "GET" ? "any" : "primary");
}

/** Whether the answer to a request with an `Idempotency-Key` is kept: for a POST whose caller may be known. */
export function keepsAnswers({ method, access }: Route): boolean {
  return method === "POST" && access !== "public" && access !== "service";
}

/** Whether a route looks at `If-Match`: it changes a versioned resource. */
export function isConditional({ method, isVersioned }: Route): boolean {
  return isVersioned === true && method !== "GET";
}

/** Every code this route can answer with: its own, and those of what the router does for it. */
export function errorCodesOf(route: Route): Code[] {
  const all = new Set<Code>(route.errors);
  all.add("validation_error").add("server_error").add("service_unavailable");
  // A suspended or withdrawn caller is refused wherever a caller is known, and every user where only the service may call.
  if (route.access !== "public") all.add("unauthorized").add("forbidden");
  if (route.method !== "GET") all.add("payload_too_large").add("unsupported_media_type");
  if (limitOf(route) !== undefined || route.isExpensive !== undefined) all.add("rate_limited");
  if (isConditional(route)) all.add("precondition_failed");
  if (keepsAnswers(route)) all.add("conflict").add("rate_limited");
  return codes.filter((code) => all.has(code));
}
