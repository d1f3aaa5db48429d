// Makes examples of recorded traffic: what differs from one recording to the next becomes the same each time, lists have few
// items, texts are short, and no token is left.
import { createHash } from "node:crypto";
import { type Exchange, type Recorded, type Reply, routes } from "./recorder.ts";
import type { Walked } from "./walk.ts";

/** When the walk begins in the examples. */
const BEGIN = Date.parse("2026-11-25T10:00:00+09:00");
const CHAPTER_MS = 30 * 60_000;
const STEP_MS = 60_000;
const DAY_MS = 86_400_000;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Ids without hyphens in names of files, and hashes. */
const HEX = /(?<![0-9a-f])([0-9a-f]{32}|[0-9a-f]{64})(?![0-9a-f])/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** A time in the query of an address. */
const ENCODED_TIME = /\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d%2B\d\d%3A\d\d/g;
const SEED_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00/g;
const DATE = /^\d{4}-\d\d-\d\d$/;
const MAX_TEXT = 240;
const TRANSACTION = "2000000912345678";
const ORDER = "GPA.3388-2411-0956-71234";

/** What Google Play puts into a message of Pub/Sub. */
const PUB_SUB_DATA = btoa(JSON.stringify({
  version: "1.0",
  packageName: "com.example.parking",
  eventTimeMillis: String(BEGIN),
  subscriptionNotification: { version: "1.0", notificationType: 2, purchaseToken: "the-purchase-token" },
}));

/** Values that are secret, random or dependent on the hour of the recording, by the names of their fields. */
const FIXED: Readonly<Record<string, unknown>> = {
  age_seconds: 42,
  duration_ms: 35,
  is_open_now: true,
  last_started_at: "2026-11-25T01:00:00.482915+00:00",
  msg_id: 1,
  next_cursor: "bmV4dC1wYWdl",
  receipt: "the-signed-transaction-or-purchase-token",
  signedPayload: "the-payload-that-the-store-signed",
};

const exported = (recorded: Recorded): Recorded => {
  const { saved_parking_lots, user_vehicles } = recorded.reply.data;
  return { ...recorded, reply: { ...recorded.reply, data: { saved_parking_lots, user_vehicles } } };
};

/** The part of a long document that shows its form. */
const EDITS: Readonly<Record<string, (recorded: Recorded) => Recorded>> = {
  exportMyData: exported,
  exportUser: exported,
  listSubscriptionEvents: (recorded) => {
    const [event] = recorded.reply.items;
    const { productId, price, currency, storefront } = event.payload.transaction;
    const payload = { status: event.payload.status, transaction: { productId, price, currency, storefront } };
    return { ...recorded, reply: { ...recorded.reply, items: [{ ...event, payload }] } };
  },
  readContract: ({ reply: { openapi, info: { title, version } } }) => ({
    reply: { openapi, info: { title, version }, paths: {} },
  }),
  readContractOverlay: ({ reply: { overlay, info, extends: document } }) => ({
    reply: { overlay, info, extends: document, actions: [] },
  }),
  readRealtimeContract: ({ reply: { asyncapi, info: { title, version } } }) => ({
    reply: { asyncapi, info: { title, version }, channels: {} },
  }),
  receiveGooglePlayNotification: ({ body, reply }) => ({
    body: { message: { data: PUB_SUB_DATA, messageId: "2070443601311540" }, subscription: body!["subscription"] },
    reply,
  }),
};

export type Examples = Record<string, Recorded>;

export function examplesOf({ recorder, emails, times }: Walked, seed: string): Examples {
  const recorded = recorder.exchanges.map((exchange): Exchange => ({ ...exchange, ...edited(exchange) }));
  const clock = new Clock(recorded, recorder.startedAt, times, seed);
  const kept = new Set(seed.match(UUID));
  const ids = new Map<string, string>();
  const idFor = (real: string, place: string) => {
    if (!ids.has(real)) ids.set(real, kept.has(real) || isChosen(real) ? real : uuidOf(place));
    return ids.get(real)!;
  };
  const text = (value: string, place: string): string => {
    if (TIME.test(value)) return clock.time(value);
    if (DATE.test(value)) return clock.date(value);
    const plain = value.replace(/\?X-Amz-[^"\s]*/, "?X-Amz-Expires=600")
      .replace(/^https?:\/\/127\.0\.0\.1:\d+/, "https://project.supabase.co");
    const known = [...emails].reduce((text, [real, shown]) => text.replace(real, shown), plain);
    const shown = known.replaceAll(ENCODED_TIME, (time) => encodeURIComponent(clock.time(decodeURIComponent(time))))
      .replaceAll(UUID, (real) => idFor(real, place))
      .replaceAll(HEX, (real) => idFor(real, place).replaceAll("-", "").repeat(real.length / 32))
      .replace(/^2\d{15}$/, TRANSACTION).replace(/^GPA\..*/, ORDER);
    return [...shown].length > MAX_TEXT ? `${[...shown].slice(0, MAX_TEXT).join("")}…` : shown;
  };
  const visit = (value: Reply, name: string, place: string): Reply => {
    if (value !== null && Object.hasOwn(FIXED, name)) return FIXED[name];
    if (typeof value === "string") return text(value, place);
    if (Array.isArray(value)) return shortened(value, name).map((item, n) => visit(item, "", `${place}.${n}`));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner, key, `${place}.${key}`)]));
  };
  const examples: Examples = {};
  for (const { name, params, query, body, reply } of recorded) {
    const parts = Object.entries({ params, query, body, reply }).filter(([, value]) => value !== undefined);
    examples[name] = Object.fromEntries(parts.map(([part, value]) => [part, visit(value, "", `${name}.${part}`)]));
  }
  // In the order of the contract.
  return Object.fromEntries([...routes.keys()].map((name) => [name, examples[name]!]));
}

function edited({ name, params, query, body, reply }: Exchange): Recorded {
  const recorded = { params, query, body, reply };
  return EDITS[name]?.(recorded) ?? recorded;
}

/** Ids that migrations choose, for example of badges. */
function isChosen(id: string): boolean {
  return /-0000-4000-8000-0{6}/.test(id);
}

function uuidOf(place: string): string {
  const hex = createHash("sha256").update(place).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** One item of a list of objects, three of a list of values; positions of a geometry stay. */
function shortened(list: readonly Reply[], name: string): readonly Reply[] {
  if (name === "coordinates" || Array.isArray(list[0]) || typeof list[0] === "number") return list;
  return list.slice(0, typeof list[0] === "object" ? 1 : 3);
}

/** Translates the times of a recording to those of the examples. */
class Clock {
  readonly #literal: ReadonlySet<number>;
  readonly #dates: ReadonlySet<string>;
  /** The times of stays that the walk sent. */
  readonly #sent: readonly number[];
  /** Times of the recording, in microseconds, and what they become. */
  readonly #known = new Map<number, number>();
  readonly #end: number;

  constructor(
    readonly exchanges: readonly Exchange[],
    readonly startedAt: number,
    times: Walked["times"],
    seed: string,
  ) {
    this.#end = Math.max(...exchanges.map(({ beganAt }) => beganAt)) + 10_000;
    const sent = exchanges.flatMap(({ params, query, body }) => textsIn([params, query, body]));
    const seen = exchanges.flatMap(({ params, query, body, reply }) => textsIn([params, query, body, reply]));
    const computed = new Set([...times.keys()].map((time) => time * 1000));
    this.#dates = new Set(sent.filter((text) => DATE.test(text)));
    this.#sent = sent.filter((text) => TIME.test(text)).map(micros)
      .filter((time) => !computed.has(time) && !this.#isDuring(time));
    this.#literal = new Set([...this.#sent, ...(seed.match(SEED_TIME) ?? []).map(micros)]);

    for (const [time, { step, offset }] of times) this.#known.set(time * 1000, this.#stepTime(step) + offset);
    const during = new Set(seen.filter((text) => TIME.test(text)).map(micros).filter((time) => this.#isDuring(time)));
    const begins = exchanges.map(({ beganAt }) => beganAt * 1000);
    for (const time of during) {
      if (this.#known.has(time)) continue;
      this.#known.set(time, this.#stepTime(Math.max(0, begins.findLastIndex((begin) => begin <= time))));
    }
  }

  #isDuring(time: number): boolean {
    return time >= this.startedAt * 1000 && time <= this.#end * 1000;
  }

  #stepTime(step: number): number {
    const { chapter } = this.exchanges[Math.min(step, this.exchanges.length - 1)]!;
    const first = this.exchanges.findIndex((exchange) => exchange.chapter === chapter);
    return BEGIN + chapter * CHAPTER_MS + (step - first) * STEP_MS;
  }

  #translated(time: number): number {
    const known = this.#known.get(time);
    if (known !== undefined) return known;
    // A part of a stay that the walk sent.
    if (this.#sent.some((sent) => Math.abs(time - sent) < DAY_MS * 1000)) return time / 1000;
    const at = time / 1000;
    // An hour of a calendar stays that hour. No time that the walk computes is a full minute.
    if (time % 60e6 === 0) return at + (dayOf(BEGIN) - dayOf(this.startedAt)) * DAY_MS;
    // So many minutes after a known time, for example the end of a subscription.
    for (const [from, to] of this.#known) if ((time - from) % 60e6 === 0) return to + (time - from) / 1000;
    // The seed is older than the walk.
    if (at < this.startedAt && at > this.startedAt - DAY_MS) return BEGIN - DAY_MS;
    for (const unit of [DAY_MS, 3_600_000]) {
      const since = Math.floor((at - this.startedAt) / unit) * unit;
      if (at - this.startedAt - since <= this.#end - this.startedAt) return BEGIN + since;
    }
    return BEGIN + Math.floor((at - this.startedAt) / 60_000) * 60_000;
  }

  time(text: string): string {
    const time = micros(text);
    if (this.#literal.has(time) || Math.abs(time / 1000 - this.startedAt) > 400 * DAY_MS) return text;
    const [, fraction = "", zone = ""] = TIME.exec(text)!;
    // Postgres omits zeros at the end of its microseconds.
    const digits = fraction === "" ? "" : fraction.length <= 4 && zone === "Z" ? ".482" : ".482915";
    const minutes = zone === "Z"
      ? 0
      : (zone[0] === "-" ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
    return new Date(this.#translated(time) + minutes * 60_000).toISOString().slice(0, 19) + digits + zone;
  }

  date(text: string): string {
    const since = Date.parse(text) / DAY_MS - dayOf(this.startedAt);
    if (this.#dates.has(text) || Math.abs(since) > 60) return text;
    return new Date((dayOf(BEGIN) + since) * DAY_MS).toISOString().slice(0, 10);
  }
}

/** The number of the day in Japan. */
function dayOf(time: number): number {
  return Math.floor((time + 9 * 3_600_000) / DAY_MS);
}

/** Microseconds since 1970. */
function micros(text: string): number {
  const fraction = TIME.exec(text)?.[1] ?? "";
  return Math.floor(Date.parse(text) / 1000) * 1e6 + Number(fraction.slice(1).padEnd(6, "0").slice(0, 6) || 0);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => Object.hasOwn(FIXED, name) ? [] : textsIn(inner));
}
