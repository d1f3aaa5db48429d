/** The newest activities of users, and new ones as they happen. */
import { label } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ErrorNote } from "../../../ui/error_note.tsx";
import { client } from "../../kit/access.ts";
import { LotLink, UserLink } from "../../kit/links.tsx";
import { useLive } from "../../kit/live.ts";

const text = consoleTexts(({ overview }) => overview.activityFeed);

export function ActivityFeed() {
  const { state, status, error } = useLive(client.live.activity);
  const t = text.value;
  const items = state?.items ?? [];
  return (
    <section class="card console-activity" aria-label={t.title}>
      <div class="row">
        <h2>{t.title}</h2>
        <LiveMark status={status} text={t.status[status]} />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {items.length === 0 ? <p class="small">{t.empty}</p> : (
        <div role="log" aria-label={t.title}>
          <ol class="list">
            {items.map((activity) => (
              <li key={activity.id}>
                <span class="small">{dateTime(activity.created_at)}</span>{" "}
                {label("user_activity", activity.activity_type)}
                <span class="small">
                  {t.by} <UserLink id={activity.user_id} />
                  {activity.parking_lot_id && (
                    <>
                      , {t.at} <LotLink id={activity.parking_lot_id} />
                    </>
                  )}
                </span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </section>
  );
}

export function LiveMark({ status, text }: { status: "connecting" | "live" | "offline"; text: string }) {
  return <span class={`chip console-live-${status}`} role="status">{text}</span>;
}
