/// <reference lib="dom" />
/** Where the device is, when its user asks for it or acts at a place. The browser asks the user first. */
import { signal } from "@preact/signals";

export interface Position {
  readonly lat: number;
  readonly lng: number;
}

/** Why there is no position. */
export class PositionError extends Error {
  override readonly name = "PositionError";
  constructor(readonly reason: "refused" | "unknown" | "unsupported") {
    super(`The position is not known: ${reason}.`);
  }
}

/** The newest position of this visit. */
export const position = signal<Position | undefined>(undefined);

/** A position of the last minute is near enough for a search. */
const SEARCH: PositionOptions = { timeout: 10_000, maximumAge: 60_000 };
const EXACT: PositionOptions = { timeout: 15_000, enableHighAccuracy: true };

/** Where the device is, for a search. */
export async function readPosition(): Promise<Position> {
  const { latitude: lat, longitude: lng } = await ask(SEARCH);
  return position.value = { lat, lng };
}

/** Where the device is and how exactly, for an act at a place. */
export async function readExactPosition(): Promise<Position & { readonly accuracy_m: number }> {
  const { latitude: lat, longitude: lng, accuracy: accuracy_m } = await ask(EXACT);
  return { lat, lng, accuracy_m };
}

function ask(options: PositionOptions): Promise<GeolocationCoordinates> {
  return new Promise((resolve, reject) => {
    if (!("geolocation" in navigator)) return reject(new PositionError("unsupported"));
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve(coords),
      ({ code, PERMISSION_DENIED }) => reject(new PositionError(code === PERMISSION_DENIED ? "refused" : "unknown")),
      options,
    );
  });
}
