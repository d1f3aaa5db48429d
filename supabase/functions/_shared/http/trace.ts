/** W3C Trace Context (https://www.w3.org/TR/trace-context/). The client's trace is passed on to the database. */

export interface Trace {
  readonly traceId: string;
  /** The span id of this request, which is the parent of its calls. */
  readonly spanId: string;
  readonly flags: string;
  /** The client's `tracestate`, if any. */
  readonly state: string | null;
}

/** Version 00 has four fields; later versions may append more. */
const TRACEPARENT =
  /^(?!ff)(?:00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})|(?!00)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?)$/;
const MAX_STATE_LENGTH = 512;

/** The trace of a request. A new, unsampled one if `traceparent` is missing or invalid. */
export function readTrace(headers: Headers): Trace {
  const found = TRACEPARENT.exec(headers.get("traceparent")?.trim() ?? "");
  const [traceId, parentId, flags] = [found?.[1] ?? found?.[4], found?.[2] ?? found?.[5], found?.[3] ?? found?.[6]];
  const spanId = randomHex(8);
  if (traceId === undefined || isZero(traceId) || isZero(parentId!)) {
    return { traceId: randomHex(16), spanId, flags: "00", state: null };
  }
  const state = headers.get("tracestate");
  return { traceId, spanId, flags: flags!, state: state && state.length <= MAX_STATE_LENGTH ? state : null };
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
