/** How full the lot is, how full it usually is, and a report by a user. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { label, options } from "../../codes.ts";
import { dateTime, duration, number } from "../../format.ts";
import { texts } from "../../language.ts";
import { client, isSignedIn } from "../../service.ts";
import { Field, Form, Select } from "../../ui/form.tsx";
import { askToSignIn } from "../../sign_in.ts";
import { Forecast } from "./forecast.tsx";
import type { LotProps } from "./lot.ts";

type State = components["schemas"]["OccupancyState"];

const text = texts({
  en: {
    title: "How full",
    unknown: "How full the lot is now is unknown: there is no recent report.",
    free: (spaces: number) => `${number(spaces)} ${spaces === 1 ? "space" : "spaces"} free`,
    of: (total: number) => `of ${number(total)}`,
    observed: (time: string, age: string) => `observed ${time}, ${age} ago`,
    source: "Source",
    trust: (percent: string) => `Trust ${percent}%`,
    report: "Report how full it is",
    state: "Now",
    spaces: "Free spaces, if you know",
    send: "Report",
    sent: "Thank you. The report was sent.",
    signIn: "Sign in to report how full the lot is",
  },
  ja: {
    title: "混雑状況",
    unknown: "現在の混雑状況は不明です。最近の報告がありません。",
    free: (spaces: number) => `空き ${number(spaces)}台`,
    of: (total: number) => `/ 全 ${number(total)}台`,
    observed: (time: string, age: string) => `${time} の情報 (${age}前)`,
    source: "情報源",
    trust: (percent: string) => `信頼度 ${percent}%`,
    report: "混雑状況を報告",
    state: "現在",
    spaces: "空き台数 (分かる場合)",
    send: "報告する",
    sent: "ありがとうございます。報告を送りました。",
    signIn: "ログインして混雑状況を報告",
  },
});

export function OccupancySection(props: LotProps) {
  const t = text.value;
  const { lot } = props;
  return (
    <section aria-labelledby="lot-occupancy">
      <h2 id="lot-occupancy">{t.title}</h2>
      <CurrentOccupancy {...props} />
      <Forecast hours={lot.occupancy_forecast ?? []} timeZone={lot.time_zone} />
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
  if (now === null) return <p class="notice">{t.unknown}</p>;
  return (
    <p class="lot-occupancy-now">
      <strong class={`lot-${now.state}`}>{label("occupancy_state", now.state)}</strong>{" "}
      {now.free_spaces !== null && (
        <span>{t.free(now.free_spaces)} {lot.total_spaces !== null && t.of(lot.total_spaces)}</span>
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
