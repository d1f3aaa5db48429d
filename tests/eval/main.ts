// deno task eval [--failures] [--file unseen.jsonl | places | tariffs | ./a/path.jsonl] [--models]
// Runs the rules parser over the sentences of this folder and over names of places, and prints how many fields and sentences are right, how well
// the confidence says so, and how long a sentence takes; with --models the same of each model of the settings AI_… of the
// environment, with what it cost. tests/ai_search/evaluation.test.ts fails when a sentence that
// was right no longer is.
import { parseArgs } from "node:util";
import { readProviderSettings } from "../../supabase/functions/_shared/provider_settings.ts";
import { gatewayOf } from "../../supabase/functions/_shared/providers/ai_gateway.ts";
import { evaluateModel } from "./models.ts";
import { printTariffs } from "./tariffs.ts";
import { CERTAIN, evaluate, type Outcome, PLACE_NAMES, readSentences, type Sentence, summarise } from "./score.ts";

const { values } = parseArgs({
  options: {
    failures: { type: "boolean", default: false },
    models: { type: "boolean", default: false },
    file: { type: "string", multiple: true },
  },
});
const files = values.file ?? ["sentences.jsonl", "unseen.jsonl", PLACE_NAMES];

const percent = (part: number, whole: number) => whole === 0 ? "-" : `${(100 * part / whole).toFixed(1)} %`;
const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(2);

for (const file of files) {
  // Texts of tariffs: the grammar's score on tests/cases/tariff_text.json, or on a file of that form.
  if (file === "tariffs" || file.endsWith(".json")) {
    printTariffs(file === "tariffs" ? "tariff_text.json" : file, values);
    continue;
  }
  const sentences = readSentences(file);
  print(`${file}, rules`, byRules(sentences));
  if (values.models) await printModels(file, sentences);
}

/** Patterns are compiled when they are first used, and the machine has other work: the best of five passes counts. */
function byRules(sentences: readonly Sentence[]): Outcome[] {
  const passes = Array.from({ length: 5 }, () => sentences.map(evaluate));
  return passes[0]!.map((outcome, index) => ({
    ...outcome,
    ms: Math.min(...passes.map((pass) => pass[index]!.ms)),
  }));
}

async function printModels(file: string, sentences: readonly Sentence[]): Promise<void> {
  const { aiSearch } = readProviderSettings((name) => Deno.env.get(name));
  const settings = aiSearch.gateway;
  if (settings === null) {
    console.error("AI_GATEWAY_URL and AI_MODELS are not set: no model is called.");
    Deno.exit(1);
  }
  const gateway = gatewayOf(aiSearch);
  for (const model of settings.models) {
    const { outcomes, failures, cost } = await evaluateModel(gateway, settings, model, sentences);
    print(`${file}, ${model}`, outcomes);
    console.log(
      `  not answered: ${Object.entries(failures).map(([what, times]) => `${what} ${times}`).join(", ") || "none"}`,
    );
    console.log(`  cost: ${cost === null ? "not known" : `${cost.toFixed(4)} ${settings.prices!.currency}`}`);
  }
}

function print(title: string, outcomes: readonly Outcome[]): void {
  const summary = summarise(outcomes);
  console.log(`\n${title}: ${summary.sentences} sentences`);
  console.log(`  whole sentences right  ${summary.exact}  ${percent(summary.exact, summary.sentences)}`);
  console.log(
    `  fields right           ${summary.fieldsRight} of ${summary.fields}  ${
      percent(summary.fieldsRight, summary.fields)
    }`,
  );
  for (const locale of ["ja", "en"]) {
    const own = summarise(outcomes.filter(({ sentence }) => sentence.locale === locale));
    console.log(
      `  ${locale}: sentences ${percent(own.exact, own.sentences)}, fields ${percent(own.fieldsRight, own.fields)}`,
    );
  }
  console.log("  field          right / compared");
  for (const { field, compared, right } of summary.byField) {
    console.log(`    ${field.padEnd(14)} ${String(right).padStart(4)} / ${compared}`);
  }
  printCalibration(outcomes);
  console.log(`  wrong number at a confidence of ${CERTAIN} or more: ${summary.certainAndWrong.join(" ") || "none"}`);
  const times = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b);
  if (times.length > 0) console.log(`  latency in ms: p50 ${quantile(times, 0.5)}, p95 ${quantile(times, 0.95)}`);
  if (values.failures) printFailures(outcomes);
}

/** Of the answers with a confidence in each bucket, how many are right: in every field, and in every number. */
function printCalibration(outcomes: readonly Outcome[]): void {
  console.log("  confidence   sentences   all right   numbers right");
  for (const [from, to] of [[0, 0.5], [0.5, 0.7], [0.7, 0.8], [0.8, 0.9], [0.9, 1.01]] as const) {
    const bucket = outcomes.filter(({ answer }) => answer.confidence >= from && answer.confidence < to);
    const right = bucket.filter(({ wrong }) => wrong.length === 0).length;
    const numbers = bucket.filter((outcome) => summarise([outcome]).numbersWrong.length === 0).length;
    console.log(
      `    ${from.toFixed(1)}-${Math.min(to, 1).toFixed(1)}    ${String(bucket.length).padStart(6)}      ${
        percent(right, bucket.length).padStart(8)
      }    ${percent(numbers, bucket.length).padStart(8)}`,
    );
  }
}

function printFailures(outcomes: readonly Outcome[]): void {
  for (const { sentence, answer, wrong } of outcomes.filter(({ wrong }) => wrong.length > 0)) {
    console.log(`\n  ${sentence.id} (${answer.confidence}) ${sentence.text}`);
    for (const { field, expected, actual } of wrong) {
      console.log(`    ${field}: expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`);
    }
  }
}
