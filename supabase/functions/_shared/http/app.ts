/** The life of a request, from the first byte to the log line. Handlers return data; everything else happens here. */
import { type Context, Hono } from "hono";
import { admit } from "../auth/access.ts";
import { type Config, readConfig } from "../config.ts";
import { asCaller, asService, asVisitor, type Database, type Timer } from "../db/client.ts";
import { Refusal } from "../errors.ts";
import type { ObjectStorage } from "../providers/object_storage.ts";
import { preflight } from "./cors.ts";
import { begin, type Exchange, logLine, sign } from "./exchange.ts";
import { keyOf, Once, REPLAYED_HEADER } from "./idempotency.ts";
import { noFields, readBody, readJson, readNothing, readParams, readQuery } from "./input.ts";
import { docUrl, type Links, linksOf } from "./links.ts";
import { type Log, logToConsole } from "./log.ts";
import { counterFor, Limit, networkHash } from "./rate_limit.ts";
import { asks, asRefusal, LINES_TYPE, refuseWith, replyWith, streamLines } from "./reply.ts";
import { keepsAnswers, limitOf, type Route, type Work } from "./route.ts";

export interface AppOptions {
  /** Called when the environment is first needed, and not again once it succeeded. */
  readonly config?: () => Config;
  readonly log?: Log;
  /** Object storage, for groups whose handlers use it: starting is slower with its client in reach. */
  readonly storage?: (config: () => Config) => ObjectStorage;
}

/** Bytes. */
const SHORT_BODY = 16_384;

interface House {
  readonly config: () => Config;
  readonly links: Links;
  readonly storage: ObjectStorage | undefined;
}

type Env = { Variables: { exchange: Exchange } };

export function createApp(routes: readonly Route[], options: AppOptions = {}): {
  fetch(request: Request): Response | Promise<Response>;
} {
  const config = once(options.config ?? (() => readConfig()));
  const house = { config, links: linksOf(config), storage: options.storage?.(config) };
  const log = options.log ?? logToConsole;
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const exchange = begin(c.req.raw);
    c.set("exchange", exchange);
    await next();
    sign(c.res.headers, exchange);
    log(logLine(exchange, c.res.status));
  });
  for (const [path, byMethod] of groupByPath(routes)) {
    app.all(path.replace(/\{(\w+)\}/g, ":$1"), (c) => respond(c, byMethod, house));
  }
  app.all("*", () => {
    throw new Refusal("not_found", { message: "There is no such path." });
  });
  app.onError((failure, c) => {
    const exchange = c.get("exchange");
    const refusal = exchange.refusal = asRefusal(failure);
    return refuseWith(refusal, exchange.id, docUrl(refusal.code, house.links));
  });
  return { fetch: (request) => app.fetch(request) };
}

async function respond(c: Context<Env>, byMethod: Map<string, Route>, house: House): Promise<Response> {
  const exchange = c.get("exchange");
  const request = c.req.raw;
  const allowed = [...byMethod.keys(), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") {
    return new Response(null, { status: 204, headers: preflight(allowed, request.headers) });
  }

  const route = byMethod.get(request.method);
  if (!route) throw new Refusal("method_not_allowed", { headers: { Allow: allowed } });
  exchange.route = route;
  exchange.caller = await admit(route.access, request.headers.get("authorization"), house.config);

  const policy = limitOf(route);
  if (policy === undefined) return await answer(c, route, exchange, house);
  const count = counterFor(request, exchange.caller, house.config(), timerOf(exchange));
  const limit = new Limit(policy, count, (taken) => exchange.taken = taken);
  if (!exchange.caller || !isSoonRead(request)) await limit.settle();
  let response: Response;
  try {
    response = await answer(c, route, exchange, house, limit);
  } catch (failure) {
    const isOutage = failure instanceof Refusal && failure.code === "service_unavailable";
    if (!isOutage) await limit.settle();
    throw failure;
  }
  await limit.settle();
  return response;
}

/** The query string without the parameter by which the platform's client library chooses a region. */
function searchOf(request: Request): string {
  return new URL(request.url).search.replace(/(?<=[?&])forceFunctionRegion=[^&]*(&|$)/g, "");
}

/** Whether the body, if any, is short and says so: a longer one is not read for a caller who may not go on. */
function isSoonRead(request: Request): boolean {
  return request.body === null || Number(request.headers.get("content-length") ?? Infinity) <= SHORT_BODY;
}

async function answer(
  c: Context<Env>,
  route: Route,
  exchange: Exchange,
  house: House,
  limit?: Limit,
): Promise<Response> {
  const request = c.req.raw;
  const key = keepsAnswers(route) && exchange.caller ? keyOf(request.headers) : undefined;
  const params = readParams(route.params ?? noFields, c.req.param());
  const query = readQuery(route.query ?? noFields, searchOf(request));
  const sent = route.body ? await readJson(request) : undefined;
  const body = route.body ? readBody(route.body, sent) : undefined;
  if (!route.body && route.method !== "GET") await readNothing(request);
  const once = key === undefined ? undefined : await Once.of(key, request, sent);
  const work: Work<"optional", unknown, unknown, unknown> = {
    params,
    query,
    body,
    caller: exchange.caller ?? null,
    links: house.links,
    get storage() {
      if (!house.storage) throw new TypeError(`${route.path}: its group's createApp was given no object storage`);
      return limit ? limit.before(house.storage) : house.storage;
    },
    get service() {
      const db = asService(house.config(), timerOf(exchange));
      return limit ? limit.before(db) : db;
    },
    get apps() {
      return house.config().apps;
    },
    requestId: exchange.id,
    networkHash: () => networkHash(request, house.config()),
    get db() {
      const db = databaseFor(route, exchange, house.config());
      const counting = limit ? limit.through(db) : db;
      return once ? once.through(counting) : counting;
    },
  };
  if (route.also?.lines && asks(request, LINES_TYPE)) return await streamLines(route, route.also.lines(work as never));
  const response = await replyWith(route, request, await route.handle(work as never));
  if (once?.replayed) response.headers.set(REPLAYED_HEADER, "true");
  return response;
}

function databaseFor(route: Route, exchange: Exchange, config: Config): Database {
  const timer = timerOf(exchange);
  if (route.access === "service") return asService(config, timer);
  return exchange.caller ? asCaller(config, exchange.caller, timer) : asVisitor(config, timer);
}

function timerOf(exchange: Exchange): Timer {
  return (ms) => {
    exchange.dbMs += ms;
  };
}

/** The routes of each path by method, `/lots/nearby` before `/lots/{id}`; a GET answers HEAD as well. */
function groupByPath(routes: readonly Route[]): [path: string, byMethod: Map<string, Route>][] {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const byMethod = paths.get(route.path) ?? new Map<string, Route>();
    if (byMethod.has(route.method)) throw new TypeError(`${route.method} ${route.path} is defined twice`);
    byMethod.set(route.method, route);
    if (route.method === "GET") byMethod.set("HEAD", route);
    paths.set(route.path, byMethod);
  }
  // A brace sorts behind every letter.
  return [...paths].sort(([a], [b]) => a < b ? -1 : 1);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
