// The evaluation of models: each model by itself, on the sentences that the rules parser is scored with.
import assert from "node:assert/strict";
import { evaluateModel } from "../eval/models.ts";
import { NOTHING_FOUND } from "../support/ai.ts";
import { readSentences } from "../eval/score.ts";
import { AiModels } from "../../local/standins/ai_gateway.ts";
import { readProviderSettings } from "../../supabase/functions/_shared/provider_settings.ts";
import { gatewayOf } from "../../supabase/functions/_shared/providers/ai_gateway.ts";

const models = new AiModels();
const closing = new AbortController();
const server = Deno.serve(
  { signal: closing.signal, hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request) => models.handle(request, new URL(request.url).pathname),
);

const settings = readProviderSettings((name) =>
  ({
    AI_GATEWAY_URL: `http://127.0.0.1:${server.addr.port}`,
    AI_GATEWAY_KEY: "key",
    AI_MODELS: "right/model,silent/model",
    AI_PRICES: '{"currency": "USD", "right/model": {"input": 1000, "output": 1000}}',
  })[name]
).aiSearch;

/** A sentence whose answer has times and a price. */
const [sentence] = readSentences("sentences.jsonl").filter(({ expected }) =>
  expected.entry_at && expected.exit_at && expected.max_price && expected.place && expected.filters &&
  !expected.vehicle &&
  !expected.radius_m && !expected.sort
);

async function script(model: string, answer: Record<string, unknown>): Promise<void> {
  const control = new Request("http://control", {
    method: "POST",
    body: JSON.stringify({ models: { [model]: [answer] } }),
  });
  assert.equal((await models.control(control)).status, 204);
}

function rightAnswer(): string {
  const { place, entry_at, exit_at, max_price, filters } = sentence!.expected;
  return JSON.stringify({
    ...NOTHING_FOUND,
    place,
    entry_at: entry_at!.slice(0, 16),
    exit_at: exit_at!.slice(0, 16),
    max_price,
    attributes: filters,
  });
}

Deno.test("eval: a model's right answer is right in every field, and its cost is summed", async () => {
  await script("right/model", { content: rightAnswer(), usage: { prompt_tokens: 1000, completion_tokens: 1000 } });
  const { outcomes, failures, cost } = await evaluateModel(gatewayOf(settings), settings.gateway!, "right/model", [
    sentence!,
    sentence!,
  ]);
  assert.deepEqual(outcomes.map(({ wrong }) => wrong), [[], []]);
  assert.deepEqual([failures, cost], [{}, 4]);
});

Deno.test("eval: a wrong field of a model is named, and a model that does not respond is counted", async () => {
  await script("right/model", {
    content: rightAnswer().replace('"max_price":', '"max_price":1').replace('"sort":null', '"sort":"price"'),
  });
  const wrong = await evaluateModel(gatewayOf(settings), settings.gateway!, "right/model", [sentence!]);
  assert.deepEqual(wrong.outcomes[0]!.wrong.map(({ field }) => field), ["sort"], "the price is that of the text");
  await script("silent/model", { status: 500 });
  const silent = await evaluateModel(gatewayOf(settings), settings.gateway!, "silent/model", [sentence!]);
  assert.deepEqual([silent.outcomes, silent.failures], [[], { failed: 1 }]);
});

Deno.test.afterAll(() => closing.abort());
