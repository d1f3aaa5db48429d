/** Values of `<input type="datetime-local">`, by the clocks of a time zone. */

export const TIME_ZONE = "Asia/Tokyo";

/** The value of the field for a time. */
export function toLocalInput(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone }).format(new Date(time))
    .replace(" ", "T");
}

/** The timestamp of a value of the field. */
export function fromLocalInput(value: string, timeZone = TIME_ZONE): string {
  const asUtc = Date.parse(`${value}Z`);
  const offsetAt = (time: number) => Date.parse(`${toLocalInput(new Date(time), timeZone)}Z`) - time;
  // Twice: the offset at the wanted moment can differ from that some hours away.
  return new Date(asUtc - offsetAt(asUtc - offsetAt(asUtc))).toISOString();
}
