// Broadcasts over HTTP: many messages in one JSON body, or one message at an address of its own.
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Shared } from "./connection.ts";
import { BadFrame, isObject, parse, UserBroadcast } from "./serializer.ts";
import { type Bearer, TokenRejected } from "./tokens.ts";
import type { Broadcast } from "./topics.ts";

export interface Answer {
  readonly status: number;
  /** None for an empty body. */
  readonly body?: unknown;
}

interface Message {
  readonly topic: string;
  readonly isPrivate: boolean;
  readonly broadcast: Broadcast;
}

const BATCH = "/api/broadcast";
const SINGLE = /^\/api\/broadcast\/([^/]+)\/events\/([^/]+)$/;

/** Undefined when the path is not one of these. */
export async function answerBroadcast(shared: Shared, request: IncomingMessage): Promise<Answer | undefined> {
  const url = new URL(request.url ?? "/", "http://realtime");
  const single = url.pathname.match(SINGLE);
  if (single === null && url.pathname !== BATCH) return undefined;
  if (request.method !== "POST") return { status: 405 };
  const bearer = await identify(shared, request);
  if (bearer === undefined) return { status: 401, body: { message: "Unauthorized" } };
  const body = await bodyOf(request, shared.limits.frame);
  if (body === undefined) return { status: 413, body: { message: "Payload size exceeds tenant limit" } };
  const messages = single === null ? readBatch(body) : readSingle(url, single, request, body);
  if (typeof messages === "string") return { status: 422, body: { errors: { messages: [messages] } } };
  if (messages.some(({ broadcast }) => sizeOf(broadcast) > shared.limits.broadcast)) {
    return { status: 422, body: { errors: { messages: ["Payload size exceeds tenant limit"] } } };
  }
  for (const message of messages) await send(shared, bearer, message);
  return { status: 202 };
}

async function send({ topics, feed }: Shared, bearer: Bearer, message: Message): Promise<void> {
  const { topic, isPrivate, broadcast } = message;
  // Without the right to write it is accepted and goes nowhere, as hosted.
  if (isPrivate && !(await feed.authorize(topic, bearer)).write) return;
  topics.find(`realtime:${topic}`, isPrivate)?.broadcast(broadcast);
}

async function identify({ tokens }: Shared, { headers }: IncomingMessage): Promise<Bearer | undefined> {
  const token = headers.authorization?.match(/^Bearer\s+(\S+)$/i)?.[1] ?? headers["apikey"];
  if (typeof token !== "string") return undefined;
  try {
    return await tokens.verify(token);
  } catch (error) {
    if (error instanceof TokenRejected) return undefined;
    throw error;
  }
}

async function bodyOf(request: IncomingMessage, largest: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > largest) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The messages, or what is wrong with them. */
function readBatch(body: Buffer): Message[] | string {
  const value = read(body);
  const messages = isObject(value) ? value["messages"] : undefined;
  if (!Array.isArray(messages)) return "can't be blank";
  const found: Message[] = [];
  for (const message of messages) {
    const { topic, event, payload, private: isPrivate } = isObject(message) ? message : {};
    if (typeof topic !== "string" || topic === "" || typeof event !== "string" || event === "") {
      return "topic and event can't be blank";
    }
    if (!isObject(payload)) return "payload is invalid";
    found.push({ topic, isPrivate: isPrivate === true, broadcast: { type: "broadcast", event, payload } });
  }
  return found;
}

function readSingle(url: URL, names: RegExpMatchArray, request: IncomingMessage, body: Buffer): Message[] | string {
  const isJson = !request.headers["content-type"]?.startsWith("application/octet-stream");
  const isPrivate = url.searchParams.get("private") === "true";
  try {
    const [, topic = "", event = ""] = names.map(decodeURIComponent);
    return [{ topic, isPrivate, broadcast: new UserBroadcast(event, isJson, body) }];
  } catch (error) {
    if (error instanceof URIError || error instanceof BadFrame) return "is invalid";
    throw error;
  }
}

function sizeOf(broadcast: Broadcast): number {
  return broadcast instanceof UserBroadcast ? broadcast.bytes.length : JSON.stringify(broadcast).length;
}

/** Undefined for what is no JSON, or too deep. */
function read(body: Buffer): unknown {
  try {
    return parse(body.toString());
  } catch (error) {
    if (error instanceof BadFrame) return undefined;
    throw error;
  }
}
