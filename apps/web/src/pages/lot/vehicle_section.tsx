/** Whether a vehicle fits, dimension by dimension. */
import { number } from "../../format.ts";
import { texts } from "../../language.ts";
import { replaceQuery } from "../../router.ts";
import { Field, Form } from "../../ui/form.tsx";
import type { LotProps } from "./lot.ts";
import { type Dimension, DIMENSIONS, queryOf, vehicleFrom } from "./stay.ts";

const text = texts({
  en: {
    title: "Vehicle",
    fits: "The vehicle fits.",
    fitsNot: "The vehicle does not fit.",
    unknown: "It is unknown whether the vehicle fits.",
    names: {
      height_m: "Height",
      width_m: "Width",
      length_m: "Length",
      weight_t: "Weight",
      clearance_cm: "Ground clearance",
      tire_width_mm: "Tyre width",
    },
    dimension: "Dimension",
    limit: "Limit of the lot",
    yours: "Your vehicle",
    result: "Result",
    atMost: (value: string) => `at most ${value}`,
    atLeast: (value: string) => `at least ${value}`,
    notKnown: "unknown",
    ok: "fits",
    failing: "does not fit",
    enter: "Check a vehicle",
    check: "Check",
  },
  ja: {
    title: "車両制限",
    fits: "この車は入庫できます。",
    fitsNot: "この車は入庫できません。",
    unknown: "この車が入庫できるかは不明です。",
    names: {
      height_m: "高さ",
      width_m: "幅",
      length_m: "長さ",
      weight_t: "重量",
      clearance_cm: "最低地上高",
      tire_width_mm: "タイヤ幅",
    },
    dimension: "項目",
    limit: "駐車場の制限",
    yours: "あなたの車",
    result: "結果",
    atMost: (value: string) => `${value} 以下`,
    atLeast: (value: string) => `${value} 以上`,
    notKnown: "不明",
    ok: "可",
    failing: "不可",
    enter: "車のサイズを入力して確認",
    check: "確認",
  },
});

const UNITS: Readonly<Record<Dimension, string>> = {
  height_m: "m",
  width_m: "m",
  length_m: "m",
  weight_t: "t",
  clearance_cm: "cm",
  tire_width_mm: "mm",
};

export function VehicleSection({ lot, stay }: LotProps) {
  const t = text.value;
  const { fit } = lot;
  return (
    <section aria-labelledby="lot-vehicle">
      <h2 id="lot-vehicle">{t.title}</h2>
      {fit && (
        <p class={fit.fits === null ? "" : fit.fits ? "good" : "wrong"}>
          <strong>{fit.fits === null ? t.unknown : fit.fits ? t.fits : t.fitsNot}</strong>
        </p>
      )}
      <LimitTable lot={lot} stay={stay} />
      <details>
        <summary>{t.enter}</summary>
        <DimensionForm stay={stay} />
      </details>
    </section>
  );
}

const measure = (name: Dimension, value: number) => `${number(value, 2)} ${UNITS[name]}`;

function limitText(name: Dimension, value: number | null): string {
  const t = text.value;
  return value === null ? t.notKnown : (name === "clearance_cm" ? t.atLeast : t.atMost)(measure(name, value));
}

/** The limits of the lot, and whether the vehicle keeps each of them. */
function LimitTable({ lot, stay }: Pick<LotProps, "lot" | "stay">) {
  const t = text.value;
  const { fit } = lot;
  const limits: Readonly<Record<Dimension, number | null>> = {
    height_m: lot.max_height_m,
    width_m: lot.max_width_m,
    length_m: lot.max_length_m,
    weight_t: lot.max_weight_t,
    clearance_cm: lot.min_clearance_cm,
    tire_width_mm: lot.max_tire_width_mm,
  };
  const resultOf = (name: Dimension) =>
    fit!.failing.includes(name) ? "failing" : fit!.unknown.includes(name) ? "notKnown" : "ok";
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t.dimension}</th>
          <th scope="col">{t.limit}</th>
          {fit && <th scope="col">{t.yours}</th>}
          {fit && <th scope="col">{t.result}</th>}
        </tr>
      </thead>
      <tbody>
        {DIMENSIONS.map((name) => {
          const own = stay.vehicle?.[name];
          return (
            <tr key={name}>
              <th scope="row">{t.names[name]}</th>
              <td>{limitText(name, limits[name])}</td>
              {fit && <td>{typeof own === "number" ? measure(name, own) : "–"}</td>}
              {fit && (
                <td class={typeof own === "number" && resultOf(name) === "failing" ? "wrong" : ""}>
                  {typeof own === "number" && t[resultOf(name)]}
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The dimensions of a vehicle, for the address of the page. */
function DimensionForm({ stay }: Pick<LotProps, "stay">) {
  const t = text.value;
  return (
    <Form
      submit={t.check}
      class="lot-dimensions"
      onSubmit={(values) => {
        const entered = DIMENSIONS.map((name) => [name, values.get(name)] as const).filter(([, value]) => value !== "");
        const vehicle = vehicleFrom(Object.fromEntries(entered.map(([name, value]) => [name, Number(value)])));
        replaceQuery(queryOf({ ...stay, vehicle }));
        return Promise.resolve();
      }}
    >
      {DIMENSIONS.map((name) => (
        <Field
          key={name}
          name={name}
          label={`${t.names[name]} (${UNITS[name]})`}
          type="number"
          inputMode="decimal"
          min={0}
          step="any"
          defaultValue={stay.vehicle?.[name] ?? undefined}
        />
      ))}
    </Form>
  );
}
