/** The form for the stay and the vehicle. What it has is in the query of the address. */
import { label, options } from "../../codes.ts";
import { duration } from "../../format.ts";
import { dayAfter, fromLocalInput, toLocalInput } from "../../local_time.ts";
import { replaceQuery } from "../../router.ts";
import { isSignedIn } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Field, Form, Select } from "../../ui/form.tsx";
import { useLoad } from "../../ui/load.tsx";
import { readVehicles } from "../../vehicles.ts";
import type { LotProps } from "./lot.ts";
import { DIMENSIONS, isPossible, lasting, nextHour, queryOf, type Stay, UNITS, vehicleFrom } from "./stay.ts";
import { SentenceError } from "../../sentence_error.ts";

const text = pageTexts(({ lot }) => lot.stayForm);
const names = pageTexts(({ lot }) => lot.fitSection.names);

const HOURS = [1, 3, 12, 24];

export function StayForm({ lot, stay, onShown }: LotProps & { onShown: () => void }) {
  const t = text.value;
  const zone = lot.time_zone;
  const show = (changes: Partial<Stay>) => {
    replaceQuery(queryOf({ ...stay, ...changes }));
    onShown();
  };
  const submit = async (values: FormData) => {
    await Promise.resolve();
    const time = (name: string) => fromLocalInput(String(values.get(name)), zone);
    const times = { entryAt: time("entry_at"), exitAt: time("exit_at") };
    if (!isPossible(times)) throw new SentenceError(t.wrongOrder);
    const entered = DIMENSIONS.map((name) => [name, values.get(name)] as const).filter(([, value]) => value !== "");
    const vehicle = vehicleFrom(Object.fromEntries(entered.map(([name, value]) => [name, Number(value)])));
    show({ ...times, vehicleType: String(values.get("vehicle_type")), vehicle });
  };
  return (
    <div class="lot-stay">
      <div class="row" role="group" aria-label={t.presets}>
        {HOURS.map((hours) => (
          <button key={hours} type="button" onClick={() => show(lasting(entryNow(), hours))}>
            {duration(hours * 60)}
          </button>
        ))}
        <button type="button" onClick={() => show(tonight(zone))}>{t.tonight}</button>
      </div>
      <StayVehicles onChoose={show} />
      <Form submit={t.calculate} onSubmit={submit}>
        <Field
          name="entry_at"
          label={t.entry}
          type="datetime-local"
          defaultValue={toLocalInput(stay.entryAt, zone)}
          required
        />
        <Field
          name="exit_at"
          label={t.exit}
          type="datetime-local"
          defaultValue={toLocalInput(stay.exitAt, zone)}
          hint={t.clock(zone)}
          required
        />
        <Select
          name="vehicle_type"
          label={t.vehicleType}
          options={withChoice(options("vehicle_type"), stay.vehicleType)}
          defaultValue={stay.vehicleType}
        />
        <details open={stay.vehicle !== undefined}>
          <summary>{t.sizes}</summary>
          <div class="lot-dimensions">
            {DIMENSIONS.map((name) => (
              <Field
                key={name}
                name={name}
                label={`${names.value[name]} (${UNITS[name]})`}
                type="number"
                inputMode="decimal"
                min={0}
                step="any"
                defaultValue={stay.vehicle?.[name] ?? undefined}
              />
            ))}
          </div>
        </details>
      </Form>
    </div>
  );
}

const entryNow = () => Date.parse(nextHour(new Date()).entryAt);

/** From 20:00 to 08:00 by the clocks of the lot. */
function tonight(timeZone: string): Pick<Stay, "entryAt" | "exitAt"> {
  const day = toLocalInput(new Date(), timeZone).slice(0, 10);
  return {
    entryAt: fromLocalInput(`${day}T20:00`, timeZone),
    exitAt: fromLocalInput(`${dayAfter(day, 1)}T08:00`, timeZone),
  };
}

/** While the labels are not there, the list has the choice alone. */
export function withChoice(choices: [string, string][], choice: string): [string, string][] {
  return choices.some(([code]) => code === choice) ? choices : [[choice, choice], ...choices];
}

/** The vehicles of the user: a button for each takes its type and its dimensions. */
function StayVehicles({ onChoose }: { onChoose: (changes: Partial<Stay>) => void }) {
  const { data } = useLoad(readVehicles, [isSignedIn.value]);
  if (data === undefined || data.length === 0) return null;
  return (
    <div class="row" role="group" aria-label={text.value.vehicles}>
      {data.map((vehicle) => (
        <button
          key={vehicle.id}
          type="button"
          onClick={() => onChoose({ vehicleType: vehicle.vehicle_type, vehicle: vehicleFrom(vehicle) })}
        >
          {vehicle.nickname ?? label("vehicle_type", vehicle.vehicle_type)}
        </button>
      ))}
    </div>
  );
}
