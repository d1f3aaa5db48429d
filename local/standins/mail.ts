// A mail service with Resend's POST /emails, as strict as the original, with answers that can be scripted.
//
//   GET  /control/mail[?to=]    what was received: {requests, mails: the last thousand accepted, with how often each was sent}
//   POST /control/mail          {reset?, latency_ms?, rules?: [{to?, prefix?, times?, status, name?, retry_after?, html?, drop?}]}:
//                               the first rule that matches answers, `times` times for an address; drop: the mail is accepted,
//                               and the connection ends without an answer
import { z } from "zod";

const Address = z.string().regex(/^([^<>]+<[^@\s<>]+@[^@\s<>]+>|[^@\s<>]+@[^@\s<>]+)$/);
const SendRequest = z.strictObject({
  from: Address,
  to: z.union([Address, z.array(Address).min(1).max(50)]),
  subject: z.string().min(1).regex(/^[^\r\n]*$/),
  text: z.string().optional(),
  html: z.string().optional(),
}).refine(({ text, html }) => text !== undefined || html !== undefined, { path: ["html"] });

const Rule = z.strictObject({
  to: z.string().optional(),
  prefix: z.string().optional(),
  times: z.int().min(1).optional(),
  status: z.int().default(200),
  name: z.string().optional(),
  retry_after: z.union([z.int(), z.string()]).optional(),
  html: z.boolean().optional(),
  drop: z.boolean().optional(),
});
const Control = z.strictObject({
  reset: z.boolean().optional(),
  latency_ms: z.int().min(0).optional(),
  rules: z.array(Rule).optional(),
});
type Rule = z.output<typeof Rule>;

export interface ReceivedMail {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly idempotency_key: string | null;
  /** Requests with its key: only the first one is a mail. */
  times: number;
}

const KEPT = 1000;

export class MailService {
  static readonly FROM = "Parking <notifications@stand-in.example>";
  readonly key = `re_${crypto.randomUUID().replaceAll("-", "")}`;
  #rules: { readonly rule: Rule; readonly used: Map<string, number> }[] = [];
  #latencyMs = 0;
  #requests = 0;
  #mails: ReceivedMail[] = [];
  /** What was sent with each key. */
  #keys = new Map<string, { readonly body: string; readonly mail: ReceivedMail }>();

  /** `onMail`: receives each mail that is accepted. */
  constructor(readonly onMail: (mail: ReceivedMail) => void) {}

  async control(request: Request): Promise<Response> {
    if (request.method === "GET") {
      const to = new URL(request.url).searchParams.get("to");
      const mails = this.#mails.filter((mail) => to === null || mail.to === to);
      return Response.json({ requests: this.#requests, mails });
    }
    const parsed = Control.safeParse(await request.json().catch(() => null));
    if (request.method !== "POST" || !parsed.success) return new Response(parsed.error?.message, { status: 400 });
    const { reset, latency_ms, rules } = parsed.data;
    if (reset) {
      this.#requests = 0;
      this.#mails = [];
      this.#keys.clear();
      this.#rules = [];
      this.#latencyMs = 0;
    }
    if (latency_ms !== undefined) this.#latencyMs = latency_ms;
    if (rules) this.#rules = rules.map((rule) => ({ rule, used: new Map() }));
    return new Response(null, { status: 204 });
  }

  async handle(request: Request, path: string): Promise<Response> {
    this.#requests++;
    const body = await request.text();
    if (this.#latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#latencyMs));
    if (path !== "/emails") return failure(404, "not_found");
    if (request.method !== "POST") return failure(405, "method_not_allowed");
    const authorization = request.headers.get("authorization");
    if (authorization === null) return failure(401, "missing_api_key");
    if (authorization !== `Bearer ${this.key}`) return failure(403, "invalid_api_key");
    const key = request.headers.get("idempotency-key");
    if (key !== null && (key.length < 1 || key.length > 256)) return failure(400, "invalid_idempotency_key");
    const parsed = SendRequest.safeParse(parsedJson(body));
    if (!parsed.success) {
      const field = parsed.error.issues[0]?.path[0];
      return failure(422, field === "from" ? "invalid_from_address" : "validation_error", `\`${String(field)}\``);
    }
    const to = [parsed.data.to].flat().join(", ");
    const rule = this.#scripted(to);
    if (rule !== undefined && !rule.drop) return answerOf(rule);
    const response = this.#accept(body, { ...parsed.data, to }, key);
    return rule?.drop ? brokenOff() : response;
  }

  #accept(body: string, data: Omit<z.output<typeof SendRequest>, "to"> & { to: string }, key: string | null): Response {
    const known = key === null ? undefined : this.#keys.get(key);
    if (known !== undefined) {
      known.mail.times++;
      return known.body === body ? Response.json({ id: known.mail.id }) : failure(409, "invalid_idempotent_request");
    }
    const { text = "", html = "" } = data;
    const mail = { ...data, text, html, id: crypto.randomUUID(), idempotency_key: key, times: 1 };
    this.#mails.push(mail);
    if (this.#mails.length > KEPT) this.#mails.shift();
    if (key !== null) this.#keys.set(key, { body, mail });
    this.onMail(mail);
    return Response.json({ id: mail.id });
  }

  #scripted(to: string): Rule | undefined {
    for (const { rule, used } of this.#rules) {
      if (rule.to !== undefined && rule.to !== to) continue;
      if (rule.prefix !== undefined && !to.startsWith(rule.prefix)) continue;
      const times = used.get(to) ?? 0;
      if (times >= (rule.times ?? Infinity)) continue;
      if (rule.times !== undefined) used.set(to, times + 1);
      return rule;
    }
    return undefined;
  }
}

function answerOf({ status, name, retry_after, html }: Rule): Response {
  const headers: Record<string, string> = retry_after === undefined ? {} : { "retry-after": String(retry_after) };
  if (!html) return failure(status, name ?? "application_error", undefined, headers);
  return new Response("<html><title>502 Bad Gateway</title></html>", {
    status,
    headers: { ...headers, "content-type": "text/html" },
  });
}

function failure(status: number, name: string, detail = name, headers: Record<string, string> = {}): Response {
  const message = `The request is not accepted: ${detail}.`;
  return Response.json({ statusCode: status, name, message }, { status, headers });
}

/** A response whose body ends with an error: to its reader the connection was lost. */
function brokenOff(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error(new Error("dropped")) }));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
