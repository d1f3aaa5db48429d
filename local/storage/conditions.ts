// What a request asks of the object before it wants it (RFC 9110, section 13).
import type { Description } from "./objects.ts";

type Facts = Pick<Description, "etag" | "modified">;

/** The status that takes the object's place, or undefined when the request wants it. */
export function refusedBy(headers: Headers, object: Facts): 304 | 412 | undefined {
  const [match, none] = [headers.get("if-match"), headers.get("if-none-match")];
  if (match !== null) {
    if (!names(match, object.etag)) return 412;
  } else if (isAfter(object, headers.get("if-unmodified-since")) === true) return 412;
  if (none !== null) return names(none.replaceAll("W/", ""), object.etag) ? 304 : undefined;
  return isAfter(object, headers.get("if-modified-since")) === false ? 304 : undefined;
}

/** The range that is asked for, unless it was meant for another object. */
export function rangeWanted(headers: Headers, { etag, modified }: Facts): string | null {
  const meant = headers.get("if-range");
  return meant === null || meant === etag || meant === modified ? headers.get("range") : null;
}

function names(list: string, etag: string): boolean {
  return list.trim() === "*" || list.split(",").some((name) => name.trim() === etag);
}

/** Whether the object is younger than the date; undefined when that is none. */
function isAfter({ modified }: Facts, date: string | null): boolean | undefined {
  const moment = Date.parse(date ?? "");
  return Number.isNaN(moment) ? undefined : Date.parse(modified) > moment;
}
