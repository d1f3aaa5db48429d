// The two sizes of a run. `task test:long` has larger volumes than `task test`, the seed of the day, and what is too long for
// every change. A variable with the name sets a value in either of them. docs/contributing/testing.md lists the names.
export const isLong = Deno.env.get("TEST_SIZE") === "long";

function given(name: string): number | undefined {
  const text = Deno.env.get(name);
  if (!text) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} is no number: ${text}`);
  return Number(text);
}

/** A number of cases, rounds or rows. */
export function volume(name: string, usual: number, long: number = 4 * usual): number {
  return given(name) ?? (isLong ? long : usual);
}

/** The seed of random cases: always the same one, or that of the day. */
export function seed(name: string, usual: number): number {
  return given(name) ?? (isLong ? Number(new Date().toISOString().slice(0, 10).replaceAll("-", "")) : usual);
}

/** Whether a part that belongs to the long run is tested. */
export function onlyLong(name: string): boolean {
  return (given(name) ?? (isLong ? 1 : 0)) > 0;
}
