// The worked examples of fees, hours and holidays.
const FOLDER = new URL("../cases/", import.meta.url);

export function workedExamples<Examples>(file: string): Examples {
  return JSON.parse(Deno.readTextFileSync(new URL(file, FOLDER)));
}

/** Texts with their lengths: code points after NFC. */
export const textLengths = (): { readonly text: string; readonly length: number }[] =>
  workedExamples<{ part: string; times: number; length: number }[]>("text_lengths.json")
    .map(({ part, times, length }) => ({ text: part.repeat(times), length }));

/** Public holidays, by calendar, as dates. */
export function holidays(calendar: string): ReadonlySet<string> {
  return new Set(Object.keys(workedExamples<Record<string, object>>("holidays.json")[calendar] ?? {}));
}
