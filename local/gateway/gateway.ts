// The gateway: the one address of the platform, http://127.0.0.1:<LOCAL_PORT>. It routes each request to its part.
import { BodyError } from "./body.ts";
import { clientAddress } from "./client_address.ts";
import { preflight } from "./cors.ts";
import type { Serve } from "./applications.ts";
import type { Code } from "../../supabase/functions/_shared/errors.ts";
import { errorResponse } from "./envelope.ts";
import { isFromOtherOrigin, isOwnHost } from "./hosts.ts";

export interface Parts {
  rest(request: Request, url: URL, client: string): Promise<Response>;
  auth(request: Request, url: URL, client: string): Promise<Response>;
  mail(request: Request, url: URL): Promise<Response>;
  home(request: Request): Response | Promise<Response>;
  functions(request: Request, name: string, path: string, client: string): Promise<Response>;
  storage(request: Request, url: URL): Promise<Response>;
  realtime(request: Request, url: URL): Promise<Response>;
  applications: Serve;
}

export interface Gateway {
  readonly port: number;
  /** Routes requests from now on. Before, each one gets 503. */
  open(parts: Parts): void;
  /** Responds with 503 again, until the next `open`. */
  close(): void;
  stop(): Promise<void>;
}

/** Handles requests below /_platform, which `deno task status`, `stop` and `reset` send. */
export type Control = (request: Request, url: URL) => Promise<Response>;

export interface GatewayOptions {
  readonly hostname: string;
  readonly port: number;
  /** The host name by which clients reach the platform, in addition to the names of this machine. */
  readonly host?: string;
  /** The header that carries the client's address, where a trusted proxy sets it. */
  readonly addressHeader?: string | undefined;
  readonly log: (line: string) => void;
}

/** Pages and commands of the platform itself. Only clients on its own origin get them. */
const OWN_PATHS = /^\/(_mail(\/.*)?|_platform.*)?$/;

/** Listens at once, so that a port in use is an error before anything else starts. */
export function listen(
  { hostname, port, host = "127.0.0.1", addressHeader, log }: GatewayOptions,
  control: Control,
): Gateway {
  let parts: Parts | undefined;
  const server = Deno.serve({ hostname, port, onListen: () => {} }, async (request, info) => {
    const url = urlOf(request);
    if (url === undefined) {
      return errorResponse(request, 400, "validation_error", "The Host header or the path cannot be read.");
    }
    if (!isOwnHost(url, host)) {
      const message = `The platform does not have this host name. LOCAL_HOST=${url.hostname} lets clients use it.`;
      return errorResponse(new Request(`http://${host}/`), 421, "validation_error", message);
    }
    if (OWN_PATHS.test(url.pathname) && isFromOtherOrigin(request, url)) {
      return errorResponse(request, 403, "forbidden", "Pages of other origins may not use this path.");
    }
    try {
      if (url.pathname.startsWith("/_platform")) return await control(request, url);
      if (parts === undefined) {
        return errorResponse(request, 503, "service_unavailable", "The platform is starting.");
      }
      const client = clientAddress(request.headers, info.remoteAddr.hostname, addressHeader);
      return await route(parts, request, url, client);
    } catch (error) {
      if (error instanceof BodyError) return errorResponse(request, error.status, codeOf(error), error.message);
      log(`${request.method} ${url.pathname}: ${error instanceof Error ? error.stack : error}`);
      const message = "The request failed. The platform's log has the reason.";
      if (request.method === "GET" || request.method === "HEAD") {
        return errorResponse(request, 503, "service_unavailable", message);
      }
      return errorResponse(request, 500, "server_error", message, { details: { reason: "outcome_unknown" } });
    }
  });
  return {
    port: server.addr.port,
    open: (opened) => parts = opened,
    close: () => parts = undefined,
    stop: () => server.shutdown(),
  };
}

/** Undefined for a malformed address. */
function urlOf(request: Request): URL | undefined {
  try {
    return new URL(request.url);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function codeOf({ status }: BodyError): Code {
  return status === 413 ? "payload_too_large" : "validation_error";
}

function route(parts: Parts, request: Request, url: URL, client: string): Promise<Response> | Response {
  const { pathname } = url;
  if (/^\/rest\/v1(\/|$)/.test(pathname)) return parts.rest(request, url, client);
  if (pathname === "/" && /^(GET|HEAD)$/.test(request.method)) return parts.home(request);
  const page = parts.applications(request, pathname);
  if (page !== undefined) return page;
  if (/^\/_mail(\/|$)/.test(pathname)) return parts.mail(request, url);
  if (pathname.startsWith("/auth/v1/")) return parts.auth(request, url, client);
  const [, name, path = ""] = pathname.match(/^(?:\/functions)?\/v1\/([^/]+)(\/.*)?$/) ?? [];
  if (name !== undefined) return parts.functions(request, name, path, client);
  // The paths that Apple and Google require. In production the proxy of the custom domain maps them.
  const [, document] = pathname.match(/^\/\.well-known\/(apple-app-site-association|assetlinks\.json)$/) ?? [];
  if (document !== undefined) return parts.functions(request, "well-known", `/${document}`, client);
  if (/^\/storage\/v1\/(s3|object\/public)(\/|$)/.test(pathname)) return parts.storage(request, url);
  if (pathname.startsWith("/realtime/v1/")) return parts.realtime(request, url);
  if (request.method === "OPTIONS") return preflight(request);
  if (/^\/storage\/v1(\/|$)/.test(pathname)) {
    return errorResponse(request, 501, "not_implemented", "The local platform does not have this service.");
  }
  return errorResponse(request, 404, "not_found", "No such path.");
}
