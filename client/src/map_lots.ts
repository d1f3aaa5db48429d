/** What `<parking-map>` computes without a page: the stay, what a lot shows, which pins have room, and when to send a request. */
import type { components } from "./api.ts";

export type NearbyLot = components["schemas"]["NearbyParkingLotWithRanking"];

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** A lot that can be drawn. */
export type Lot = NearbyLot & Place;

/** The value of an attribute is missing or wrong. */
export class AttributeError extends Error {
  readonly attribute: string;

  constructor(attribute: string) {
    super(`The attribute ${attribute} is missing or has a wrong value.`);
    this.attribute = attribute;
  }
}

/** The number of an attribute within its bounds. Undefined without the attribute. */
export function numberOf(name: string, value: string | null, min: number, max: number): number | undefined {
  if (value === null || value.trim() === "") return undefined;
  const number = Number(value);
  if (!(number >= min && number <= max)) throw new AttributeError(name);
  return number;
}

export interface Stay {
  readonly entry_at: string;
  readonly exit_at: string;
}

const STEP_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;
/** The longest stay that the service compares lots for: 31 days. */
const MAX_HOURS = 744;
const HAS_OFFSET = /(Z|[+-]\d{2}:\d{2})$/;

/** The stay of the attributes `entry` and `hours`: without them an hour from the next five minutes on. */
export function stayOf(entry: string | null, hours: string | null, now: number): Stay {
  const length = numberOf("hours", hours, 0.25, MAX_HOURS) ?? 1;
  let start = Math.ceil(now / STEP_MS) * STEP_MS;
  if (entry !== null && entry.trim() !== "") {
    // A time without an offset is by the clocks of Japan, which have no summer time.
    start = Date.parse(HAS_OFFSET.test(entry) ? entry : `${entry}+09:00`);
    if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(entry) || Number.isNaN(start)) throw new AttributeError("entry");
  }
  return { entry_at: new Date(start).toISOString(), exit_at: new Date(start + length * HOUR_MS).toISOString() };
}

export type LotState = "best" | "usable" | "unknown" | "unusable";

/** Whether the lot cannot be used for the stay, as far as the service knows. */
export function isUnusable({ usable_for_stay, planned_stay: stay }: NearbyLot): boolean {
  return usable_for_stay === false || stay?.is_open_at_entry === false || stay?.can_enter_at === false ||
    stay?.can_exit_at === false;
}

/** Whether entry and exit at the times of the stay are known to be possible. */
export function isOpen(lot: NearbyLot): boolean {
  return !isUnusable(lot) && lot.planned_stay?.can_enter_at === true && lot.planned_stay.can_exit_at === true;
}

/** The states by id. The best lot is the cheapest one of those that are known to be open. */
export function statesOf(lots: readonly NearbyLot[]): Map<string, LotState> {
  const states = new Map<string, LotState>();
  let best: NearbyLot | undefined;
  for (const lot of lots) {
    const state = isUnusable(lot) ? "unusable" : lot.estimated_fee === null ? "unknown" : "usable";
    states.set(lot.id, state);
    const isCheaper = state === "usable" && isOpen(lot) && lot.currency === (best ?? lot).currency &&
      (best === undefined || lot.estimated_fee! < best.estimated_fee!);
    if (isCheaper) best = lot;
  }
  if (best) states.set(best.id, "best");
  return states;
}

/** The codes of the reasons. Where the service has none, those that the state of the stay shows. */
export function reasonsOf({ unusable_reasons: reasons, planned_stay: stay }: NearbyLot): readonly string[] {
  if (reasons.length > 0) return reasons;
  if (stay?.is_open_at_entry === false || stay?.can_enter_at === false) return ["closed_at_entry"];
  return stay?.can_exit_at === false ? ["closed_at_exit"] : [];
}

const EARTH_M = 6_371_008.8;

/** The great-circle distance in metres. */
export function distance(from: Place, to: Place): number {
  const rad = (degrees: number) => degrees * Math.PI / 180;
  const half = (degrees: number) => Math.sin(rad(degrees) / 2) ** 2;
  const part = half(to.lat - from.lat) + Math.cos(rad(from.lat)) * Math.cos(rad(to.lat)) * half(to.lng - from.lng);
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(part)));
}

/** The minutes of a walk as the service counts them: 80 m a minute. */
export function walkMinutes(metres: number): number {
  return Math.ceil(metres / 80);
}

/** How many requests are sent in a window of time at most. */
export class RequestBudget {
  readonly #quota: number;
  readonly #windowMs: number;
  #times: number[] = [];
  #closedUntil = 0;

  constructor(quota: number, windowMs: number) {
    this.#quota = quota;
    this.#windowMs = windowMs;
  }

  /** The milliseconds until a request may be sent. */
  wait(now: number): number {
    this.#times = this.#times.filter((time) => time > now - this.#windowMs);
    const oldest = this.#times[this.#times.length - this.#quota];
    const free = oldest === undefined ? now : oldest + this.#windowMs;
    return Math.max(0, free - now, this.#closedUntil - now);
  }

  take(now: number): void {
    this.#times.push(now);
  }

  /** After a response with `Retry-After`. */
  close(seconds: number, now: number): void {
    this.#closedUntil = now + seconds * 1000;
  }
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The indexes of boxes that are whole in the frame and do not cover one that comes earlier. */
export function placed(boxes: readonly Box[], frame: { readonly width: number; readonly height: number }): Set<number> {
  const taken: Box[] = [];
  const found = new Set<number>();
  boxes.forEach((box, index) => {
    const isWhole = box.left >= 0 && box.top >= 0 && box.right <= frame.width && box.bottom <= frame.height;
    const covers = ({ left, top, right, bottom }: Box) =>
      box.left < right && box.right > left && box.top < bottom && box.bottom > top;
    if (!isWhole || taken.some(covers)) return;
    taken.push(box);
    found.add(index);
  });
  return found;
}
