/** What stands on the map: prices, groups and marks, and which of them has room. */
import type { Lot } from "./lots.ts";

/** Whether a lot can be used for the stay. Null or missing: the service does not know. */
export interface Usability {
  readonly usable_for_stay?: boolean | null;
  readonly unusable_reasons?: readonly string[];
}

export function usabilityOf(lot: Lot): Usability {
  return lot as Lot & Usability;
}

export type PinState = "best" | "usable" | "unknown" | "unusable";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Pin {
  readonly lot: Lot;
  readonly state: PinState;
  /** The price of the stay. */
  readonly label: string;
}

/** Something to draw at a point. */
export type Mark =
  | { readonly kind: "price"; readonly pin: Pin }
  | { readonly kind: "cross" | "dot"; readonly pin: Pin }
  /** Lots that would cover each other, with their cheapest price. */
  | { readonly kind: "group"; readonly pins: readonly Pin[]; readonly pin: Pin };

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Sizes in CSS pixels. The tip of a pin is on the place. */
export const PIN = { height: 28, tip: 5, padding: 10, cross: 20, dot: 10, count: 20 } as const;
export const CHOSEN = { height: 36, tip: 6, padding: 12 } as const;
/** Between two pins. */
const GAP = 4;
/** Lots nearer than this to a price are its group, if they are three or more. */
const GROUP_PX = 16;
const GROUP_SIZE = 3;

/** The cheapest lot that can be used, as far as it is known; the first one of equal prices. */
export function cheapest(lots: readonly Lot[]): Lot | undefined {
  const priced = lots.filter((lot) => lot.estimated_fee !== null && usabilityOf(lot).usable_for_stay !== false);
  return priced.reduce<Lot | undefined>(
    (best, lot) => best === undefined || lot.estimated_fee! < best.estimated_fee! ? lot : best,
    undefined,
  );
}

export function stateOf(lot: Lot, best: Lot | undefined): PinState {
  if (usabilityOf(lot).usable_for_stay === false) return "unusable";
  if (lot.estimated_fee === null) return "unknown";
  return lot.id === best?.id ? "best" : "usable";
}

const IMPORTANCE: Readonly<Record<PinState, number>> = { best: 0, usable: 1, unknown: 2, unusable: 3 };

/** The chosen one, then the best, then cheaper ones, then unknown fees, then those that cannot be used. */
function byImportance(chosen: string | undefined) {
  const rank = ({ lot, state }: Pin) => lot.id === chosen ? -1 : IMPORTANCE[state];
  return (a: Pin, b: Pin) => rank(a) - rank(b) || (a.lot.estimated_fee ?? 0) - (b.lot.estimated_fee ?? 0);
}

export interface PinLayout {
  readonly project: (lot: Lot) => Point;
  /** The visible part of the map. */
  readonly box: Box;
  /** The width of a pin with this text, and of a group. */
  readonly widthOf: (label: string, count?: number) => number;
  readonly groupLabel: (pin: Pin) => string;
  readonly chosen?: string | undefined;
}

export interface Placed {
  readonly mark: Mark;
  readonly lot: Lot;
}

/** Where prices would cover each other or be cut at the edge, the less important lot is a dot. */
export function placePins(pins: readonly Pin[], { project, box, widthOf, groupLabel, chosen }: PinLayout): Placed[] {
  const room = new Room();
  const heads: { pin: Pin; at: Point; members: Pin[] }[] = [];
  const others: { pin: Pin; at: Point }[] = [];
  for (const pin of pins.toSorted(byImportance(chosen))) {
    const at = project(pin.lot);
    const head = pin.state === "unusable"
      ? undefined
      : heads.find((head) => Math.hypot(head.at.x - at.x, head.at.y - at.y) < GROUP_PX);
    if (pin.state === "unusable") others.push({ pin, at });
    else if (head) head.members.push(pin);
    else heads.push({ pin, at, members: [pin] });
  }
  const placed: Placed[] = [];
  const covering: Box[] = [];
  const hidden: Pin[] = [];
  for (const { pin, at, members } of heads) {
    const isGroup = members.length >= GROUP_SIZE && pin.state === "usable" && pin.lot.id !== chosen;
    const width = isGroup ? widthOf(groupLabel(pin), members.length) : widthOf(pin.label);
    const isLarge = pin.lot.id === chosen;
    const height = isLarge ? CHOSEN.height + CHOSEN.tip : PIN.height + PIN.tip;
    const shape = { left: at.x - width / 2, top: at.y - height, right: at.x + width / 2, bottom: at.y };
    if (!isLarge && (isCut(shape, box) || !room.take(shape))) hidden.push(...members);
    else {
      if (isLarge) room.take(shape);
      const mark: Mark = isGroup ? { kind: "group", pins: members, pin } : { kind: "price", pin };
      placed.push({ mark, lot: pin.lot });
      covering.push(shape);
      if (!isGroup) hidden.push(...members.slice(1));
    }
  }
  for (const { pin, at } of others) {
    const half = PIN.cross / 2;
    const shape = { left: at.x - half, top: at.y - half, right: at.x + half, bottom: at.y + half };
    if (!isCut(shape, box) && room.take(shape)) placed.push({ mark: { kind: "cross", pin }, lot: pin.lot });
    else hidden.push(pin);
  }
  // Half a dot beside a price tells nothing.
  for (const pin of hidden) {
    const at = project(pin.lot);
    if (!covering.some((shape) => covers(shape, at))) placed.push({ mark: { kind: "dot", pin }, lot: pin.lot });
  }
  return placed;
}

/** Whether a dot at a point is mostly below a shape. */
const covers = ({ left, top, right, bottom }: Box, { x, y }: Point) => x > left && x < right && y > top && y < bottom;

/** Whether a shape is partly inside of the visible part. */
export function isCut(shape: Box, box: Box): boolean {
  const isInside = shape.left >= box.left && shape.right <= box.right && shape.top >= box.top &&
    shape.bottom <= box.bottom;
  const isOutside = shape.right < box.left || shape.left > box.right || shape.bottom < box.top ||
    shape.top > box.bottom;
  return !isInside && !isOutside;
}

/** Shapes that do not cover each other. */
export class Room {
  readonly #taken: Box[] = [];

  /** Whether the shape had room; then it is taken. */
  take(shape: Box): boolean {
    const overlaps = this.#taken.some((other) =>
      shape.left < other.right + GAP && shape.right > other.left - GAP && shape.top < other.bottom + GAP &&
      shape.bottom > other.top - GAP
    );
    if (!overlaps) this.#taken.push(shape);
    return !overlaps;
  }
}
