/** The inbox: new notifications appear by themselves, and are read on each device at once. */
import type { components } from "parking-lot-client";
import { label } from "../../codes.ts";
import { inbox } from "../../following.ts";
import { dateTime } from "../../format.ts";
import { href } from "../../router.ts";
import { client, user } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { ActionButton } from "../../ui/load.tsx";
import { LiveNote } from "../../ui/live_note.tsx";
import { SignInFirst } from "../../ui/sign_in_first.tsx";

type Notification = components["schemas"]["UserNotification"];

const text = pageTexts(({ inbox }) => inbox.inboxPage);

export function InboxPage() {
  const t = text.value;
  if (!user.value) return <SignInFirst title={t.title} />;
  const { state, status, error } = inbox.value;
  return (
    <>
      <h1>{t.title}</h1>
      <LiveNote status={status} />
      {error !== undefined && <ErrorNote error={error} />}
      {state === undefined && error === undefined && <p role="status">{t.loading}</p>}
      {state && (
        <>
          <div class="row">
            <p role="status">{t.unread(state.unread_count)}</p>
            {state.unread_count > 0 && (
              <ActionButton perform={() => markAllRead(state.items)}>{t.readAll}</ActionButton>
            )}
          </div>
          {state.items.length === 0 && <p class="notice">{t.nothing}</p>}
          <ul class="list">
            {state.items.map((item) => (
              <li key={item.id}>
                <InboxEntry notification={item} />
              </li>
            ))}
          </ul>
          {state.next_cursor && <p class="small">{t.newest(state.items.length)}</p>}
        </>
      )}
    </>
  );
}

function InboxEntry({ notification }: { notification: Notification }) {
  const t = text.value;
  const { id, title, body, type, sent_at, created_at, read_at, data } = notification;
  const path = pathOf(data);
  return (
    <article class={`card inbox-entry ${read_at === null ? "inbox-unread" : ""}`}>
      <h2>
        {read_at === null && <span class="chip">{t.isUnread}</span>} {title}
      </h2>
      <p>{body}</p>
      <p class="small">{label("notification_type", type)} · {dateTime(sent_at ?? created_at)}</p>
      <div class="row">
        {path && <a class="button" href={href(path)}>{t.open}</a>}
        {read_at === null && (
          <ActionButton
            class="quiet"
            perform={() => client.POST("/v1/me/notifications/mark-read", { body: { ids: [id] } })}
          >
            {t.read}
          </ActionButton>
        )}
      </div>
    </article>
  );
}

/** All that are shown, and all before them. A notification that arrives meanwhile stays unread. */
function markAllRead(items: readonly Notification[]) {
  const newest = items.reduce((latest, { sent_at }) => sent_at !== null && sent_at > latest ? sent_at : latest, "");
  const before = new Date(Date.parse(newest) + 1).toISOString();
  return client.POST("/v1/me/notifications/mark-read", { body: { before } });
}

/** The pages by the field of the data that leads there. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  session_id: (id) => `/session/${id}`,
  parking_lot_id: (id) => `/lots/${id}`,
  ticket_id: (id) => `/account/support/${id}`,
  review_id: () => "/account/reviews",
  badge_id: () => "/rewards",
  theme_id: () => "/rewards",
};

/** The page that the data of a notification names. */
function pathOf(data: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, path] of Object.entries(PAGES)) {
    const id = data[name];
    if (typeof id === "string") return path(id);
  }
  return undefined;
}
