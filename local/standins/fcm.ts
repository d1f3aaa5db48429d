// Firebase Cloud Messaging, HTTP v1: messages:send, as strict as the original, with answers that can be scripted.
//
//   GET  /control/fcm          what was received: {requests, most_at_once, accepted, devices: {token: messages accepted}}, and
//                              messages: those of the last 10,000 accepted ones whose token begins with ?prefix=
//   POST /control/fcm          {reset?, latency_ms?, revoke_tokens?, rules?: [{token?, prefix?, times?, status, error_code?,
//                              retry_after?, html?}]}: the first rule that matches answers, `times` times for a device
import { z } from "zod";
import type { GoogleAccounts } from "./google.ts";

const SCOPES = [
  "https://www.googleapis.com/auth/firebase.messaging",
  "https://www.googleapis.com/auth/cloud-platform",
];
const MAX_PAYLOAD_BYTES = 4096;
const KEPT_MESSAGES = 10_000;
const RESERVED = /^(from|message_type|google\.|gcm\.notification\.)/;

const Texts = z.record(z.string(), z.string());
const Message = z.strictObject({
  token: z.string().min(1),
  notification: z.strictObject({
    title: z.string().optional(),
    body: z.string().optional(),
    image: z.string().optional(),
  })
    .optional(),
  data: Texts.optional(),
  android: z.strictObject({
    priority: z.enum(["NORMAL", "HIGH", "normal", "high"]).optional(),
    ttl: z.string().regex(/^\d+(\.\d+)?s$/).optional(),
    collapseKey: z.string().optional(),
    notification: z.strictObject({
      channelId: z.string().optional(),
      tag: z.string().optional(),
      sound: z.string().optional(),
      notificationCount: z.int().optional(),
    }).optional(),
  }).optional(),
  apns: z.strictObject({ headers: Texts.optional(), payload: z.record(z.string(), z.unknown()).optional() }).optional(),
  webpush: z.strictObject({ headers: Texts.optional() }).optional(),
});
const SendRequest = z.strictObject({ message: Message, validateOnly: z.boolean().optional() });

const Rule = z.strictObject({
  token: z.string().optional(),
  prefix: z.string().optional(),
  times: z.int().min(1).optional(),
  status: z.int(),
  error_code: z.string().optional(),
  message: z.string().optional(),
  retry_after: z.union([z.int(), z.string()]).optional(),
  html: z.boolean().optional(),
});
const Control = z.strictObject({
  reset: z.boolean().optional(),
  latency_ms: z.int().min(0).optional(),
  revoke_tokens: z.boolean().optional(),
  rules: z.array(Rule).optional(),
});
type Rule = z.output<typeof Rule>;

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

export class Fcm {
  static readonly PROJECT = "stand-in";
  #rules: { readonly rule: Rule; readonly used: Map<string, number> }[] = [];
  #latencyMs = 0;
  #requests = 0;
  #atOnce = 0;
  #mostAtOnce = 0;
  #accepted = new Map<string, number>();
  #messages: z.output<typeof Message>[] = [];

  constructor(readonly accounts: GoogleAccounts) {}

  async control(request: Request): Promise<Response> {
    if (request.method === "GET") {
      const accepted = [...this.#accepted.values()].reduce((sum, count) => sum + count, 0);
      const devices = Object.fromEntries(this.#accepted);
      const prefix = new URL(request.url).searchParams.get("prefix");
      const messages = prefix === null ? [] : this.#messages.filter(({ token }) => token.startsWith(prefix));
      const requests = { requests: this.#requests, most_at_once: this.#mostAtOnce };
      return Response.json({ ...requests, accepted, devices, messages });
    }
    const parsed = Control.safeParse(await request.json().catch(() => null));
    if (request.method !== "POST" || !parsed.success) return new Response(parsed.error?.message, { status: 400 });
    const { reset, latency_ms, revoke_tokens, rules } = parsed.data;
    if (reset) {
      this.#requests = 0;
      this.#mostAtOnce = 0;
      this.#accepted.clear();
      this.#rules = [];
      this.#latencyMs = 0;
      this.#messages = [];
    }
    if (latency_ms !== undefined) this.#latencyMs = latency_ms;
    if (revoke_tokens) this.accounts.revoke();
    if (rules) this.#rules = rules.map((rule) => ({ rule, used: new Map() }));
    return new Response(null, { status: 204 });
  }

  async handle(request: Request, path: string): Promise<Response> {
    this.#requests++;
    this.#mostAtOnce = Math.max(this.#mostAtOnce, ++this.#atOnce);
    try {
      return await this.#answer(request, path);
    } finally {
      this.#atOnce--;
    }
  }

  async #answer(request: Request, path: string): Promise<Response> {
    const body = await request.text();
    if (this.#latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#latencyMs));
    if (request.method !== "POST" || path !== `/v1/projects/${Fcm.PROJECT}/messages:send`) return failure(404);
    const access = this.accounts.accepts(request, SCOPES);
    if (access !== "accepted") return failure(access === "forbidden" ? 403 : 401);
    const parsed = SendRequest.safeParse(parsedJson(body));
    if (!parsed.success) return failure(400, { field: parsed.error.issues[0]?.path.join(".") ?? "message" });
    const { message } = parsed.data;
    if (Object.keys(message.data ?? {}).some((name) => RESERVED.test(name))) {
      return failure(400, { field: "message.data" });
    }
    if (new TextEncoder().encode(body).length > MAX_PAYLOAD_BYTES) return failure(400, { isTooBig: true });
    const scripted = this.#scripted(message.token);
    if (scripted) return scripted;
    this.#accepted.set(message.token, (this.#accepted.get(message.token) ?? 0) + 1);
    this.#messages.push(message);
    if (this.#messages.length > 2 * KEPT_MESSAGES) this.#messages.splice(0, this.#messages.length - KEPT_MESSAGES);
    return Response.json({ name: `projects/${Fcm.PROJECT}/messages/${crypto.randomUUID()}` });
  }

  #scripted(token: string): Response | undefined {
    for (const { rule, used } of this.#rules) {
      if (rule.token !== undefined && rule.token !== token) continue;
      if (rule.prefix !== undefined && !token.startsWith(rule.prefix)) continue;
      const times = used.get(token) ?? 0;
      if (times >= (rule.times ?? Infinity)) continue;
      if (rule.times !== undefined) used.set(token, times + 1);
      return answerOf(rule);
    }
    return undefined;
  }
}

function answerOf({ status, error_code, message, retry_after, html }: Rule): Response {
  const headers: Record<string, string> = retry_after === undefined ? {} : { "retry-after": String(retry_after) };
  if (html) {
    headers["content-type"] = "text/html";
    return new Response("<html><title>502 Bad Gateway</title></html>", { status, headers });
  }
  const field = status === 400 && error_code === "INVALID_ARGUMENT" && message === undefined
    ? "message.token"
    : undefined;
  return failure(status, {
    headers,
    ...(error_code === undefined ? {} : { errorCode: error_code }),
    ...(message === undefined ? {} : { message }),
    ...(field === undefined ? {} : { field }),
  });
}

interface Failure {
  readonly errorCode?: string;
  readonly message?: string;
  readonly field?: string;
  readonly isTooBig?: boolean;
  readonly headers?: Record<string, string>;
}

function failure(status: number, { errorCode, message, field, isTooBig, headers = {} }: Failure = {}): Response {
  const code = errorCode ?? (status === 400 && field !== undefined && !isTooBig ? "INVALID_ARGUMENT" : undefined);
  const details = [
    ...(code === undefined
      ? []
      : [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode: code }]),
    ...(field === undefined ? [] : [{
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field, description: "Invalid value" }],
    }]),
  ];
  const text = message ?? (status === 404 ? "Requested entity was not found." : "The request is not valid.");
  const body = { error: { code: status, message: text, status: STATUS_NAMES[status] ?? "UNKNOWN", details } };
  return Response.json(body, { status, headers });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
