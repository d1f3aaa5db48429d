/** Whether the vehicle fits, in words with the margin, and the limits of the lot. */
import { number } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot, LotProps } from "./lot.ts";
import { type Dimension, DIMENSIONS, UNITS } from "./stay.ts";

const text = pageTexts(({ lot }) => lot.fitSection);

export function FitSection({ lot, stay }: LotProps) {
  const t = text.value;
  const limits = DIMENSIONS.filter((name) => limitOf(lot, name) !== null);
  if (lot.fit === null && limits.length === 0) return null;
  return (
    <section class="lot-fit" aria-labelledby="lot-fit">
      <div class="lot-row">
        <h2 id="lot-fit">{lot.fit ? t.title[`${lot.fit.fits}`] : t.limits}</h2>
        <p class={lot.fit?.fits === false ? "wrong" : "lot-quiet"}>
          {lot.fit ? fitWords(lot, stay.vehicle ?? {}) : limits.map((name) => limitText(lot, name)).join(", ")}
        </p>
      </div>
      {lot.fit && limits.length > 0 && (
        <details>
          <summary>{t.all}</summary>
          <ul class="lot-limits">{limits.map((name) => <li key={name}>{limitText(lot, name)}</li>)}</ul>
        </details>
      )}
    </section>
  );
}

function limitOf(lot: Lot, name: Dimension): number | null {
  const limits: Readonly<Record<Dimension, number | null>> = {
    height_m: lot.max_height_m,
    width_m: lot.max_width_m,
    length_m: lot.max_length_m,
    weight_t: lot.max_weight_t,
    clearance_cm: lot.min_clearance_cm,
    tire_width_mm: lot.max_tire_width_mm,
  };
  return limits[name];
}

const measure = (name: Dimension, value: number) => `${number(value, 2)} ${UNITS[name]}`;

function limitText(lot: Lot, name: Dimension): string {
  const t = text.value;
  const value = measure(name, limitOf(lot, name)!);
  return `${t.names[name]} ${name === "clearance_cm" ? t.atLeast(value) : t.atMost(value)}`;
}

/** What is left between the vehicle and the limits: what does not fit first, then the tightest; and what is unknown. */
function fitWords(lot: Lot, vehicle: Partial<Record<Dimension, number | null>>): string {
  const t = text.value;
  const given = DIMENSIONS.filter((name) => typeof vehicle[name] === "number");
  const known = given.filter((name) => limitOf(lot, name) !== null);
  const margins = known.map((name) => ({ name, own: vehicle[name]!, margin: marginOf(lot, name, vehicle[name]!) }));
  const failing = margins.filter(({ margin }) => margin < 0);
  const shown = failing.length > 0 ? failing : margins.filter(({ name }) => name === "height_m").concat(
    margins.filter(({ name }) => name !== "height_m").toSorted((a, b) => a.margin - b.margin),
  ).slice(0, 1);
  const unknown = given.filter((name) => limitOf(lot, name) === null);
  return [
    ...shown.map(({ name, own, margin }) =>
      t.margin(t.names[name], measure(name, own), limitText(lot, name), spare(name, margin), Math.sign(margin))
    ),
    unknown.length > 0 && t.unknown(unknown.map((name) => t.names[name]).join(t.comma)),
  ].filter(Boolean).join(" ");
}

/** How much is left; negative is too much. Rounded, because 2.3 - 2.1 is not 0.2. */
function marginOf(lot: Lot, name: Dimension, own: number): number {
  const limit = limitOf(lot, name)!;
  const margin = name === "clearance_cm" ? own - limit : limit - own;
  return Math.round(margin * 1000) / 1000;
}

/** Lengths in centimetres. */
function spare(name: Dimension, margin: number): string {
  const size = Math.abs(margin);
  return UNITS[name] === "m" ? `${number(size * 100)} cm` : measure(name, size);
}
