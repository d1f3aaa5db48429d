/** Deprecation of a route or a field: since when, until when at least, and where it is explained. */

export interface Deprecation {
  /** The day from which it is deprecated, for example 2026-12-01. */
  readonly since: string;
  /** The first day on which it can be missing, at least a year later. */
  readonly sunset: string;
  /** The address of a page that names the replacement. */
  readonly link: string;
}

/** Headers of a response of a deprecated route: RFC 9745, RFC 8594 and RFC 8288. */
export function deprecationHeaders(deprecation: Deprecation | undefined): [name: string, value: string][] {
  if (!deprecation) return [];
  const { since, sunset, link } = deprecation;
  return [
    ["Deprecation", `@${dayOf(since).getTime() / 1000}`],
    ["Sunset", dayOf(sunset).toUTCString()],
    ["Link", `<${link}>; rel="deprecation"`],
  ];
}

/** The sentences for the contract. */
export function deprecationText({ since, sunset, link }: Deprecation): string {
  return `Deprecated since ${since}. It can be removed from ${sunset} on. The replacement is described at ${link}.`;
}

/** Throws a `TypeError` if clients have less than a year. `place` names the route or the field. */
export function checkDeprecation(place: string, { since, sunset, link }: Deprecation): void {
  const yearLater = dayOf(since);
  yearLater.setUTCFullYear(yearLater.getUTCFullYear() + 1);
  if (!(dayOf(sunset) >= yearLater)) throw new TypeError(`${place}: the sunset is at least a year after ${since}`);
  if (!URL.canParse(link, "https://example.com") || /[<>\s]/.test(link)) {
    throw new TypeError(`${place}: the link is not an address`);
  }
}

/** The beginning of the day in UTC. */
function dayOf(date: string): Date {
  return new Date(`${date}T00:00:00Z`);
}
