/** The life of a request, from the first byte to the log line. Handlers return data; everything else happens here. */
import { type Context, Hono } from "hono";
import { admit } from "../auth/access.ts";
import { type Config, readConfig } from "../config.ts";
import { asAdmin, asCaller, asService, asVisitor, type Database, type Instance } from "../db/client.ts";
import { Refusal } from "../errors.ts";
import { PROVIDER_NAMES, type ProviderName, type Providers } from "../providers/providers.ts";
import { preflight } from "./cors.ts";
import { begin, CLIENT_LEFT_STATUS, type Exchange, logLine, sign, traceOf, whatHappened } from "./exchange.ts";
import { Commands } from "./commands.ts";
import { readIdempotencyKey, readKey, REPLAYED_HEADER } from "./idempotency.ts";
import {
  ClientLeft,
  noFields,
  readBody,
  readJson,
  readNothing,
  readOptionalJson,
  readParams,
  readQuery,
  searchOf,
} from "./input.ts";
import { docUrl, type Links, linksOf } from "./links.ts";
import { type Log, logToConsole } from "./log.ts";
import { addressOf, type RateLimit } from "./rate_limit.ts";
import { instanceFor } from "./read_after.ts";
import { asks, asRefusal, LINES_TYPE, refuseWith, replyWith, streamLines } from "./reply.ts";
import { keepsAnswers, limitOf, type Route, type Work } from "./route.ts";
import type { SearchCounts } from "./search_counts.ts";

/** The providers that a group's handlers use: starting is slower with their clients in reach. */
type ProviderMakers = { readonly [Name in ProviderName]?: (config: () => Config) => Providers[Name] };

export interface AppOptions extends ProviderMakers {
  /** Called when the environment is first needed, and not again once it succeeded. */
  readonly config?: () => Config;
  readonly log?: Log;
  /** Where searches are counted; without it they are not. */
  readonly searches?: (config: () => Config) => SearchCounts;
  /** How many requests the process works on at once; the next is rejected at once instead of waiting for all of them. */
  readonly maxInFlight?: number;
}

const MAX_IN_FLIGHT = 100;

interface House {
  readonly config: () => Config;
  readonly links: Links;
  readonly providers: Partial<Providers>;
  readonly searches: SearchCounts | undefined;
}

type Env = { Variables: { exchange: Exchange } };

export function createApp(routes: readonly Route[], options: AppOptions = {}): {
  fetch(request: Request): Response | Promise<Response>;
} {
  const config = once(options.config ?? (() => readConfig()));
  const house = {
    config,
    links: linksOf(config),
    providers: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, options[name]?.(config)])),
    searches: options.searches?.(config),
  };
  const log = options.log ?? logToConsole;
  const maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT;
  let inFlight = 0;
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const exchange = begin(c.req.raw);
    c.set("exchange", exchange);
    await next();
    sign(c.res.headers, exchange);
    log(logLine(exchange, c.res.status));
  });
  for (const [path, byMethod] of groupByPath(routes)) {
    app.all(path.replace(/\{(\w+)\}/g, ":$1"), async (c) => {
      if (inFlight >= maxInFlight) throw overloaded(maxInFlight);
      inFlight++;
      try {
        return await respond(c, byMethod, house);
      } finally {
        inFlight--;
      }
    });
  }
  app.all("*", () => {
    throw new Refusal("not_found", { message: "There is no such path." });
  });
  app.onError((failure, c) => {
    const exchange = c.get("exchange");
    if (failure instanceof ClientLeft) return new Response(null, { status: CLIENT_LEFT_STATUS });
    const refusal = exchange.refusal = whatHappened(asRefusal(failure), exchange);
    return refuseWith(refusal, exchange.id, docUrl(refusal.code, house.links));
  });
  return { fetch: (request) => app.fetch(request) };
}

function overloaded(inFlight: number): Refusal {
  const cause = new Error(`${inFlight} requests are running in this process`);
  return new Refusal("service_unavailable", { headers: { "Retry-After": "1" }, cause });
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

  const commands = new Commands({
    policy: limitOf(route),
    door: route.access === "admin" ? "run_admin_command" : "run_command",
    take: (policy) => takeRequest(policy, request, exchange, house.config()),
    onCount: (rateLimit) => exchange.rateLimit = rateLimit,
  });
  if (!exchange.caller) await commands.count();
  let response: Response;
  try {
    response = await answer(c, route, exchange, house, commands);
  } catch (failure) {
    if (route.access === "admin" && exchange.dbMs === 0) await requireAdmin(route, exchange, house.config());
    const isOutage = failure instanceof Refusal && failure.code === "service_unavailable";
    if (!isOutage) await commands.count();
    throw failure;
  }
  await commands.count();
  return response;
}

/**
 * Functions of the console check the administrator themselves. A request that is rejected before it reaches one is checked
 * here, so that nobody else learns more than that they may not.
 */
async function requireAdmin({ area }: Route, exchange: Exchange, config: Config): Promise<void> {
  if (exchange.caller) {
    await asAdmin(config, exchange.caller.id, traceOf(exchange)).rpc("check_administrator", { area });
  }
}

/** Counts a request by its caller, or by the network of an anonymous client. */
function takeRequest(
  policy: string,
  request: Request,
  exchange: Exchange,
  config: Config,
): Promise<RateLimit | null> {
  const trace = traceOf(exchange);
  if (exchange.caller) return asCaller(config, exchange.caller, trace).rpc("take_request", { policy });
  const address = addressOf(request.headers);
  return asService(config, trace).rpc("take_anonymous_request", { policy, address });
}

async function answer(
  c: Context<Env>,
  route: Route,
  exchange: Exchange,
  house: House,
  commands: Commands,
): Promise<Response> {
  const request = c.req.raw;
  const isKeyed = keepsAnswers(route) && exchange.caller !== null && readKey(request.headers) !== undefined;
  const params = readParams(route.params ?? noFields, c.req.param());
  const query = readQuery(route.query ?? noFields, searchOf(request.url));
  const read = route.isBodyOptional ? readOptionalJson : readJson;
  const sent = route.body ? await read(request, route.bodyLimit) : undefined;
  const body = route.body ? readBody(route.body, sent) : undefined;
  if (!route.body && route.method !== "GET") await readNothing(request);
  if (isKeyed) commands.key = await readIdempotencyKey(request, sent);
  const instance = isKeyed ? "primary" : instanceFor(route, request.headers, exchange.caller);
  const own: Omit<Work<"optional", unknown, unknown, unknown>, ProviderName> = {
    params,
    query,
    body,
    caller: exchange.caller ?? null,
    links: house.links,
    get service() {
      return commands.before(asService(house.config(), traceOf(exchange)));
    },
    get apps() {
      return house.config().apps;
    },
    authorization: request.headers.get("authorization"),
    requestId: exchange.id,
    clientAddress: addressOf(request.headers),
    ifMatch: request.headers.get("if-match") ?? undefined,
    get pages() {
      return databaseFor(route, exchange, house.config(), instance);
    },
    get db() {
      const config = house.config();
      if (isExpensive(route, request, query)) {
        if (exchange.caller) return commands.expensive(databaseFor(route, exchange, config, "primary"));
        return commands.expensive(asService(config, traceOf(exchange)), addressOf(request.headers));
      }
      const db = databaseFor(route, exchange, config, instance);
      return exchange.caller ? commands.over(db) : db;
    },
  };
  const work = withProviders(own, (name) => {
    const provider = house.providers[name];
    if (!provider) throw new TypeError(`${route.path}: its group's createApp was given no ${name}`);
    return commands.before(provider);
  });
  if (route.also?.lines && asks(request, LINES_TYPE)) return await streamLines(route, route.also.lines(work as never));
  const returned = await route.handle(work as never);
  const response = await replyWith(route, request, returned);
  if (route.shownLots && request.method === "GET") {
    house.searches?.add(route.shownLots(returned as never, query as never));
  }
  if (commands.replayed) response.headers.set(REPLAYED_HEADER, "true");
  return response;
}

/** The same object with a getter for each provider, so that a request is counted when its handler turns to one. */
function withProviders<T extends object>(work: T, get: (name: ProviderName) => object): T & Providers {
  for (const name of PROVIDER_NAMES) Object.defineProperty(work, name, { get: () => get(name), enumerable: false });
  return work as T & Providers;
}

function databaseFor(route: Route, exchange: Exchange, config: Config, instance: Instance): Database {
  const trace = traceOf(exchange);
  if (route.access === "service") return asService(config, trace, instance);
  if (route.access === "admin" && exchange.caller) return asAdmin(config, exchange.caller.id, trace, instance);
  return exchange.caller ? asCaller(config, exchange.caller, trace, instance) : asVisitor(config, trace, instance);
}

function isExpensive(route: Route, request: Request, query: unknown): boolean {
  if (route.access === "admin") return false;
  return route.isExpensive?.(query as never) || (route.also?.lines !== undefined && asks(request, LINES_TYPE));
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
