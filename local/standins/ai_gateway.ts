// An AI gateway that is compatible with OpenAI's chat completions. It knows no language: what each model answers is scripted.
//
//   GET  /control/ai           what was received: {requests: [{model, authorization, headers, body}]}, the last 200
//   POST /control/ai           {reset?, models?: {model: [answer, …]}}: each request takes the next answer of its model, the
//                              last one stays. An answer: {content?, refusal?, finish_reason?, usage?} for 200, or {status,
//                              body?, headers?, html?}, {hang: true}, {close: true} (in the middle), each with delay_ms?
import { z } from "zod";

const Answer = z.strictObject({
  content: z.string().nullable().optional(),
  refusal: z.string().optional(),
  finish_reason: z.string().optional(),
  usage: z.strictObject({ prompt_tokens: z.int(), completion_tokens: z.int() }).optional(),
  status: z.int().min(200).max(599).optional(),
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  html: z.boolean().optional(),
  hang: z.boolean().optional(),
  close: z.boolean().optional(),
  delay_ms: z.int().min(0).optional(),
});
type Answer = z.output<typeof Answer>;

const Control = z.strictObject({
  reset: z.boolean().optional(),
  models: z.record(z.string(), z.array(Answer).min(1)).optional(),
});

const Question = z.object({
  model: z.string().min(1),
  messages: z.array(z.strictObject({ role: z.enum(["system", "user", "assistant"]), content: z.string() })).min(1),
  response_format: z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
      strict: z.literal(true),
      schema: z.record(z.string(), z.unknown()),
    }),
  }),
});

interface Received {
  readonly model: string;
  readonly authorization: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const MAX_KEPT = 200;
/** Longer than any client waits. */
const HANG_MS = 30_000;

export class AiModels {
  static readonly MODELS = ["first/model", "second/model", "third/model"];
  static readonly KEY = "stand-in-ai-key";
  #answers = new Map<string, Answer[]>();
  #received: Received[] = [];

  async control(request: Request): Promise<Response> {
    if (request.method === "GET") return Response.json({ requests: this.#received });
    const parsed = Control.safeParse(await request.json().catch(() => null));
    if (request.method !== "POST" || !parsed.success) return new Response(parsed.error?.message, { status: 400 });
    if (parsed.data.reset) {
      this.#received = [];
      this.#answers.clear();
    }
    for (const [model, answers] of Object.entries(parsed.data.models ?? {})) this.#answers.set(model, [...answers]);
    return new Response(null, { status: 204 });
  }

  async handle(request: Request, path: string): Promise<Response> {
    const authorization = request.headers.get("authorization");
    const body = await request.json().catch(() => null);
    if (request.method !== "POST" || path !== "/chat/completions") return failure(404, "Not found");
    if (!authorization?.startsWith("Bearer ")) return failure(401, "No API key was provided");
    const question = Question.safeParse(body);
    if (!question.success) return failure(400, question.error.message);
    const { model } = question.data;
    this.#received = [...this.#received, { model, authorization, headers: Object.fromEntries(request.headers), body }]
      .slice(-MAX_KEPT);
    const answers = this.#answers.get(model);
    const answer = answers && answers.length > 1 ? answers.shift() : answers?.[0];
    if (!answer) return failure(404, `The model ${model} does not exist`);
    return await replyWith(answer, model, request.signal);
  }
}

async function replyWith(answer: Answer, model: string, signal: AbortSignal): Promise<Response> {
  if (answer.hang) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, HANG_MS);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve(undefined);
      });
    });
    return new Response(null, { status: 499 });
  }
  if (answer.delay_ms) await new Promise((resolve) => setTimeout(resolve, answer.delay_ms));
  if (answer.html) {
    return new Response("<html>Bad gateway</html>", {
      status: answer.status ?? 502,
      headers: { "content-type": "text/html" },
    });
  }
  if (answer.body !== undefined) {
    return Response.json(answer.body, { status: answer.status ?? 200, headers: answer.headers ?? {} });
  }
  if (answer.status !== undefined && answer.status !== 200) return failure(answer.status, "Scripted", answer.headers);
  const { content = null, refusal = null, finish_reason = "stop" } = answer;
  const { prompt_tokens, completion_tokens } = answer.usage ?? { prompt_tokens: 100, completion_tokens: 50 };
  const text = JSON.stringify({
    id: `chatcmpl-${crypto.randomUUID()}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, finish_reason, message: { role: "assistant", content, refusal } }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  });
  if (!answer.close) return new Response(text, { headers: { "content-type": "application/json" } });
  const half = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2)));
      controller.error(new Error("closed in the middle"));
    },
  });
  return new Response(half, { headers: { "content-type": "application/json" } });
}

function failure(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { message, type: "invalid_request_error", param: null, code: null } }, {
    status,
    headers,
  });
}
