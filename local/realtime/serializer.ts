// Frames on the wire, in both versions of Phoenix's serializer. Version 1 is a JSON object a frame; version 2 is a JSON
// array, or bytes: realtime-js sends every broadcast as a frame of kind 3 and reads broadcasts as frames of kind 4.
import { Buffer } from "node:buffer";

export type Version = 1 | 2;

export interface Frame {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: unknown;
}

/** The payload of a broadcast in a binary frame: what the user sent, not yet looked at. */
export class UserBroadcast {
  constructor(readonly event: string, readonly isJson: boolean, readonly bytes: Uint8Array) {
    if (isJson) parse(textOf(bytes)); // the other members are not to stumble over it
  }

  /** As the payload of a text frame; undefined for bytes, which text frames cannot carry. */
  get message(): Record<string, unknown> | undefined {
    if (!this.isJson) return undefined;
    return { type: "broadcast", event: this.event, payload: parse(textOf(this.bytes)) };
  }
}

/** What was received is no frame. */
export class BadFrame extends Error {}

const PUSH = 0;
const USER_PUSH = 3;
const USER_BROADCAST = 4;
const LONGEST_NAME = 255;
/** Lists and objects within each other. What is read has to be written again, and deeper ones end the process. */
const MAX_DEPTH = 1_000;

export function decodeText(version: Version, text: string): Frame {
  const value = parse(text);
  const [joinRef, ref, topic, event, payload] = version === 2
    ? Array.isArray(value) ? value : []
    : isObject(value)
    ? [value["join_ref"], value["ref"], value["topic"], value["event"], value["payload"]]
    : [];
  if (typeof topic !== "string" || typeof event !== "string") throw new BadFrame("A frame names its topic and event");
  return { joinRef: refOf(joinRef), ref: refOf(ref), topic, event, payload: payload ?? {} };
}

export function decodeBinary(bytes: Uint8Array): Frame {
  const kind = bytes[0];
  if (kind !== PUSH && kind !== USER_PUSH) throw new BadFrame(`A frame of kind ${kind} is not for servers`);
  const names = kind === PUSH ? 4 : 5;
  let offset = 1 + names + (kind === PUSH ? 0 : 1);
  const texts = Array.from({ length: names }, (_, index) => {
    const end = offset + (bytes[1 + index] ?? 0);
    const text = textOf(bytes.subarray(offset, end));
    offset = end;
    return text;
  });
  if (offset > bytes.length) throw new BadFrame("The frame ends before its payload");
  const [joinRef, ref, topic, event] = texts as [string, string, string, string];
  const rest = bytes.subarray(offset);
  const head = { joinRef: joinRef || null, ref: ref || null, topic };
  if (kind === PUSH) return { ...head, event, payload: rest };
  return { ...head, event: "broadcast", payload: new UserBroadcast(event, bytes[1 + names] === 1, rest) };
}

/** `payload` is JSON text, so that what goes to many is made once. */
export function encode(version: Version, frame: Omit<Frame, "payload">, payload: string): string {
  const { joinRef, ref, topic, event } = frame;
  return version === 2
    ? `[${json(joinRef)},${json(ref)},${json(topic)},${json(event)},${payload}]`
    : `{"topic":${json(topic)},"event":${json(event)},"payload":${payload},"ref":${json(ref)}}`;
}

/** A broadcast as members of version 2 get it; undefined when its names are too long for a binary frame. */
export function encodeUserBroadcast(topic: string, { event, isJson, bytes }: UserBroadcast): Uint8Array | undefined {
  const [topicBytes, eventBytes] = [Buffer.from(topic), Buffer.from(event)];
  if (topicBytes.length > LONGEST_NAME || eventBytes.length > LONGEST_NAME) return undefined;
  const head = Uint8Array.of(USER_BROADCAST, topicBytes.length, eventBytes.length, 0, isJson ? 1 : 0);
  return Buffer.concat([head, topicBytes, eventBytes, bytes]);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function json(value: string | null): string {
  return JSON.stringify(value);
}

/** Clients send text; old ones may send numbers. */
function refOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** Whether JSON nests deeper than it may. What is within quotes does not count. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (isQuoted) {
      if (character === "\\") at++;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === "[" || character === "{") {
      if (++depth > MAX_DEPTH) return true;
    } else if (character === "]" || character === "}") depth--;
  }
  return false;
}

/** The value of JSON that a client sent. */
export function parse(text: string): unknown {
  if (isTooDeep(text)) throw new BadFrame("The frame is nested too deep");
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new BadFrame("The frame is no JSON");
    throw error;
  }
}
