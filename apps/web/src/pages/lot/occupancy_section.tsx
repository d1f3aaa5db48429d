/** How full the lot is, how full it usually is, and a report by a user. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { label, options } from "../../codes.ts";
import { dateTime, duration, number } from "../../format.ts";
import { client, isSignedIn } from "../../service.ts";
import { Field, Form, Select } from "../../ui/form.tsx";
import { askToSignIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Forecast } from "./forecast.tsx";
import type { LotProps } from "./lot.ts";

type State = components["schemas"]["OccupancyState"];

const text = pageTexts(({ lot }) => lot.occupancySection);

export function OccupancySection(props: LotProps) {
  const t = text.value;
  const { lot } = props;
  return (
    <section aria-labelledby="lot-occupancy">
      <h2 id="lot-occupancy">{t.title}</h2>
      <CurrentOccupancy {...props} />
      {(lot.occupancy_forecast ?? []).length > 0 && (
        <Forecast hours={lot.occupancy_forecast!} timeZone={lot.time_zone} />
      )}
      {isSignedIn.value ? <OccupancyReport {...props} /> : (
        <p>
          <button type="button" onClick={() => askToSignIn()}>{t.signIn}</button>
        </p>
      )}
    </section>
  );
}

function CurrentOccupancy({ lot }: LotProps) {
  const t = text.value;
  const now = lot.availability;
  if (now === null) return <p class="lot-quiet">{t.unknown}</p>;
  return (
    <p class="lot-occupancy-now">
      <strong class={`lot-${now.state}`}>{label("occupancy_state", now.state)}</strong>{" "}
      {now.free_spaces !== null && (
        <span>
          {t.free(number(now.free_spaces), now.free_spaces === 1)}{" "}
          {lot.total_spaces !== null && t.of(number(lot.total_spaces))}
        </span>
      )}
      <span class="small">
        {t.source}: {label("occupancy_source", now.source)},{" "}
        {t.observed(dateTime(now.observed_at, lot.time_zone), duration(Math.round(now.age_seconds / 60)))}.{" "}
        {t.trust(number(now.trust * 100))}
      </span>
    </p>
  );
}

function OccupancyReport({ lot, reload }: LotProps) {
  const t = text.value;
  const [isSent, setIsSent] = useState(false);
  const send = async (values: FormData) => {
    setIsSent(false);
    const spaces = String(values.get("free_spaces"));
    await client.POST("/v1/parking-lots/{id}/occupancy-reports", {
      params: { path: { id: lot.id } },
      body: { state: values.get("state") as State, ...(spaces === "" ? {} : { free_spaces: Number(spaces) }) },
    });
    setIsSent(true);
    reload();
  };
  return (
    <details>
      <summary>{t.report}</summary>
      <Form submit={t.send} onSubmit={send}>
        <Select name="state" label={t.state} options={options("occupancy_state")} required />
        <Field name="free_spaces" label={t.spaces} type="number" inputMode="numeric" min={0} step={1} />
      </Form>
      <p role="status">{isSent && t.sent}</p>
    </details>
  );
}
