/** The life of a request, from the first byte to the log line. Handlers return data; everything else happens here. */
import { type Context, Hono } from "hono";
import { admit } from "../auth/access.ts";
import type { Caller } from "../auth/token.ts";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { asCaller, asService, asVisitor, type Database } from "../db/client.ts";
import { Refusal } from "../errors.ts";
import { cacheControl, entityTag, names } from "./caching.ts";
import { allowAnyOrigin, preflight } from "./cors.ts";
import { envelope } from "./envelope.ts";
import { noFields, readBody, readParams, readQuery } from "./input.ts";
import { describe, type Log, logToConsole } from "./log.ts";
import type { Links, Route, Work } from "./route.ts";

export interface AppOptions {
  /** Called when the environment is first needed, and not again once it succeeded. */
  readonly config?: () => Config;
  readonly log?: Log;
}

/** What is known about a request while it is being answered. */
interface Exchange {
  readonly id: string;
  readonly started: number;
  dbMs: number;
  route?: Route;
  caller?: Caller | null;
  refusal?: Refusal;
}

type Env = { Variables: { exchange: Exchange } };

export function createApp(routes: readonly Route[], options: AppOptions = {}): {
  fetch(request: Request): Response | Promise<Response>;
} {
  const config = once(options.config ?? (() => readConfig()));
  const log = options.log ?? logToConsole;
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const exchange: Exchange = {
      id: requestId(c.req.raw.headers),
      started: performance.now(),
      dbMs: 0,
    };
    c.set("exchange", exchange);
    await next();
    finish(c.res.headers, exchange);
    record(log, c, exchange);
  });
  for (const [path, byMethod] of groupByPath(routes)) {
    app.all(
      path.replace(/\{(\w+)\}/g, ":$1"),
      (c) => respond(c, byMethod, config),
    );
  }
  app.all("*", () => {
    throw new Refusal("not_found", { message: "There is no such path." });
  });
  app.onError((failure, c) => refuse(failure, c.get("exchange"), config));
  return { fetch: (request) => app.fetch(request) };
}

async function respond(
  c: Context<Env>,
  byMethod: Map<string, Route>,
  config: () => Config,
): Promise<Response> {
  const exchange = c.get("exchange");
  const request = c.req.raw;
  const allowed = [...byMethod.keys(), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") {
    return new Response(null, { status: 204, headers: preflight(allowed) });
  }

  const route = byMethod.get(request.method);
  if (!route) {
    throw new Refusal("method_not_allowed", { headers: { Allow: allowed } });
  }
  exchange.route = route;
  exchange.caller = route.access === "public"
    ? null
    : await admit(route.access, request.headers.get("authorization"), config());

  const params = readParams(route.params ?? noFields, c.req.param());
  const query = readQuery(route.query ?? noFields, new URL(request.url).search);
  const body = route.body ? await readBody(route.body, request) : undefined;
  const work: Work<"optional", unknown, unknown, unknown> = {
    get db() {
      return databaseFor(route, exchange, config());
    },
    caller: exchange.caller,
    params,
    query,
    body,
    links: linksOf(config),
    requestId: exchange.id,
  };
  return await replyWith(route, request, await route.handle(work as never));
}

function databaseFor(
  route: Route,
  exchange: Exchange,
  config: Config,
): Database {
  const timer = (ms: number) => {
    exchange.dbMs += ms;
  };
  if (route.access === "service") return asService(config, timer);
  return exchange.caller ? asCaller(config, exchange.caller, timer) : asVisitor(config, timer);
}

/** Only what the schema of the reply names leaves the house. */
async function replyWith(
  route: Route,
  request: Request,
  data: unknown,
): Promise<Response> {
  const [status, schema, asText] = route.reply;
  const parsed = schema.safeParse(data);
  if (parsed.error) {
    const places = parsed.error.issues.map((issue) => `${issue.path.join(".") || "(root)"} ${issue.code}`).join(", ");
    throw new Refusal("server_error", {
      cause: new Error(`reply differs from its schema: ${places}`),
    });
  }
  const inText = asText !== undefined &&
    !/application\/json/i.test(request.headers.get("accept") ?? "");
  const text = inText ? asText(parsed.data as never) : JSON.stringify(parsed.data);
  const headers = new Headers({
    "Content-Type": inText ? "text/plain; charset=utf-8" : "application/json; charset=utf-8",
    "Cache-Control": cacheControl(route.cache),
  });
  if (asText) headers.append("Vary", "Accept");
  if (route.cache) {
    const tag = await entityTag(text);
    headers.set("ETag", tag);
    if (route.access !== "public") headers.append("Vary", "Authorization");
    if (names(request.headers.get("if-none-match"), tag)) {
      headers.delete("Content-Type");
      return new Response(null, { status: 304, headers });
    }
  }
  return new Response(text, { status, headers });
}

function refuse(
  failure: unknown,
  exchange: Exchange,
  config: () => Config,
): Response {
  const refusal = asRefusal(failure);
  exchange.refusal = refusal;
  return new Response(
    JSON.stringify(envelope(refusal, exchange.id, docUrl(refusal, config))),
    {
      status: refusal.status,
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Cache-Control": "no-store",
        ...(refusal.status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
        ...refusal.headers,
      },
    },
  );
}

/** A service without its configuration still answers, without an address to point to. */
function docUrl(refusal: Refusal, config: () => Config): string | null {
  try {
    return linksOf(config).errorPage(refusal.code);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

function asRefusal(failure: unknown): Refusal {
  if (failure instanceof Refusal) return failure;
  return new Refusal(
    failure instanceof ConfigError ? "service_unavailable" : "server_error",
    { cause: failure },
  );
}

function finish(headers: Headers, exchange: Exchange): void {
  allowAnyOrigin(headers);
  headers.set("X-Request-Id", exchange.id);
  headers.set("X-Content-Type-Options", "nosniff");
  const total = performance.now() - exchange.started;
  headers.set(
    "Server-Timing",
    `db;dur=${exchange.dbMs.toFixed(1)}, total;dur=${total.toFixed(1)}`,
  );
}

function record(log: Log, c: Context<Env>, exchange: Exchange): void {
  const { refusal } = exchange;
  const status = c.res.status;
  log({
    level: status >= 500 ? "error" : "info",
    time: new Date().toISOString(),
    request_id: exchange.id,
    method: c.req.raw.method,
    route: exchange.route?.path ?? null,
    status,
    ms: round(performance.now() - exchange.started),
    db_ms: round(exchange.dbMs),
    user_id: exchange.caller?.id ?? null,
    code: refusal?.code ?? null,
    ...(refusal && status >= 500 ? { cause: describe(refusal.cause ?? refusal) } : {}),
  });
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** A client may bring an id of its own, to find the request in its logs and in ours. */
function requestId(headers: Headers): string {
  const given = headers.get("x-request-id");
  return given !== null && /^[A-Za-z0-9_-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}

function linksOf(config: () => Config): Links {
  return {
    asset: (storageKey) => storageKey === null ? null : `${config().cdnUrl}/${encodeURI(storageKey)}`,
    errorPage: (code) => `${config().baseUrl}/v1/openapi/errors/${code}`,
  };
}

/** The routes of each path by method; a GET answers HEAD as well. */
function groupByPath(
  routes: readonly Route[],
): Map<string, Map<string, Route>> {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const byMethod = paths.get(route.path) ?? new Map<string, Route>();
    if (byMethod.has(route.method)) {
      throw new TypeError(`${route.method} ${route.path} is defined twice`);
    }
    byMethod.set(route.method, route);
    if (route.method === "GET") byMethod.set("HEAD", route);
    paths.set(route.path, byMethod);
  }
  return paths;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
