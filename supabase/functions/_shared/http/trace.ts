/** W3C Trace Context (https://www.w3.org/TR/trace-context/). The client's trace is passed on to the database. */

export interface Trace {
  readonly traceId: string;
  /** The span id of this request, which is the parent of its calls. */
  readonly spanId: string;
  /** The client's span, which is the parent of this request. Null if the trace begins here. */
  readonly parentId: string | null;
  readonly flags: string;
  /** The client's `tracestate`, if any. */
  readonly state: string | null;
}

/** Version 00 has four fields; later versions may append more. */
const TRACEPARENT =
  /^(?!ff)(?:00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})|(?!00)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?)$/;
const MAX_STATE_LENGTH = 512;

/** Decides whether a trace is recorded. `parent` is the client's decision, null without one. */
export type Sampler = (traceId: string, parent: boolean | null) => boolean;

const SAMPLED = 1;

/** The trace of a request, a new one if `traceparent` is missing or invalid. Without a sampler a new trace is not sampled. */
export function readTrace(headers: Headers, sampler?: Sampler): Trace {
  const found = TRACEPARENT.exec(headers.get("traceparent")?.trim() ?? "");
  const [traceId, parentId, flags] = [found?.[1] ?? found?.[4], found?.[2] ?? found?.[5], found?.[3] ?? found?.[6]];
  const spanId = newSpanId();
  if (traceId === undefined || isZero(traceId) || isZero(parentId!)) {
    const traceId = randomHex(16);
    return { traceId, spanId, parentId: null, flags: sampler?.(traceId, null) ? "01" : "00", state: null };
  }
  const bits = parseInt(flags!, 16);
  const parent = (bits & SAMPLED) !== 0;
  const decided = sampler?.(traceId, parent) ?? parent ? bits | SAMPLED : bits & ~SAMPLED;
  const state = headers.get("tracestate");
  return {
    traceId,
    spanId,
    parentId: parentId!,
    flags: decided.toString(16).padStart(2, "0"),
    state: state && state.length <= MAX_STATE_LENGTH ? state : null,
  };
}

export function isSampledTrace({ flags }: Trace): boolean {
  return (parseInt(flags, 16) & SAMPLED) !== 0;
}

export function newSpanId(): string {
  return randomHex(8);
}

/** The headers of a trace for outgoing requests. */
export function traceHeaders({ traceId, spanId, flags, state }: Trace): Record<string, string> {
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...state === null ? {} : { tracestate: state } };
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
