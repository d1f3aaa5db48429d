/** Calls the models one after another, until one returns an answer that follows the schema or the time is up. */
import type { AiConfig } from "../provider_settings.ts";
import type { AiGateway, AiOutcome } from "../providers/ai_gateway.ts";
import { buildPrompt, ModelAnswer } from "./prompt.ts";
import type { PromptContext } from "./prompt.ts";

/** Outcome of a model call. `nonsense`: the answer does not follow the schema, or repeats the prompt. */
export interface Attempt {
  readonly model: string;
  readonly outcome: AiOutcome | "nonsense";
  readonly latency_ms: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

export interface ModelResult {
  /** Null if no model returned a usable answer. */
  readonly answer: ModelAnswer | null;
  readonly model: string | null;
  readonly attempts: readonly Attempt[];
  /** Calculated with the prices of the settings. Null if one of them is unknown. */
  readonly cost: number | null;
}

/** With less time left, no further model is called. */
const MIN_TIME_MS = 300;

/** `keys`: the user's own keys by provider. The provider is the part of the model's name before the slash. */
export async function callModels(
  gateway: AiGateway,
  settings: AiConfig,
  context: PromptContext,
  keys: Readonly<Record<string, string>>,
): Promise<ModelResult> {
  const request = buildPrompt(context);
  const until = performance.now() + settings.budgetMs;
  const attempts: Attempt[] = [];
  for (const model of settings.models) {
    const started = performance.now();
    const left = until - started;
    if (left < MIN_TIME_MS) break;
    const key = keys[model.split("/")[0]!];
    const completion = await gateway.complete(model, request, { timeoutMs: Math.min(settings.timeoutMs, left), key });
    const parsed = completion.content === null ? undefined : parseModelAnswer(completion.content);
    const answer = parsed && !containsPrompt(parsed, request.system) ? parsed : undefined;
    attempts.push({
      model,
      outcome: completion.outcome === "answered" && answer === undefined ? "nonsense" : completion.outcome,
      latency_ms: Math.round(performance.now() - started),
      prompt_tokens: completion.promptTokens,
      completion_tokens: completion.completionTokens,
    });
    if (answer !== undefined) return { answer, model, attempts, cost: costOf(attempts, settings) };
  }
  return { answer: null, model: null, attempts, cost: costOf(attempts, settings) };
}

/** Extracts the JSON from a model's text. Models wrap it in code fences and sentences. */
function parseModelAnswer(content: string): ModelAnswer | undefined {
  for (const text of [content, content.slice(content.indexOf("{"), content.lastIndexOf("}") + 1)]) {
    const parsed = ModelAnswer.safeParse(jsonIn(text));
    if (parsed.success) return parsed.data;
  }
  return undefined;
}

/** A match of this many consecutive characters counts as a leak of the prompt. */
const ECHO_LENGTH = 30;

/** Whether an answer contains part of the prompt. A text can try to make a model reveal it (prompt injection). */
function containsPrompt({ place, assumptions }: ModelAnswer, prompt: string): boolean {
  return [place ?? "", ...assumptions.flatMap(({ text, reason }) => [text, reason])].some((words) => {
    for (let start = 0; start + ECHO_LENGTH <= words.length; start++) {
      if (prompt.includes(words.slice(start, start + ECHO_LENGTH))) return true;
    }
    return false;
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function costOf(attempts: readonly Attempt[], { prices }: AiConfig): number | null {
  let cost = 0;
  for (const { model, prompt_tokens, completion_tokens } of attempts) {
    const price = prices?.models[model];
    if (price === undefined) {
      if (prompt_tokens + completion_tokens > 0) return null;
      continue;
    }
    cost += (prompt_tokens * price.input + completion_tokens * price.output) / 1_000_000;
  }
  return prices === null ? null : cost;
}
