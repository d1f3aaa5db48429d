// The worked examples of fees, hours and holidays.
const FOLDER = new URL("../cases/", import.meta.url);

export function workedExamples<Examples>(file: string): Examples {
  return JSON.parse(Deno.readTextFileSync(new URL(file, FOLDER)));
}

/** Public holidays, by calendar, as dates. */
export function holidays(calendar: string): ReadonlySet<string> {
  return new Set(Object.keys(workedExamples<Record<string, object>>("holidays.json")[calendar] ?? {}));
}
