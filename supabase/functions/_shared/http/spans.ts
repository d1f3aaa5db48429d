/**
 * Spans of requests, sent to a collector by OTLP over HTTP in JSON (OpenTelemetry Protocol 1.x): one for the request, and one
 * for each call of the database and of a provider.
 *
 * Spans are collected in memory and sent in batches after the responses. A collector that does not respond costs a request
 * nothing: at most MAX_SPANS are kept, further ones are dropped, and a batch that fails is not sent again.
 */
import { type Config, type TracingConfig, VERSION } from "../config.ts";
import { Batches } from "./batches.ts";
import { describe, logToConsole } from "./log.ts";
import { newSpanId, type Sampler, type Trace } from "./trace.ts";

const INTERVAL_MS = 5_000;
const TIMEOUT_MS = 10_000;
const BATCH_SPANS = 512;
const MAX_SPANS = 2_048;
/** Calls of one request that are recorded. */
export const MAX_CALLS = 128;
/** Between two log lines about spans that were not sent. */
const LOG_INTERVAL_MS = 60_000;

/** SpanKind and StatusCode of the protocol. */
const SERVER = 2;
const CLIENT = 3;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;

/** A call of the request, with its end in milliseconds since 1970. */
export interface CallSpan {
  readonly name: string;
  readonly kind: "database" | "provider";
  readonly endedAt: number;
  readonly ms: number;
  readonly isDone: boolean;
}

export interface RequestSpan {
  readonly trace: Trace;
  readonly method: string;
  /** The template of the route. Undefined if none matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string;
  readonly endedAt: number;
  readonly ms: number;
  readonly calls: readonly CallSpan[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}

/** The rules of OTEL_TRACES_SAMPLER. */
export function samplerOf({ sampler, ratio }: Pick<TracingConfig, "sampler" | "ratio">): Sampler {
  const rule = sampler.replace("parentbased_", "");
  // The last seven bytes of an id are random (W3C Trace Context, level 2). A number holds 52 bits of them.
  const own = (traceId: string) =>
    rule === "always_on" || rule === "traceidratio" && parseInt(traceId.slice(-13), 16) / 2 ** 52 < ratio;
  return rule === sampler ? own : (traceId, parent) => parent ?? own(traceId);
}

export interface SpansOptions {
  readonly config: () => TracingConfig | null;
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  readonly maxSpans?: number;
  readonly log?: (line: Record<string, unknown>) => void;
}

export class Spans {
  #spans: Span[] = [];
  #dropped = 0;
  #loggedAt = -Infinity;
  readonly #batches: Batches;
  readonly #options: SpansOptions;

  constructor(options: SpansOptions) {
    this.#options = options;
    this.#batches = new Batches({ intervalMs: options.intervalMs ?? INTERVAL_MS, write: () => this.#send() });
  }

  /** Records a request that is sampled. */
  add(request: RequestSpan): void {
    const spans = spansOf(request);
    const free = Math.max(0, (this.#options.maxSpans ?? MAX_SPANS) - this.#spans.length);
    this.#spans.push(...spans.slice(0, free));
    this.#dropped += Math.max(0, spans.length - free);
    this.#batches.added(this.#spans.length >= BATCH_SPANS);
  }

  async #send(): Promise<boolean> {
    const batch = this.#spans.splice(0, BATCH_SPANS);
    const config = this.#options.config();
    if (config === null) return false;
    try {
      const response = await fetch(`${config.endpoint}/v1/traces`, {
        method: "POST",
        headers: { ...config.headers, "content-type": "application/json" },
        body: JSON.stringify(exportOf(batch, config.serviceName)),
        signal: AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The collector responded with ${response.status}`);
    } catch (failure) {
      this.#dropped += batch.length;
      this.#logDropped(failure);
    }
    return this.#spans.length > 0;
  }

  #logDropped(failure: unknown): void {
    if (performance.now() - this.#loggedAt < LOG_INTERVAL_MS) return;
    const log = this.#options.log ?? logToConsole;
    const message = `${this.#dropped} spans were dropped`;
    const line = { level: "warn", time: new Date().toISOString(), message, cause: describe(failure) } as const;
    log(line);
    this.#dropped = 0;
    this.#loggedAt = performance.now();
  }
}

/** The span of the request first, then those of its calls. */
function spansOf({ trace, method, route, status, code, requestId, endedAt, ms, calls }: RequestSpan): Span[] {
  const own: Span = {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(trace.parentId === null ? {} : { parentSpanId: trace.parentId }),
    ...(trace.state === null ? {} : { traceState: trace.state }),
    name: route === undefined ? method : `${method} ${route}`,
    kind: SERVER,
    ...timesOf(endedAt, ms),
    attributes: [
      text("http.request.method", method),
      ...route === undefined ? [] : [text("http.route", route)],
      { key: "http.response.status_code", value: { intValue: String(status) } },
      text("parking.request_id", requestId),
      ...code === undefined ? [] : [text("error.type", code)],
    ],
    // The error of a client is no error of a server (semantic conventions of HTTP).
    status: { code: status >= 500 ? STATUS_ERROR : STATUS_UNSET },
  };
  return [
    own,
    ...calls.map((call): Span => ({
      traceId: trace.traceId,
      spanId: newSpanId(),
      parentSpanId: trace.spanId,
      name: call.name,
      kind: CLIENT,
      ...timesOf(call.endedAt, call.ms),
      attributes: call.kind === "database"
        ? [text("db.system.name", "postgresql"), text("db.operation.name", call.name)]
        : [text("peer.service", call.name.split(".")[0]!)],
      status: { code: call.isDone ? STATUS_UNSET : STATUS_ERROR },
    })),
  ];
}

function text(key: string, value: string): Attribute {
  return { key, value: { stringValue: value } };
}

function timesOf(endedAt: number, ms: number): Pick<Span, "startTimeUnixNano" | "endTimeUnixNano"> {
  return { startTimeUnixNano: nanoseconds(endedAt - ms), endTimeUnixNano: nanoseconds(endedAt) };
}

/** As text: the protocol's JSON has 64-bit numbers as strings. Microseconds are exact in a number. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}000`;
}

/** The body of an ExportTraceServiceRequest. */
function exportOf(spans: readonly Span[], serviceName: string) {
  const resource = { attributes: [text("service.name", serviceName), text("service.version", VERSION)] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "router", version: VERSION }, spans }] }] };
}

/** Spans that are sent to the collector of the settings, if there is one. */
export function spansTo(config: () => Config): Spans {
  return new Spans({ config: () => config().tracing });
}
