/** The running session, and the history: `#/session` and `#/session/<id>`. */
import { useEffect, useState } from "preact/hooks";
import type { components, LiveSubscription } from "parking-lot-client";
import type { PageProps } from "../../page.ts";
import { label } from "../../codes.ts";
import { dateTime, duration, money } from "../../format.ts";
import { href, navigate } from "../../router.ts";
import { client } from "../../service.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { RefusalNote } from "../../ui/fee_lines.tsx";
import { ActionButton } from "../../ui/load.tsx";
import { LiveNote, type LiveStatus } from "../../ui/live_note.tsx";
import { PagedList } from "../../ui/paged_list.tsx";
import { useNow } from "../../ui/clock.ts";
import { MeterView } from "./meter.tsx";
import { SessionDetail } from "./session_detail.tsx";
import { SignInFirst } from "../../ui/sign_in_first.tsx";
import { user } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";

type Current = components["schemas"]["CurrentParkingSession"];

const text = pageTexts(({ session }) => session.sessionPage);

const CANCELLABLE_MS = 5 * 60_000;

export function SessionPage({ parts: [id] }: PageProps) {
  if (!user.value) return <SignInFirst title={text.value.title} />;
  return id === undefined ? <CurrentSession /> : <SessionDetail id={id} />;
}

function CurrentSession() {
  // Undefined until the first read; null when the user is not parked.
  const [current, setCurrent] = useState<Current | null>();
  const [status, setStatus] = useState<LiveStatus>("connecting");
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const live: LiveSubscription = client.live.sessions({
      onState: (state) => setCurrent(state.current),
      onStatus: setStatus,
      onError: setError,
    });
    return () => void live.close();
  }, []);
  const t = text.value;
  return (
    <>
      <h1>{t.title}</h1>
      <LiveNote status={status} />
      {error !== undefined && <ErrorNote error={error} />}
      {current === null && (
        <p class="notice">
          {t.nothing} <a href={href("/")}>{t.find}</a>
        </p>
      )}
      {current && <RunningSession session={current} />}
      <h2>{t.history}</h2>
      <SessionHistory key={current?.id ?? ""} />
    </>
  );
}

function RunningSession({ session }: { session: Current }) {
  const now = useNow();
  const t = text.value;
  const { id, meter, parking_lot_id, parking_lot_name, started_at, vehicle_type } = session;
  const path = { path: { id } };
  const isCancellable = started_at !== null && now < Date.parse(started_at) + CANCELLABLE_MS;
  return (
    <div class="session">
      <p class="session-lot">
        <a href={href(`/lots/${parking_lot_id}`)}>{parking_lot_name}</a>
        {started_at && ` · ${t.since(dateTime(started_at))}`}
        {vehicle_type && ` · ${label("vehicle_type", vehicle_type)}`}
      </p>
      {"refusal" in meter ? <UnknownFee refusal={meter.refusal} /> : <MeterView meter={meter} />}
      <ExitNotice session={session} />
      <div class="row">
        <ActionButton
          class="primary"
          perform={async () => {
            // The start is a full second and may be this one.
            const exit = new Date(Math.max(Date.now(), Date.parse(started_at ?? "") || 0));
            const body = { exit_at: exit.toISOString() };
            await client.POST("/v1/parking-sessions/{id}/finalize", { params: path, body });
            navigate(`/session/${id}`);
          }}
        >
          {t.leave}
        </ActionButton>
        {isCancellable && (
          <ActionButton perform={() => client.POST("/v1/parking-sessions/{id}/cancel", { params: path })}>
            {t.cancel}
          </ActionButton>
        )}
      </div>
      {isCancellable && <p class="small">{t.cancelHint}</p>}
    </div>
  );
}

function UnknownFee({ refusal }: { refusal: components["schemas"]["FeeRefusal"] }) {
  return (
    <>
      <p>{text.value.unknownFee}</p>
      <RefusalNote refusal={refusal} />
    </>
  );
}

function ExitNotice({ session: { can_exit_now, can_exit_changes_at } }: { session: Current }) {
  if (can_exit_now === null) return null;
  const t = text.value;
  const change = can_exit_now ? t.closes : t.opens;
  return (
    <p class={can_exit_now ? "good" : "wrong"}>
      {can_exit_now ? t.canExit : t.cannotExit}
      {can_exit_changes_at && ` ${change(dateTime(can_exit_changes_at))}`}
    </p>
  );
}

function SessionHistory() {
  return (
    <PagedList
      read={(signal) => client.pages("/v1/me/parking-sessions", { signal })}
      empty={text.value.noHistory}
      keyOf={(session) => session.id}
    >
      {(session) => (
        <a class="card session-row" href={href(`/session/${session.id}`)}>
          <span>
            <strong>{session.parking_lot_name}</strong>
            <br />
            {session.started_at && dateTime(session.started_at)}
            {session.started_at && session.ended_at &&
              ` · ${duration((Date.parse(session.ended_at) - Date.parse(session.started_at)) / 60_000)}`}
          </span>
          <span class="session-amount">
            {session.total_amount_minor === null
              ? label("session_status", session.status)
              : money(session.total_amount_minor, session.currency ?? undefined)}
          </span>
        </a>
      )}
    </PagedList>
  );
}
