// What the stand-in stores have sold, who reviewed, and how the apps are used: made of a seed, in plain numbers.
import { Random } from "../../tools/seed/random.ts";

export type Store = "ios_store" | "android_store";

/** A line of a store's ledger, in minor units; a refund has units and an amount below zero. */
export interface Sale {
  readonly store: Store;
  readonly day: string;
  readonly sku: string;
  readonly title: string;
  readonly type: string;
  readonly country: string;
  readonly currency: string;
  readonly units: number;
  /** Of all units. */
  readonly amount: number;
  /** ios: what the store owes for all units, in `proceedsCurrency`. */
  readonly proceeds: number;
  readonly proceedsCurrency: string;
  /** ios: what tells lines of the same product apart. */
  readonly device: string;
  /** Another app of the same account, whose sales are not ours. */
  readonly isForeign?: boolean;
}

export interface BookReview {
  readonly store: Store;
  readonly id: string;
  rating: number;
  title: string;
  body: string;
  readonly language: string;
  readonly territory: string;
  readonly author: string;
  /** Milliseconds of UNIX time. */
  readonly createdAt: number;
  changedAt: number;
  response: string | null;
}

/** A metric of a day. */
export interface BookMetric {
  readonly store: Store;
  readonly day: string;
  readonly metric: string;
  readonly value: number;
}

export const DAYS = 90;
const DAY_MS = 86_400_000;

const PLANS = [
  { sku: "premium_monthly", title: "Premium, a month" },
  { sku: "premium_yearly", title: "Premium, a year" },
] as const;

/** Where is sold, in which currency, for how much (minor units), and what the store owes. */
const MARKETS = [
  {
    country: "JP",
    territory: "JPN",
    language: "ja",
    currency: "JPY",
    prices: [480, 4800],
    proceeds: [408, 4080],
    owed: "JPY",
  },
  {
    country: "US",
    territory: "USA",
    language: "en",
    currency: "USD",
    prices: [399, 3999],
    proceeds: [279, 2799],
    owed: "USD",
  },
  {
    country: "DE",
    territory: "DEU",
    language: "de",
    currency: "EUR",
    prices: [399, 3999],
    proceeds: [235, 2352],
    owed: "EUR",
  },
  {
    country: "KR",
    territory: "KOR",
    language: "ko",
    currency: "KRW",
    prices: [5500, 55_000],
    proceeds: [4250, 42_500],
    owed: "KRW",
  },
  {
    country: "TW",
    territory: "TWN",
    language: "zh",
    currency: "TWD",
    prices: [12_000, 119_000],
    proceeds: [8400, 83_300],
    owed: "USD",
  },
] as const;

const BODIES: Readonly<Record<string, readonly string[]>> = {
  ja: ["駐車場がすぐ見つかりました。", "地図が見やすいです。\n料金も正確でした。"],
  en: ["Found a lot at once.", 'The map, "as promised", is quick.'],
  de: ["Sehr übersichtlich; die Preise stimmen.", "Könnte schneller sein."],
  ko: ["주차장을 쉽게 찾았어요.", "요금 안내가 정확합니다."],
  zh: ["很快找到停車場。", "地圖清楚 👍"],
};

export const digitsOf = (currency: string) => currency === "JPY" || currency === "KRW" ? 0 : 2;
export const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);

export class StoreBooks {
  readonly sales: Sale[] = [];
  readonly reviews: BookReview[] = [];
  readonly metrics: BookMetric[] = [];
  /** The first day without a report. */
  readonly today: string;

  constructor(seed: string, now = Date.now()) {
    this.today = new Date(now).toISOString().slice(0, 10);
    const random = new Random(seed);
    for (let back = DAYS; back >= 1; back--) {
      const day = dayBefore(this.today, back);
      // On some days nothing is sold, on some there are refunds alone.
      if (!random.chance(0.12)) this.#sellOnAppStore(random, day);
      if (!random.chance(0.12)) this.#sellOnGooglePlay(random, day);
      this.#countUse(random, day);
    }
    for (let n = 0; n < 450; n++) this.#review(random, "ios_store", n, now - random.between(1, 400 * 86_400) * 1000);
    for (let n = 0; n < 230; n++) this.#review(random, "android_store", n, now - random.between(1, 6 * 86_400) * 1000);
  }

  /** Sums of our app's sales, in the words and units of the service's rows. */
  sums() {
    const sums = new Map<string, Record<string, string | number | null>>();
    for (const sale of this.sales) {
      if (sale.isForeign) continue;
      const { store, day, sku, type, country, currency } = sale;
      const isApple = store === "ios_store";
      const key = [store, day, sku, type, country, currency].join();
      const sum = sums.get(key) ?? {
        store,
        sale_date: day,
        sku,
        product_type: type,
        country,
        currency,
        units: 0,
        refund_units: 0,
        amount_minor: 0,
        refund_minor: 0,
        proceeds_currency: isApple ? sale.proceedsCurrency : currency,
        proceeds_minor: isApple ? 0 : null,
      };
      sums.set(key, sum);
      const add = (name: string, value: number) => sum[name] = Number(sum[name]) + value;
      add("units", sale.units);
      add("amount_minor", sale.amount);
      if (isApple) add("proceeds_minor", sale.proceeds);
      if (sale.units < 0 || sale.amount < 0) {
        add("refund_units", Math.abs(sale.units));
        add("refund_minor", -sale.amount);
      }
    }
    return [...sums.entries()].sort(([one], [other]) => one < other ? -1 : 1).map(([, sum]) => sum);
  }

  #sellOnAppStore(random: Random, day: string): void {
    const hasSales = !random.chance(0.08);
    for (const market of MARKETS) {
      for (const device of ["iPhone", "iPad"]) {
        if (hasSales) {
          this.#download(random, day, market.country, device);
          PLANS.forEach((plan, n) => {
            if (random.chance(0.6)) this.#line("ios_store", day, plan, market, n, random.between(1, 9), device);
          });
        }
        if (random.chance(0.15)) {
          const n = random.between(0, 1);
          this.#line("ios_store", day, PLANS[n]!, market, n, -random.between(1, 2), device);
        }
      }
    }
  }

  #sellOnGooglePlay(random: Random, day: string): void {
    const hasSales = !random.chance(0.08);
    for (const market of MARKETS) {
      PLANS.forEach((plan, n) => {
        const orders = hasSales ? random.between(0, 4) : 0;
        for (let order = 0; order < orders; order++) this.#line("android_store", day, plan, market, n, 1, "");
        if (random.chance(0.1)) this.#line("android_store", day, plan, market, n, -1, "");
        if (random.chance(0.05)) this.#line("android_store", day, plan, market, n, 0, "");
      });
      if (random.chance(0.3)) this.#line("android_store", day, PLANS[0], market, 0, 1, "", true);
    }
  }

  /** No units: a partial refund of a quarter. */
  #line(
    store: Store,
    day: string,
    { sku, title }: { readonly sku: string; readonly title: string },
    { country, currency, prices, proceeds, owed }: typeof MARKETS[number],
    plan: number,
    units: number,
    device: string,
    isForeign = false,
  ): void {
    const amount = units === 0 ? -Math.round(prices[plan]! / 4) : units * prices[plan]!;
    const type = store === "ios_store" ? "IAY" : "subscription";
    this.sales.push({
      store,
      day,
      sku,
      title,
      type,
      country,
      currency,
      units,
      amount,
      proceeds: units * proceeds[plan]!,
      proceedsCurrency: owed,
      device,
      ...(isForeign ? { isForeign } : {}),
    });
  }

  #download(random: Random, day: string, country: string, device: string): void {
    const free = { store: "ios_store", day, title: "Parking", country, amount: 0, proceeds: 0, device } as const;
    for (const type of ["1F", "7F"]) {
      const units = random.between(0, 1500);
      if (units > 0) {
        this.sales.push({ ...free, sku: "PARKING", type, currency: "USD", units, proceedsCurrency: "USD" });
      }
    }
  }

  #review(random: Random, store: Store, n: number, at: number): void {
    const { language, territory } = random.pick(MARKETS);
    const createdAt = Math.floor(at / 1000) * 1000;
    this.reviews.push({
      store,
      id: store === "ios_store" ? `00000${n}-review` : `gp:review-${n}`,
      rating: random.between(1, 5),
      title: random.chance(0.8) ? `Title ${n}` : "",
      body: random.pick(BODIES[language]!),
      language,
      territory,
      author: `Author ${n}`,
      createdAt,
      changedAt: createdAt,
      response: random.chance(0.2) ? "ありがとうございます。" : null,
    });
  }

  #countUse(random: Random, day: string): void {
    const add = (store: Store, metric: string, value: number) => this.metrics.push({ store, day, metric, value });
    for (const metric of ["installs", "uninstalls", "active_devices"]) {
      add("android_store", metric, random.between(0, 3) * 700 + random.between(0, 99));
    }
    add("android_store", "average_rating", random.between(300, 500) / 100);
    if (random.chance(0.7)) add("android_store", "daily_average_rating", random.between(100, 500) / 100);
    if (day < dayBefore(this.today, 1)) {
      for (const metric of ["crash_rate", "user_perceived_crash_rate", "anr_rate", "user_perceived_anr_rate"]) {
        add("android_store", metric, random.between(1, 300) / 10_000);
      }
    }
    // Analytics begin later than sales.
    if (day < dayBefore(this.today, 30)) return;
    for (const metric of ["first_time_downloads", "redownloads", "updates", "installs", "uninstalls", "crashes"]) {
      add("ios_store", metric, random.between(0, 400));
    }
  }
}
