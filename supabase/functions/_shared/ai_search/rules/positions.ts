/** Coordinates in the text, as maps copy them, alone or in the address of a page: 35.6586, 139.7454. */
import type { Scanner, Span } from "./scanner.ts";

export interface Position extends Span {
  readonly kind: "position";
  readonly lat: number;
  readonly lng: number;
}

const DEGREES = "-?\\d{1,3}\\.\\d{2,16}";
/** With two decimals they could be times: 10.30, 12.30. */
const FINE = "-?\\d{1,3}\\.\\d{3,16}";
/** Degrees, minutes and seconds: 35°39'31.0"N 139°44'43.7"E. */
const sexagesimal = (name: string, halves: string) =>
  `(?<${name}>\\d{1,3})°(?<${name}m>\\d{1,2})'(?<${name}s>\\d{1,2}(?:\\.\\d{1,4})?)"? ?(?<${name}h>[${halves}])`;

/** The address of a page ends at a space. Of the two pairs in that of a place, the one with !3d is the place. */
const POSITIONS = [
  new RegExp(`https?://[^ ]{1,300}?!3d(?<lat>${DEGREES})!4d(?<lng>${DEGREES})[^ ]{0,300}`, "giu"),
  new RegExp(`https?://[^ ]{1,300}?(?<=[@=/])(?<lat>${DEGREES})(?:,|%2C)(?<lng>${DEGREES})[^ ]{0,300}`, "giu"),
  new RegExp(`(?<![\\p{L}\\d.])${sexagesimal("lat", "NS")},? ?${sexagesimal("lng", "EW")}(?![\\p{L}])`, "giu"),
  new RegExp(
    `(?:北緯|緯度|lat(?:itude)?) ?[:=]? ?(?<lat>${DEGREES})[度°]?[、,・ ]{0,2}(?:東経|経度|(?:lng|lon)(?:gitude)?) ?[:=]? ?(?<lng>${DEGREES})[度°]?`,
    "giu",
  ),
  new RegExp(`\\(? ?(?<![\\p{L}\\d.])(?<lat>${FINE})°? ?(?:[,、] ?| )(?<lng>${FINE})(?!\\d|\\.\\d)°? ?\\)?`, "gu"),
];

/** Runs first: nothing else reads a part of these numbers. */
export function takePositions(scanner: Scanner): Position[] {
  return POSITIONS.flatMap((pattern) =>
    scanner.take(pattern, ({ groups }) => {
      const lat = degreesOf(groups!, "lat"), lng = degreesOf(groups!, "lng");
      return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { kind: "position" as const, lat, lng } : undefined;
    })
  );
}

function degreesOf(groups: Readonly<Record<string, string | undefined>>, name: "lat" | "lng"): number {
  const half = groups[`${name}h`];
  if (half === undefined) return Number(groups[name]);
  const degrees = Number(groups[name]) + Number(groups[`${name}m`]) / 60 + Number(groups[`${name}s`]) / 3600;
  return Math.round((/[sw]/i.test(half) ? -degrees : degrees) * 1e7) / 1e7;
}
