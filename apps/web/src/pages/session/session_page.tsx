/** The running session, and the history: `#/session` and `#/session/<id>`. */
import type { PageProps } from "../../page.ts";
import { label } from "../../codes.ts";
import { sessions } from "../../following.ts";
import { dateTime, duration, money } from "../../format.ts";
import { href } from "../../router.ts";
import { client, user } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { LiveNote } from "../../ui/live_note.tsx";
import { PagedList } from "../../ui/paged_list.tsx";
import { SignInFirst } from "../../ui/sign_in_first.tsx";
import { RunningSession } from "./running_session.tsx";
import { SessionDetail } from "./session_detail.tsx";

const text = pageTexts(({ session }) => session.sessionPage);

export function SessionPage({ parts: [id] }: PageProps) {
  if (!user.value) return <SignInFirst title={text.value.title} />;
  return id === undefined ? <CurrentSession /> : <SessionDetail id={id} />;
}

function CurrentSession() {
  const { state, status, error } = sessions.value;
  // Undefined until the first read; null when the user is not parked.
  const current = state?.current;
  const t = text.value;
  return (
    <>
      <h1>{t.title}</h1>
      <LiveNote status={status} />
      {error !== undefined && <ErrorNote error={error} />}
      {current === null && (
        <div class="session-none">
          <p>{t.nothing}</p>
          <a class="button primary" href={href("/")}>{t.find}</a>
        </div>
      )}
      {current && <RunningSession key={current.id} session={current} isLive={status === "live"} />}
      <section class="session-history" aria-labelledby="session-history">
        <h2 id="session-history">{t.history}</h2>
        <SessionHistory key={current?.id ?? ""} />
      </section>
    </>
  );
}

function SessionHistory() {
  return (
    <PagedList
      read={(signal) => client.pages("/v1/me/parking-sessions", { signal })}
      empty={text.value.noHistory}
      keyOf={(session) => session.id}
    >
      {(session) =>
        // The running one is above.
        session.status !== "parking" && (
          <a class="card session-row" href={href(`/session/${session.id}`)}>
            <span>
              <strong>{session.parking_lot_name}</strong>
              <br />
              <span class="small">
                {session.started_at && dateTime(session.started_at)}
                {session.started_at && session.ended_at &&
                  ` · ${duration((Date.parse(session.ended_at) - Date.parse(session.started_at)) / 60_000)}`}
              </span>
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
