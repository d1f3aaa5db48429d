// What a search in words costs without models and geocoder: the parser with the lookup of the place, and 1,000 searches of
// guests a minute over HTTP. Loads the places if they are not there.
// deno run -A tests/bench/sentences.ts   (needs API_URL, DB_URL and PUBLISHABLE_KEY; `deno task bench` sets them)
import postgres from "postgres";
import { parseText, settlePlace } from "../../supabase/functions/_shared/ai_search/rules/index.ts";
import { optionsOf, readSentences } from "../eval/score.ts";
import { loadPlaces } from "../../tools/places/load.ts";
import { ms, percentile, type Subject, table } from "./measure.ts";

const A_MINUTE = 1000;

const { DB_URL, API_URL, PUBLISHABLE_KEY } = Deno.env.toObject();
if (!DB_URL || !API_URL || !PUBLISHABLE_KEY) throw new Error("No platform is named: run `deno task bench`");

const all = ["sentences.jsonl", "unseen.jsonl", "ordinary.jsonl", "odd.jsonl", "places"].flatMap(readSentences)
  .filter(({ context }) => context === undefined);
const sentences = Array.from({ length: A_MINUTE }, (_, index) => all[(index * 7) % all.length]!);
type Sentence = typeof sentences[number];

const sql = postgres(DB_URL, { max: 1, onnotice: () => {} });
const { places } = await loadPlaces(sql, console.log);

const parse: Subject<Sentence> = {
  name: "parser",
  run: (sentence) => Promise.resolve(parseText(sentence.text, optionsOf(sentence)).place === null ? 0 : 1),
};
const parseAndFind: Subject<Sentence> = {
  name: "parser and place",
  run: async (sentence) => {
    const options = optionsOf(sentence);
    const parsed = parseText(sentence.text, options);
    if (parsed.place === null) return 0;
    const [row] = await sql<{ words: string | null }[]>`
      select api.find_place(${parsed.place}, null, null, null, ${[
      ...parsed.other_places,
    ]}, ${parsed.is_place_left_over})
        ->> 'words' as words`;
    return settlePlace(parsed, row!.words, options).status === "parsed" ? 1 : 0;
  },
};

/** The machine has other work, so the best of five passes counts for each sentence. */
async function bestTimes(subject: Subject<Sentence>): Promise<number[]> {
  const best = all.map(() => Infinity);
  for (let pass = 0; pass < 5; pass++) {
    for (const [index, sentence] of all.entries()) {
      const started = performance.now();
      await subject.run(sentence);
      best[index] = Math.min(best[index]!, performance.now() - started);
    }
  }
  return best;
}

async function figuresOf(subject: Subject<Sentence>): Promise<string[]> {
  const times = await bestTimes(subject);
  return [subject.name, ms(percentile(times, 0.5)), ms(percentile(times, 0.95))];
}

/** Begins the searches at an even pace. */
async function overHttp(): Promise<{ readonly times: number[]; readonly statuses: Map<number, number> }> {
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const began = performance.now();
  await Promise.all(sentences.map(async ({ text, locale, time_zone }, index) => {
    const at = index * 60_000 / A_MINUTE;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - (performance.now() - began))));
    const started = performance.now();
    const response = await fetch(`${API_URL}/v1/search/ai`, {
      method: "POST",
      headers: {
        apikey: PUBLISHABLE_KEY!,
        "content-type": "application/json",
      },
      body: JSON.stringify({ query: text, locale, time_zone }),
    });
    await response.body?.cancel();
    times.push(performance.now() - started);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }));
  return { times, statuses };
}

console.log(`${places} places, ${all.length} sentences\n`);
// The first texts of a process compile the patterns.
for (const sentence of all) await parse.run(sentence);
console.log(
  table(
    ["one at a time, best of five passes", "p50 ms", "p95 ms"],
    [await figuresOf(parse), await figuresOf(parseAndFind)],
  ),
);
const { times, statuses } = await overHttp();
console.log(`\n${A_MINUTE} searches of guests in a minute, POST /v1/search/ai\n`);
console.log(
  table(["p50 ms", "p95 ms", "responses"], [[
    ms(percentile(times, 0.5)),
    ms(percentile(times, 0.95)),
    [...statuses].map(([status, count]) => `${count} × ${status}`).join(", "),
  ]]),
);
await sql.end();
