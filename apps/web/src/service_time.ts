/** The time by the clock of the service. The clock of a device may be minutes slow or fast, and fees count by the service's. */

/** How much later it is at the service than on this device, in milliseconds. */
let ahead = 0;

/** The time of the service, as far as its responses have told it. */
export function serviceNow(): number {
  return Date.now() + ahead;
}

/** Learns from a response that no cache has kept. `sent` and `received` are times of this device. */
export function learnTime({ headers }: Response, sent: number, received: number): void {
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date) || !headers.get("cache-control")?.includes("no-store")) return;
  // It was made in this second, at a moment between the two: a clock that fits is believed.
  const [least, most] = [date - received, date + 1000 - sent];
  ahead = least > 0 ? least : Math.min(0, most);
}
