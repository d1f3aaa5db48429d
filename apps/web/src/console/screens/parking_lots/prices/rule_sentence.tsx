/// <reference lib="dom" />
/** A pricing rule as a sentence: with inputs in it, or as text. */
import type { ComponentChildren } from "preact";
import { label, options } from "../../../../codes.ts";
import { duration, money } from "../../../../format.ts";
import { toLocalInput } from "../../../../local_time.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { sentence } from "../../../kit/sentence.tsx";
import { changedIn, type Draft } from "./tariff.ts";

const text = consoleTexts(({ prices }) => prices);

export interface Group {
  readonly id: string;
  readonly name: string;
}

interface RuleProps {
  readonly rule: Draft;
  readonly stored: Draft | undefined;
  readonly position: number;
  readonly currency: string;
  readonly timeZone: string;
  readonly groups: readonly Group[];
  /** The sentences of the service about fields of this rule. */
  readonly errors: ReadonlyMap<string, string>;
  readonly onChange: (rule: Draft) => void;
}

/** The windows of caps, as one choice. */
const WINDOWS = ["duration", "duration_once", "day", "day_once", "band", "band_once", "stay"] as const;
type Window = (typeof WINDOWS)[number];

function windowOf({ cap_type, cap_repeat }: Draft): Window | "" {
  if (cap_type === null) return "";
  return cap_type === "stay" || cap_repeat === true ? cap_type : `${cap_type}_once`;
}

function withWindow(rule: Draft, window: string): Draft {
  const [type, once] = window.split("_");
  const cap_type = type as Draft["cap_type"];
  return {
    ...rule,
    cap_type,
    cap_repeat: cap_type === "stay" ? null : once === undefined,
    cap_duration_hours: cap_type === "duration" ? rule.cap_duration_hours ?? 24 : null,
  };
}

export function EditedRule({ rule, stored, position, currency, timeZone, groups, errors, onChange }: RuleProps) {
  const t = text.value;
  const changed = changedIn(rule, stored);
  const mark = (...fields: (keyof Draft)[]) => fields.some((field) => changed.has(field)) ? "is-changed" : undefined;
  const name = (label: string) => `${label}, ${t.rule(position)}`;
  const set = <K extends keyof Draft>(field: K, value: Draft[K]) => onChange({ ...rule, [field]: value });
  const numberOf = (value: string) => value.trim() === "" ? null : Number(value);
  const input = (
    field: "per_minutes" | "price_minor" | "cap_price_minor" | "cap_duration_hours" | "max_units",
    label: string,
  ) => (
    <input
      class={mark(field)}
      type="number"
      min={0}
      step={field === "cap_duration_hours" ? "any" : 1}
      aria-label={name(label)}
      aria-invalid={errors.has(field) ? true : undefined}
      value={rule[field] ?? ""}
      onInput={(event) => set(field, numberOf(event.currentTarget.value))}
    />
  );
  const amount = (field: "price_minor" | "cap_price_minor", label: string) => (
    <span class="price-amount">
      <span aria-hidden="true">{currency === "JPY" ? "¥" : currency}</span>
      {input(field, label)}
    </span>
  );
  const clock = (field: "time_start" | "time_end", label: string) => (
    <input
      class={`price-clock ${mark(field) ?? ""}`}
      placeholder={t.anyTime}
      aria-label={name(label)}
      aria-invalid={errors.has(field) ? true : undefined}
      value={rule[field] ?? ""}
      onInput={(event) => set(field, event.currentTarget.value.trim() || null)}
    />
  );
  const days = (
    <select
      class={mark("day_type")}
      aria-label={name(t.days)}
      value={rule.day_type ?? "all"}
      onChange={(event) => set("day_type", event.currentTarget.value as Draft["day_type"])}
    >
      {daysWith(rule.day_type ?? "all").map(([code, label]) => <option key={code} value={code}>{label}</option>)}
    </select>
  );
  const window = (
    <>
      <select
        class={mark("cap_type", "cap_repeat")}
        aria-label={name(t.window)}
        value={windowOf(rule)}
        onChange={(event) => onChange(withWindow(rule, event.currentTarget.value))}
      >
        {WINDOWS.map((window) => <option key={window} value={window}>{t.windows[window]}</option>)}
      </select>
      {rule.cap_type === "duration" && (
        <>
          {input("cap_duration_hours", t.hours)} {t.hoursUnit}
        </>
      )}
    </>
  );
  const dateInput = (field: "effective_from" | "effective_to", label: string) => (
    <input
      class={mark(field)}
      type="date"
      aria-label={name(label)}
      aria-invalid={errors.has(field) ? true : undefined}
      value={rule[field] ?? ""}
      onInput={(event) => set(field, event.currentTarget.value || null)}
    />
  );
  const hasDates = rule.effective_from !== null || rule.effective_to !== null;
  const hasCap = rule.cap_type !== null;
  const hasUnits = rule.max_units !== null;
  const cap = rule.category === "cap" || hasCap
    ? sentence(t.capPart, { price: amount("cap_price_minor", t.cap), window })
    : "";
  return (
    <>
      {groups.length > 0 && (
        <select
          class={mark("pricing_group_id")}
          aria-label={name(t.group)}
          value={rule.pricing_group_id ?? ""}
          onChange={(event) => set("pricing_group_id", event.currentTarget.value || null)}
        >
          <option value="">{t.defaultGroup}</option>
          {groups.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      )}
      {sentence(t.sentences[rule.category], {
        days,
        from: clock("time_start", t.from),
        to: clock("time_end", t.to),
        minutes: input("per_minutes", t.minutes),
        price: amount("price_minor", t.price),
        units: hasUnits ? sentence(t.unitsPart, { units: input("max_units", t.units) }) : "",
        cap,
      })}
      {hasDates && sentence(t.datesPart, {
        first: dateInput("effective_from", t.firstDate),
        last: dateInput("effective_to", t.lastDate),
      })}
      <button
        type="button"
        class="link"
        onClick={() =>
          onChange({
            ...rule,
            effective_from: hasDates ? null : toLocalInput(new Date(), timeZone).slice(0, 10),
            effective_to: null,
          })}
      >
        {hasDates ? t.withoutDates : t.withDates}
      </button>
      {(rule.category === "time_band" || rule.category === "flat") && (
        <button
          type="button"
          class="link"
          onClick={() =>
            onChange(
              hasCap
                ? { ...rule, cap_type: null, cap_price_minor: null, cap_duration_hours: null, cap_repeat: null }
                : { ...withWindow(rule, "band") },
            )}
        >
          {hasCap ? t.withoutCap : t.withCap}
        </button>
      )}
      {(hasUnits || (rule.category === "time_band" && rule.time_start !== null)) && (
        <button
          type="button"
          class="link"
          onClick={() => set("max_units", hasUnits ? null : 1)}
        >
          {hasUnits ? t.withoutUnits : t.withUnits}
        </button>
      )}
    </>
  );
}

function daysWith(code: string): readonly (readonly [string, string])[] {
  const all = options("day_type");
  return all.some(([known]) => known === code) ? all : [...all, [code, code]];
}

/** A rule as text: `Weekdays, 08:00 to 20:00: ¥300 for each 30 min.` */
export function RuleText({ rule, currency }: { rule: Draft; currency: string }): ComponentChildren {
  return <>{ruleParts(rule, currency)}</>;
}

function ruleParts(rule: Draft, currency: string): ComponentChildren {
  const t = text.value;
  const price = (amount: number | null) => amount === null ? "?" : money(amount, currency);
  const window = windowOf(rule);
  const { effective_from: first, effective_to: last } = rule;
  const dates = first === null && last === null
    ? ""
    : sentence(t.datesPart, { first: first ?? "…", last: last ?? "…" });
  const hours = rule.cap_type === "duration" ? ` ${t.fromEntry(duration((rule.cap_duration_hours ?? 0) * 60))}` : "";
  const words = sentence(t.sentences[rule.category], {
    days: label("day_type", rule.day_type ?? "all"),
    from: rule.time_start ?? "0:00",
    to: rule.time_end ?? "24:00",
    minutes: rule.per_minutes ?? "?",
    price: price(rule.price_minor),
    units: rule.max_units === null ? "" : sentence(t.unitsPart, { units: rule.max_units }),
    cap: window === ""
      ? ""
      : sentence(t.capPart, { price: price(rule.cap_price_minor), window: `${t.windows[window]}${hours}` }),
  });
  return <>{words}{dates}</>;
}
