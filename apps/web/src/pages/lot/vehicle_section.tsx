/** Whether a vehicle fits, dimension by dimension. */
import { number } from "../../format.ts";
import { replaceQuery } from "../../router.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Field, Form } from "../../ui/form.tsx";
import type { LotProps } from "./lot.ts";
import { type Dimension, DIMENSIONS, queryOf, vehicleFrom } from "./stay.ts";

const text = pageTexts(({ lot }) => lot.vehicleSection);

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
