/** Values of `<input type="datetime-local">`, by the clocks of a time zone. */

export const TIME_ZONE = "Asia/Tokyo";

const DAY_MS = 24 * 60 * 60_000;

/** The time zone of this device. */
export function readerZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The value of the field for a time. */
export function toLocalInput(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone }).format(new Date(time))
    .replace(" ", "T");
}

/**
 * The timestamp of a value of the field. Where the clocks go back, the hour that exists twice is the first one; where they
 * go forward, a time that they leave out is as much later ("compatible" of Temporal).
 */
export function fromLocalInput(value: string, timeZone = TIME_ZONE): string {
  const asUtc = Date.parse(`${value}Z`);
  const offsetAt = (time: number) => Date.parse(`${toLocalInput(new Date(time), timeZone)}Z`) - time;
  // By the clocks before a change, and by those after it.
  const [first, last] = [asUtc - offsetAt(asUtc - DAY_MS), asUtc - offsetAt(asUtc + DAY_MS)] as const;
  const isShown = (time: number) => time + offsetAt(time) === asUtc;
  return new Date(!isShown(first) && isShown(last) ? last : first).toISOString();
}

/** The day of the calendar so many days after a day or a value of the field. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day.slice(0, 10)) + days * DAY_MS).toISOString().slice(0, 10);
}
