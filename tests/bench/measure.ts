// Timing side by side: every contender answers the same question before the next question is asked.

export interface Subject<Question> {
  readonly name: string;
  /** Answers how many results came back. */
  run(question: Question): Promise<number>;
}

export interface Figures {
  readonly name: string;
  readonly p50: number;
  readonly p95: number;
  /** How many questions were asked, and results an answer had on average. */
  readonly asked: number;
  readonly results: number;
}

/** Contenders that have used up their budget are left out of the remaining rounds. */
const BUDGET_MS = 15_000;
const WARM_UP = 10;

export async function compare<Question>(
  contenders: readonly Subject<Question>[],
  questions: readonly Question[],
): Promise<Figures[]> {
  const runs = contenders.map((contender) => ({ contender, times: [] as number[], results: 0, spent: 0 }));
  for (const [round, question] of [...questions.slice(0, WARM_UP), ...questions].entries()) {
    for (const run of runs) {
      if (run.spent > BUDGET_MS) continue;
      const started = performance.now();
      const results = await run.contender.run(question);
      const took = performance.now() - started;
      run.spent += took;
      if (round < WARM_UP) continue;
      run.times.push(took);
      run.results += results;
    }
  }
  return runs.map(({ contender, times, results }) => ({
    name: contender.name,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    asked: times.length,
    results: Math.round(10 * results / times.length) / 10,
  }));
}

/** The same with many clients at once, each of which asks its next question as soon as it has its answer. */
export async function concurrent<Question>(
  clients: number,
  contender: Subject<Question>,
  questions: readonly Question[],
): Promise<Figures & { readonly perSecond: number }> {
  const warming = [...questions.slice(0, WARM_UP * clients)];
  const pending = [...questions];
  const times: number[] = [];
  let results = 0;
  // Also while warming: each connection of the service plans its statements by itself.
  await together(clients, async () => {
    for (let question = warming.pop(); question !== undefined; question = warming.pop()) await contender.run(question);
  });
  const started = performance.now();
  await together(clients, async () => {
    for (let question = pending.pop(); question !== undefined; question = pending.pop()) {
      const asked = performance.now();
      const found = await contender.run(question);
      results += found;
      times.push(performance.now() - asked);
    }
  });
  return {
    name: contender.name,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    asked: times.length,
    results: Math.round(10 * results / times.length) / 10,
    perSecond: Math.round(1000 * times.length / (performance.now() - started)),
  };
}

async function together(clients: number, client: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: clients }, client));
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return lines.join("\n");
}

export const ms = (value: number): string => value < 10 ? value.toFixed(2) : value.toFixed(0);
