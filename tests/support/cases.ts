// The worked examples. The copy in tests/cases is what everybody has; where the original lies beside the repository it
// is read instead, so that the copy cannot hide a change.

const ORIGINALS = new URL("../../../shared/cases/", import.meta.url);
const COPIES = new URL("../cases/", import.meta.url);

export function workedExamples<Examples>(file: string): Examples {
  return JSON.parse(originalOf(file) ?? copyOf(file));
}

export function copyOf(file: string): string {
  return Deno.readTextFileSync(new URL(file, COPIES));
}

/** Null where there is only the copy. */
export function originalOf(file: string): string | null {
  try {
    return Deno.readTextFileSync(new URL(file, ORIGINALS));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Public holidays, by calendar, as dates. */
export function holidays(calendar: string): ReadonlySet<string> {
  return new Set(Object.keys(workedExamples<Record<string, object>>("holidays.json")[calendar] ?? {}));
}
