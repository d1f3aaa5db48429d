/** The session that runs: its meter, what is ahead, where the car stands, and its end. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { ParkingSessionUpdate } from "../../bounds.ts";
import { label } from "../../codes.ts";
import { dateTime, duration, money, timeOfDay } from "../../format.ts";
import { deliver, waiting } from "../../outbox.ts";
import { href } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { useNow } from "../../ui/clock.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { boundsText, RefusalNote } from "../../ui/fee_lines.tsx";
import { Form, TextArea } from "../../ui/form.tsx";
import { Surprises } from "../../ui/surprises.tsx";
import { ActionButton, useAction, useLoad } from "../../ui/load.tsx";
import type { Step } from "../../ui/step_path.ts";
import { cheaperFrom, plateauOf } from "../../ui/cheaper.ts";
import { type Outcome, OutcomeNote, outcomeOf } from "../../ui/outcome_note.tsx";
import { EndSheet } from "./end_sheet.tsx";
import { MeterView, when } from "./meter.tsx";
import { amountAt, type Meter, wholeStay } from "./meter_amount.ts";
import { keepPlan, planOf } from "../../plan.ts";
import { remindBeforeIncrease, remindsBeforeIncrease } from "../../reminders.ts";
import { SessionPhotos } from "./session_photos.tsx";

type Current = components["schemas"]["CurrentParkingSession"];

const text = pageTexts(({ session }) => session.runningSession);

const CANCELLABLE_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
/** How long before the planned exit the page says that it comes. */
const SOON_MS = 10 * 60_000;

export function RunningSession({ session, isLive }: { session: Current; isLive: boolean }) {
  const now = useNow();
  const t = text.value;
  const { id, meter, parking_lot_id, parking_lot_name, vehicle_type } = session;
  const startedAt = Date.parse(session.started_at ?? session.created_at);
  const [isEnding, setIsEnding] = useState(false);
  const [plan, setPlan] = useState(() => planOf(id));
  const fromEntry = useCurveFromEntry(session, startedAt);
  const earliestExit = earliestExitOf(session, now);
  // The end is on its way: it is not ended twice.
  const waits = waiting.value.some(({ kind, address, refusal }) =>
    /^session_(end|cancel)$/.test(kind) && address.includes(id) && refusal === undefined
  );
  return (
    <div class="session">
      <header>
        <h2>
          <a href={href(`/lots/${parking_lot_id}`)}>{parking_lot_name}</a>
        </h2>
        <p class="session-since">
          {[
            t.since(when(startedAt, now - DAY_MS / 2)),
            vehicle_type && label("vehicle_type", vehicle_type),
            session.memo,
          ].filter(Boolean).join(" · ")}
        </p>
      </header>
      {"refusal" in meter
        ? (
          <section class="card meter">
            <h3>{boundsText(meter.refusal) ?? t.unknownFee}</h3>
            <RefusalNote refusal={meter.refusal} />
          </section>
        )
        : (
          <MeterView
            meter={meter}
            now={now}
            startedAt={startedAt}
            fromEntry={fromEntry}
            earliestExit={earliestExit}
          />
        )}
      {!isLive && <p class="small">{t.fromCurve}</p>}
      {!("refusal" in meter) && (
        <Surprises
          surprises={meter.surprises}
          earlier={plan === undefined ? undefined : {
            exitAt: plan,
            currency: meter.currency,
            time: (time) => when(Date.parse(time), now),
            saved: (leaveBy) => amountAt(meter, Date.parse(plan)) - amountAt(meter, Date.parse(leaveBy)),
            leave: (leaveBy) => {
              keepPlan(id, leaveBy);
              setPlan(leaveBy);
            },
          }}
        />
      )}
      <PlanNote plan={plan} now={now} />
      <dl class="session-rows">
        {!("refusal" in meter) && earliestExit === undefined && (
          <MeterRows meter={meter} plan={plan} fromEntry={fromEntry} now={now} />
        )}
        <ExitRow session={session} now={now} />
      </dl>
      <ReminderSwitch />
      <Place session={session} />
      {waits && <p class="notice" role="status">{t.waits}</p>}
      {!waits && now < startedAt + CANCELLABLE_MS && (
        <p class="row">
          <ActionButton
            perform={() =>
              deliver(
                "session_cancel",
                (keyed) => client.POST("/v1/parking-sessions/{id}/cancel", { params: { path: { id } }, ...keyed }),
              )}
          >
            {t.cancel}
          </ActionButton>
          <span class="small">{t.cancelHint}</span>
        </p>
      )}
      <div class="session-end">
        {!waits && <button type="button" class="primary" onClick={() => setIsEnding(true)}>{t.end}</button>}
      </div>
      {isEnding && <EndSheet session={session} startedAt={startedAt} onClose={() => setIsEnding(false)} />}
    </div>
  );
}

/** Undefined if the car can leave now or nothing is known; null if it cannot and the time is not known. */
function earliestExitOf({ can_exit_now, can_exit_changes_at }: Current, now: number): number | null | undefined {
  if (can_exit_now !== false) return undefined;
  if (can_exit_changes_at === null) return null;
  const opens = Date.parse(can_exit_changes_at);
  // The exit has opened since the last answer, for example without a connection.
  return opens > now ? opens : undefined;
}

/** The steps of the fee from the entry on, for the past half of the curve. Without them the curve begins now. */
function useCurveFromEntry({ id, parking_lot_id, vehicle_type }: Current, startedAt: number): readonly Step[] {
  const { data } = useLoad(async (signal) => {
    // The curve of a lot has the 24 hours after the entry.
    if (Date.now() - startedAt > DAY_MS) return [];
    const query = {
      include: ["fee_curve" as const],
      entry_at: new Date(startedAt).toISOString(),
      exit_at: new Date(startedAt + 60_000).toISOString(),
      ...(vehicle_type ? { vehicle_type } : {}),
    };
    const { data } = await client.GET("/v1/parking-lots/{id}", {
      params: { path: { id: parking_lot_id }, query },
      signal,
    });
    return (data.fee_curve ?? []).map(({ at, amount }) => ({ at: Date.parse(at), amount }));
  }, [id]);
  return data ?? [];
}

function MeterRows(
  { meter, plan, fromEntry, now }: {
    meter: Meter;
    plan: string | undefined;
    fromEntry: readonly Step[];
    now: number;
  },
) {
  const t = text.value;
  const known = Date.parse(meter.known_until);
  const { steps } = wholeStay(meter, fromEntry, now);
  const end = { at: known, amount: steps.at(-1)?.amount ?? meter.amount };
  const cheaper = cheaperFrom([...steps, end], now, fromEntry.length > 0 ? 0 : meter.amount);
  const most = plateauOf([...steps, end], now);
  const planned = plan === undefined ? undefined : Date.parse(plan);
  return (
    <>
      {planned !== undefined && planned > now && (
        <Row
          name={t.planned(when(planned, now))}
          value={planned > known ? t.unknown : money(amountAt(meter, planned), meter.currency)}
        />
      )}
      {cheaper && (
        <Row
          name={t.cheaper(when(cheaper.at, now))}
          value={t.per(money(cheaper.amount, meter.currency), duration(cheaper.minutes))}
        />
      )}
      {most && <Row name={t.atMost(when(most.until, now))} value={money(most.amount, meter.currency)} />}
    </>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function ExitRow({ session, now }: { session: Current; now: number }) {
  const t = text.value;
  const { can_exit_now, can_exit_changes_at } = session;
  if (can_exit_now !== true || can_exit_changes_at === null) return null;
  return <Row name={t.exit} value={t.closesAt(when(Date.parse(can_exit_changes_at), now))} />;
}

/** A sentence when the planned exit is near or over. */
function PlanNote({ plan, now }: { plan: string | undefined; now: number }) {
  const t = text.value;
  const left = plan === undefined ? Infinity : Date.parse(plan) - now;
  return (
    <div role="status">
      {left <= SOON_MS && (
        <p class="notice session-soon">{left > 0 ? t.planSoon(timeOfDay(plan!)) : t.planOver(dateTime(plan!))}</p>
      )}
    </div>
  );
}

function ReminderSwitch() {
  const t = text.value;
  const load = useLoad(remindsBeforeIncrease, []);
  const action = useAction(async () => {
    await remindBeforeIncrease(!load.data);
    load.reload();
  });
  if (load.data === undefined) return null;
  return (
    <>
      <label class="switch">
        <span>{t.remind}</span>
        <input
          type="checkbox"
          role="switch"
          checked={load.data}
          aria-busy={action.isRunning}
          onChange={() => void action.run()}
        />
      </label>
      {action.error !== undefined && <ErrorNote error={action.error} />}
    </>
  );
}

/** Where the car stands: a memo and photos. */
function Place({ session }: { session: Current }) {
  const t = text.value;
  const [outcome, setOutcome] = useState<Outcome>();
  return (
    <details class="session-place">
      <summary>{t.place}</summary>
      <Form
        submit={t.save}
        onSubmit={async (values) => {
          setOutcome(undefined);
          const body = { memo: String(values.get("memo")).trim() || null };
          const params = { path: { id: session.id } };
          const saved = await deliver(
            "session_notes",
            (keyed) => client.PATCH("/v1/me/parking-sessions/{id}", { params, body, ...keyed }),
          );
          setOutcome(outcomeOf(saved));
        }}
      >
        <TextArea
          name="memo"
          label={t.memo}
          rows={2}
          {...ParkingSessionUpdate.memo}
          defaultValue={session.memo ?? ""}
        />
      </Form>
      <OutcomeNote outcome={outcome} sent={t.saved} />
      <SessionPhotos sessionId={session.id} phase="during" />
    </details>
  );
}
