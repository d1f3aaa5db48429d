/** The router: the life of a request from the first byte to the log line. Handlers only return data. */
import { type Context, Hono } from "hono";
import { authenticate } from "../auth/access.ts";
import { type Config, readConfig } from "../config.ts";
import { type AnyDatabase, asAdmin, asAnonymous, asCaller, asService, type Instance } from "../db/client.ts";
import { ApiError } from "../errors.ts";
import { PROVIDER_NAMES, type ProviderName, type Providers } from "../providers/providers.ts";
import { preflight } from "./cors.ts";
import {
  CLIENT_LEFT_STATUS,
  createContext,
  logLine,
  noteCall,
  type RequestContext,
  setResponseHeaders,
  traceOf,
  withKnownOutcome,
} from "./context.ts";
import { Commands, unlessExpensive } from "./commands.ts";
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
import { MAX_LINES } from "./lines.ts";
import { docUrl, type Links, linksOf } from "./links.ts";
import { DEFAULT_LOG, type Log, type LogSettings, logToConsole, sampled } from "./log.ts";
import { addressOf, type RateLimit } from "./rate_limit.ts";
import { MAX_IN_FLIGHT, OVERLOAD_RETRY_AFTER } from "./overload.ts";
import { instanceFor } from "./read_after.ts";
import { accepts, asApiError, errorResponse, LINES_TYPE, replyWith, streamLines } from "./reply.ts";
import { type RequestCounts, requestCounts } from "./request_counts.ts";
import { isMachine, keepsAnswers, limitOf, type RequestInput, type Route } from "./route.ts";
import type { SearchCounts } from "./search_counts.ts";
import { samplerOf, type Spans, spansTo } from "./spans.ts";

/** The clients of the providers that a group's handlers use. Others are not loaded, because loading them delays the start. */
type ProviderMakers = { readonly [Name in ProviderName]?: (config: () => Config) => Providers[Name] };

export interface AppOptions extends ProviderMakers {
  /** Called on the first use of the configuration, and again after a failure. */
  readonly config?: () => Config;
  readonly log?: Log;
  /** Counts searches. Without it, searches are not counted. */
  readonly searches?: (config: () => Config) => SearchCounts;
  /** Counts requests. Default: in the database, if metrics have a token. */
  readonly counts?: RequestCounts;
  /** Sends the spans of requests. Default: to the collector of the settings. */
  readonly spans?: Spans;
  /** Maximum number of concurrent requests of the process. Further requests are rejected with 503 at once. */
  readonly maxInFlight?: number;
}

/** Between two log lines about rejected requests, because a line costs more than the rejection. */
const REJECTION_LOG_INTERVAL_MS = 1_000;

interface AppContext {
  readonly config: () => Config;
  readonly links: Links;
  readonly providers: Partial<Providers>;
  readonly searches: SearchCounts | undefined;
}

/** The handler's argument, before the types of its route are known. */
type UntypedInput =
  & Omit<RequestInput<"optional", unknown, unknown, unknown, never>, "db" | "pages" | "service">
  & Readonly<Record<"db" | "pages" | "service", AnyDatabase>>;

type Env = { Variables: { context: RequestContext } };

export function createApp(routes: readonly Route[], options: AppOptions = {}): {
  fetch(request: Request): Response | Promise<Response>;
} {
  const config = once(options.config ?? (() => readConfig()));
  const app = {
    config,
    links: linksOf(config),
    providers: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, options[name]?.(config)])),
    searches: options.searches?.(config),
  };
  const log = options.log ?? logToConsole;
  const counts = options.counts ??
    requestCounts(config, () => setting(config, ({ metricsToken }) => metricsToken, null) !== null);
  const spans = options.spans ?? spansTo(config);
  const sampler = () => setting(config, ({ tracing }) => tracing ? samplerOf(tracing) : undefined, undefined);
  const maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT;
  const rejections = { count: 0, loggedAt: -Infinity };
  let inFlight = 0;
  const hono = new Hono<Env>();

  hono.use(async (c, next) => {
    const context = createContext(c.req.raw, sampler());
    c.set("context", context);
    await next();
    setResponseHeaders(c.res.headers, context);
    const settings = logSettings(config);
    const line = logLine(context, c.res.status, settings.slowRequestMs);
    counts.add(context.route, context.method, line.status, line.ms);
    if (context.calls) {
      spans.add({
        trace: context.trace,
        method: context.route?.method ?? "HTTP",
        route: context.route?.path,
        status: line.status,
        code: context.error?.code,
        requestId: context.id,
        endedAt: Date.now(),
        ms: line.ms,
        calls: context.calls,
      });
    }
    const written = sampled(line, settings);
    if (written !== undefined) log(written);
  });
  for (const [path, byMethod] of groupByPath(routes)) {
    hono.all(path.replace(/\{(\w+)\}/g, ":$1"), (c) => respond(c, byMethod, app));
  }
  hono.all("*", () => {
    throw new ApiError("not_found", { message: "This path does not exist. Check it against the contract." });
  });
  hono.onError((failure, c) => {
    const context = c.get("context");
    if (failure instanceof ClientLeft) return new Response(null, { status: CLIENT_LEFT_STATUS });
    const error = context.error = withKnownOutcome(asApiError(failure), context);
    return errorResponse(error, context.id, docUrl(error.code, app.links));
  });

  /** Before anything is read, parsed or routed: a flood of requests must not take the time of those that run. */
  function reject(request: Request): Response {
    const context = createContext(request);
    rejections.count++;
    const isLine = performance.now() - rejections.loggedAt >= REJECTION_LOG_INTERVAL_MS;
    const error = context.error = overloaded(maxInFlight, isLine ? rejections.count : undefined);
    const response = errorResponse(error, context.id, docUrl(error.code, app.links));
    setResponseHeaders(response.headers, context);
    counts.add(undefined, context.method, response.status, 0);
    if (isLine) {
      log(logLine(context, response.status, logSettings(config).slowRequestMs));
      Object.assign(rejections, { count: 0, loggedAt: performance.now() });
    }
    return response;
  }

  return {
    fetch: async (request) => {
      // A page whose preflight fails could not read the error.
      if (inFlight >= maxInFlight && request.method !== "OPTIONS") return reject(request);
      inFlight++;
      try {
        return await hono.fetch(request);
      } finally {
        inFlight--;
      }
    },
  };
}

function logSettings(config: () => Config): LogSettings {
  return setting(config, ({ log }) => log, DEFAULT_LOG);
}

/** Without a valid configuration the defaults apply, because the log lines contain the cause. */
function setting<T>(config: () => Config, pick: (config: Config) => T, fallback: T): T {
  try {
    return pick(config());
  } catch {
    return fallback;
  }
}

/** `rejected`: the number of rejections since the last log line, for the log. */
function overloaded(inFlight: number, rejected: number | undefined): ApiError {
  const headers = { "Retry-After": OVERLOAD_RETRY_AFTER };
  if (rejected === undefined) return new ApiError("service_unavailable", { headers });
  const cause = `${inFlight} requests are running in this process; rejected since the last such line: ${rejected}`;
  return new ApiError("service_unavailable", { headers, cause: new Error(cause) });
}

async function respond(c: Context<Env>, byMethod: Map<string, Route>, app: AppContext): Promise<Response> {
  const context = c.get("context");
  const request = c.req.raw;
  const allowed = [...byMethod.keys(), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") {
    return new Response(null, { status: 204, headers: preflight(allowed, request.headers) });
  }

  const route = byMethod.get(request.method);
  if (!route) throw new ApiError("method_not_allowed", { headers: { Allow: allowed } });
  context.route = route;
  context.caller = await authenticate(route.access, request.headers, app.config);

  const commands = new Commands({
    policy: context.caller ? limitOf(route) : route.guestLimit ?? limitOf(route),
    entryPoint: route.access === "admin" ? "run_admin_command" : "run_command",
    take: (policy, next) => takeRequest(policy, next, request, context, app.config()),
    takeInstead: (policy, instead) =>
      asService(app.config(), traceOf(context)).rpc("take_request_instead", {
        policy,
        instead,
        ...context.caller ? { user_id: context.caller.id } : { address: addressOf(request.headers) },
      }),
    checkKey: (key) =>
      asCaller(app.config(), context.caller!, traceOf(context)).rpc("check_idempotency_key", { ...key }),
    onCount: (rateLimit) => context.rateLimit = rateLimit,
  });
  if (!context.caller) await commands.count();
  let response: Response;
  try {
    response = await answer(c, route, context, app, commands);
  } catch (failure) {
    if (route.access === "admin" && context.dbMs === 0) await requireAdmin(route, context, app.config());
    const isOutage = failure instanceof ApiError && failure.code === "service_unavailable";
    const isRefused = failure instanceof ApiError && failure.status === 422;
    if (isRefused && route.refusedLimit !== undefined) await commands.countInstead(route.refusedLimit);
    else if (!isOutage) await commands.count();
    throw failure;
  }
  await commands.count();
  return response;
}

/**
 * Functions of the console check the administrator themselves. If a request is rejected before it reaches one, the check is
 * done here, so that other users only receive 403.
 */
async function requireAdmin({ area }: Route, context: RequestContext, config: Config): Promise<void> {
  if (context.caller) {
    await asAdmin(config, context.caller.id, traceOf(context)).rpc("check_administrator", { area });
  }
}

/** Counts a request by its user, or by the network of an anonymous user. */
function takeRequest(
  policy: string,
  next: string | undefined,
  request: Request,
  context: RequestContext,
  config: Config,
): Promise<RateLimit | null> {
  const trace = traceOf(context);
  if (context.caller) return asCaller(config, context.caller, trace).rpc("take_request", { policy, next });
  const address = addressOf(request.headers);
  return asService(config, trace).rpc("take_anonymous_request", { policy, address });
}

async function answer(
  c: Context<Env>,
  route: Route,
  context: RequestContext,
  app: AppContext,
  commands: Commands,
): Promise<Response> {
  const request = c.req.raw;
  if (route.serve) return await route.serve(request, context.id);
  const isKeyed = keepsAnswers(route) && context.caller !== null && readKey(request.headers) !== undefined;
  const params = readParams(route.params ?? noFields, c.req.param());
  const query = readQuery(route.query ?? noFields, searchOf(request.url));
  const read = route.isBodyOptional ? readOptionalJson : readJson;
  const sent = route.body ? await read(request, route.bodyLimit) : undefined;
  const body = route.body ? readBody(route.body, sent) : undefined;
  if (!route.body && route.method !== "GET") await readNothing(request);
  if (isKeyed) commands.key = await readIdempotencyKey(request, sent);
  const instance = isKeyed ? "primary" : instanceFor(route, request.headers, context.caller);
  const input: UntypedInput = {
    params,
    query,
    body,
    caller: context.caller ?? null,
    links: app.links,
    get service() {
      return commands.before(asService(app.config(), traceOf(context)));
    },
    get apps() {
      return app.config().apps;
    },
    authorization: request.headers.get("authorization"),
    requestId: context.id,
    clientAddress: addressOf(request.headers),
    ifMatch: request.headers.get("if-match") ?? undefined,
    get pages() {
      return databaseFor(route, context, app.config(), instance);
    },
    get db() {
      const config = app.config();
      const counted = () =>
        context.caller
          ? commands.expensive(databaseFor(route, context, config, "primary"))
          : commands.expensive(asService(config, traceOf(context)), addressOf(request.headers));
      if (isExpensive(route, request, query)) return counted();
      const db = databaseFor(route, context, config, instance);
      if (route.isExpensive) return unlessExpensive(db, counted);
      return context.caller ? commands.over(db) : db;
    },
  };
  const work = withProviders(input, (name) => {
    const provider = app.providers[name];
    if (!provider) throw new TypeError(`${route.path}: its group's createApp was given no ${name}`);
    return commands.before(context.calls ? traced(provider, name, context) : provider);
  });
  if (route.representations?.lines && accepts(request, LINES_TYPE)) {
    // `limit` has a default, which is that of a page.
    const asked = query as { readonly limit?: number };
    const limit = new URL(request.url).searchParams.has("limit") ? asked.limit : undefined;
    return await streamLines(route, route.representations.lines(work as never, limit ?? MAX_LINES));
  }
  const returned = await route.handle(work as never);
  const response = await replyWith(route, request, returned);
  if (route.shownLots && request.method === "GET") {
    app.searches?.add(route.shownLots(returned as never, query as never));
  }
  if (commands.replayed) response.headers.set(REPLAYED_HEADER, "true");
  return response;
}

/** The same provider. Each call that returns a promise is recorded for the spans of the request. */
function traced<T extends object>(provider: T, providerName: string, context: RequestContext): T {
  return new Proxy(provider, {
    get: (target, member) => {
      const value = Reflect.get(target, member);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        const started = performance.now();
        const note = (isDone: boolean) =>
          noteCall(context, {
            kind: "provider",
            name: `${providerName}.${String(member)}`,
            ms: performance.now() - started,
            isDone,
          });
        const result = value.apply(target, given);
        if (result instanceof Promise) result.then(() => note(true), () => note(false));
        return result;
      };
    },
  });
}

/** The same object with a getter for each provider, so that the request is counted before the handler calls a provider. */
function withProviders<T extends object>(work: T, get: (name: ProviderName) => object): T & Providers {
  for (const name of PROVIDER_NAMES) Object.defineProperty(work, name, { get: () => get(name), enumerable: false });
  return work as T & Providers;
}

function databaseFor(route: Route, context: RequestContext, config: Config, instance: Instance): AnyDatabase {
  const trace = traceOf(context);
  if (isMachine(route.access)) return asService(config, trace, instance);
  if (route.access === "admin" && context.caller) return asAdmin(config, context.caller.id, trace, instance);
  return context.caller ? asCaller(config, context.caller, trace, instance) : asAnonymous(config, trace, instance);
}

function isExpensive(route: Route, request: Request, query: unknown): boolean {
  if (route.access === "admin") return false;
  return route.isExpensive?.(query as never) ||
    (route.representations?.lines !== undefined && accepts(request, LINES_TYPE));
}

/** The routes of each path by method, `/lots/nearby` before `/lots/{id}`. A GET route also handles HEAD. */
function groupByPath(routes: readonly Route[]): [path: string, byMethod: Map<string, Route>][] {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const byMethod = paths.get(route.path) ?? new Map<string, Route>();
    if (byMethod.has(route.method)) throw new TypeError(`${route.method} ${route.path} is defined twice`);
    byMethod.set(route.method, route);
    if (route.method === "GET") byMethod.set("HEAD", route);
    paths.set(route.path, byMethod);
  }
  // A brace sorts after every letter.
  return [...paths].sort(([a], [b]) => a < b ? -1 : 1);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
