/** The sheet that ends a session: when the car left, what the rules say, and what the machine charged. */
import { useRef, useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { dateTime, duration, money, timeOfDay } from "../../format.ts";
import { newKey } from "../../keys.ts";
import { fromLocalInput, toLocalInput } from "../../local_time.ts";
import { deliver } from "../../outbox.ts";
import { navigate } from "../../router.ts";
import { client } from "../../service.ts";
import { serviceNow } from "../../service_time.ts";
import { pageTexts } from "../../texts/pages.ts";
import { useNow } from "../../ui/clock.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { useLoad } from "../../ui/load.tsx";
import { MachineAmountField, reportDifference, useMachineAmount } from "./machine_amount.tsx";
import { amountAt } from "./meter_amount.ts";
import { keepPlan } from "../../plan.ts";

type Current = components["schemas"]["CurrentParkingSession"];

const text = pageTexts(({ session }) => session.endSheet);

const MINUTE_MS = 60_000;
const STEP_MS = 5 * MINUTE_MS;
/** How far ahead of now the service takes an exit. */
const AHEAD_MS = 5 * MINUTE_MS;
/** How far before the start it takes one, for a slow clock. */
const SLOW_MS = 5 * MINUTE_MS;

interface EndProps {
  readonly session: Current;
  readonly startedAt: number;
  readonly onClose: () => void;
}

export function EndSheet(props: EndProps) {
  return (
    <Dialog title={text.value.title} onClose={props.onClose}>
      <EndForm {...props} />
    </Dialog>
  );
}

function EndForm({ session, startedAt, onClose }: EndProps) {
  const t = text.value;
  const now = useNow();
  // Undefined: the car leaves now, and the time goes on.
  const [chosen, setChosen] = useState<number>();
  const [isExact, setIsExact] = useState(false);
  // Without a connection the device's clock may be before the start: the service takes that as the start.
  const exit = Math.max(startedAt, chosen ?? now);
  const latest = now + AHEAD_MS;
  const choose = (time: number) => setChosen(Math.min(Math.max(time, startedAt), latest));
  const calculated = useFee(session, startedAt, exit);
  const machine = useMachineAmount("unknown");
  const currency = "refusal" in session.meter ? "JPY" : session.meter.currency;
  // What is done is not repeated when the report fails and the form is sent again. Null: the end waits for a connection.
  const ended = useRef<components["schemas"]["FinalizedParkingSession"] | null | undefined>(undefined);
  const requestId = useRef(newKey());

  const end = async () => {
    const { id } = session;
    const leftAt = new Date(exit).toISOString();
    const exit_at = new Date(chosen ?? Math.max(now, startedAt - SLOW_MS)).toISOString();
    const params = { path: { id } };
    const body = { exit_at, client_request_id: requestId.current };
    if (ended.current === undefined) {
      const reply = await deliver(
        "session_end",
        (keyed) => client.POST("/v1/parking-sessions/{id}/finalize", { params, body, ...keyed }),
      );
      ended.current = reply?.data ?? null;
    }
    keepPlan(id, undefined);
    if (ended.current === null) {
      // The end waits for a connection, and the report with it.
      await reportDifference(machine, session, leftAt, calculated ?? null, currency);
      return onClose();
    }
    const { total_amount } = ended.current;
    const isReported = await reportDifference(machine, session, leftAt, total_amount, ended.current.currency);
    navigate(`/session/${id}`, { reported: isReported || undefined });
  };

  return (
    <Form submit={t.submit} onSubmit={end}>
      <fieldset class="end-time">
        <legend>{t.when}</legend>
        <div class="end-steps">
          <button type="button" disabled={exit - STEP_MS < startedAt} onClick={() => choose(floor(exit - STEP_MS))}>
            {t.earlier}
          </button>
          <p aria-live="polite">
            <strong>{timeOfDay(new Date(exit))}</strong>
            <span class="small">{t.after(dayOf(exit, now), duration((exit - startedAt) / MINUTE_MS))}</span>
          </p>
          <button type="button" disabled={exit + MINUTE_MS > latest} onClick={() => choose(floor(exit + STEP_MS))}>
            {t.later}
          </button>
        </div>
        {isExact
          ? (
            <Field
              name="exit_at"
              label={t.exact}
              type="datetime-local"
              defaultValue={toLocalInput(new Date(exit))}
              min={toLocalInput(new Date(startedAt))}
              max={toLocalInput(new Date(latest))}
              onInput={(value) => {
                const time = Date.parse(value === "" ? "" : fromLocalInput(value));
                if (!Number.isNaN(time)) choose(time);
              }}
            />
          )
          : <button type="button" class="link" onClick={() => setIsExact(true)}>{t.otherTime}</button>}
      </fieldset>
      <p class="end-fee">
        <span>{t.byRules}</span>
        <strong aria-live="polite">
          {calculated === undefined ? "…" : calculated === null ? t.unknown : money(calculated, currency)}
        </strong>
      </p>
      {session.can_exit_now === false && <p class="small wrong">{t.closed}</p>}
      <MachineAmountField machine={machine} calculated={calculated ?? null} currency={currency} />
      <p class="small end-note">{t.notPaid}</p>
    </Form>
  );
}

/** A full minute: a stepped time has no seconds. */
const floor = (time: number) => Math.floor(time / MINUTE_MS) * MINUTE_MS;

/** The word for today, otherwise the day with the time. */
function dayOf(time: number, now: number): string {
  const day = (of: number) => toLocalInput(new Date(of)).slice(0, 10);
  return day(time) === day(now) ? text.value.today : dateTime(new Date(time));
}

/** The fee of an exit at this time: null if it is unknown, undefined while it is being read. */
function useFee({ meter, parking_lot_id, vehicle_type }: Current, startedAt: number, exit: number) {
  const minute = floor(exit);
  const load = useLoad(async (signal) => {
    if ("refusal" in meter) return null;
    // From now on the meter knows it, also without a connection.
    if (exit >= serviceNow() - MINUTE_MS) return amountAt(meter, exit);
    const body = {
      entry_at: new Date(startedAt).toISOString(),
      exit_at: new Date(exit).toISOString(),
      ...(vehicle_type ? { vehicle_type } : {}),
    };
    const params = { path: { id: parking_lot_id } };
    return (await client.POST("/v1/parking-lots/{id}/calc-fee", { params, body, signal })).data.total_amount;
  }, [minute, meter]);
  if (load.error !== undefined) return null;
  return load.isLoading && load.data === undefined ? undefined : load.data;
}
