// Frames on the wire, in both versions of Phoenix's serializer: version 1 is a JSON object, version 2 a JSON array. Binary
// frames carry broadcasts, which this server rejects: only their head is read.

export type Version = 1 | 2;

export interface Frame {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: unknown;
}

/** The bytes that were received are not a frame. */
export class BadFrame extends Error {}

/** The binary frame by which realtime-js sends a broadcast: kind, six lengths and flags, then join ref, ref and topic. */
const USER_PUSH = 3;
const HEAD_BYTES = 7;
/** How deep lists and objects may nest. Deeper ones overflow the stack when they are written again. */
const MAX_DEPTH = 1_000;

export function decodeText(version: Version, text: string): Frame {
  const value = parse(text);
  const [joinRef, ref, topic, event, payload] = version === 2
    ? Array.isArray(value) ? value : []
    : isObject(value)
    ? [value["join_ref"], value["ref"], value["topic"], value["event"], value["payload"]]
    : [];
  if (typeof topic !== "string" || typeof event !== "string") throw new BadFrame("A frame needs a topic and an event");
  return { joinRef: refOf(joinRef), ref: refOf(ref), topic, event, payload: payload ?? {} };
}

export function decodeBinary(bytes: Uint8Array): Frame {
  const [kind, joinRefLength = 0, refLength = 0, topicLength = 0] = bytes;
  const end = HEAD_BYTES + joinRefLength + refLength + topicLength;
  if (kind !== USER_PUSH || end > bytes.length) throw new BadFrame("The binary frame cannot be read");
  const text = (from: number, length: number) => new TextDecoder().decode(bytes.subarray(from, from + length));
  return {
    joinRef: text(HEAD_BYTES, joinRefLength) || null,
    ref: text(HEAD_BYTES + joinRefLength, refLength) || null,
    topic: text(end - topicLength, topicLength),
    event: "broadcast",
    payload: {},
  };
}

/** `payload` is JSON text, so that it is written once for many receivers. */
export function encode(version: Version, frame: Omit<Frame, "payload">, payload: string): string {
  const [joinRef, ref, topic, event] = [frame.joinRef, frame.ref, frame.topic, frame.event].map((part) =>
    JSON.stringify(part)
  );
  return version === 2
    ? `[${joinRef},${ref},${topic},${event},${payload}]`
    : `{"topic":${topic},"event":${event},"payload":${payload},"ref":${ref}}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Clients send text; old ones may send numbers. */
function refOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

function parse(text: string): unknown {
  if (isTooDeep(text)) throw new BadFrame("The frame is nested too deep");
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new BadFrame("The frame is not JSON");
    throw error;
  }
}

/** Whether JSON nests deeper than MAX_DEPTH. Brackets in strings do not count. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const character = text[at]!;
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
  }
  return depth > MAX_DEPTH;
}
