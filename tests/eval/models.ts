// The models of the AI gateway on the same sentences, one model at a time, as a search in words would ask them.
import { callModels } from "../../supabase/functions/_shared/ai_search/models.ts";
import { convertModelAnswer } from "../../supabase/functions/_shared/ai_search/model_answer.ts";
import { parseText } from "../../supabase/functions/_shared/ai_search/rules/parse.ts";
import type { AiConfig } from "../../supabase/functions/_shared/provider_settings.ts";
import type { AiGateway } from "../../supabase/functions/_shared/providers/ai_gateway.ts";
import { FIELDS, optionsOf, type Outcome, score, type Sentence } from "./score.ts";

export interface ModelRun {
  readonly model: string;
  /** Of the sentences that the model answered; the others are in `failures`, by what the model did. */
  readonly outcomes: readonly Outcome[];
  readonly failures: Readonly<Record<string, number>>;
  /** Null: the price of the model is not known. */
  readonly cost: number | null;
}

/** A model leaves open what it likes, and says so in its own words: these are not compared. */
const COMPARED = FIELDS.filter((field) => field !== "unresolved");

export async function evaluateModel(
  gateway: AiGateway,
  settings: AiConfig,
  model: string,
  sentences: readonly Sentence[],
): Promise<ModelRun> {
  const outcomes: Outcome[] = [];
  const failures: Record<string, number> = {};
  let cost: number | null = 0;
  for (const sentence of sentences) {
    const options = optionsOf(sentence);
    const asked = { ...options, text: sentence.text, lang: sentence.locale, context: options.context };
    const consulted = await callModels(gateway, { ...settings, models: [model] }, asked, {});
    const [attempt] = consulted.attempts;
    cost = cost === null || consulted.cost === null ? null : cost + consulted.cost;
    const rules = parseText(sentence.text, options);
    const answer = consulted.answer && convertModelAnswer(consulted.answer, sentence.text, rules, options);
    if (answer) outcomes.push(score(sentence, answer, attempt!.latency_ms, COMPARED));
    else {
      const failure = consulted.answer ? "no search" : attempt?.outcome ?? "no time";
      failures[failure] = (failures[failure] ?? 0) + 1;
    }
  }
  return { model, outcomes, failures, cost };
}
