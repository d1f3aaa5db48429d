/** Notifications to administrators, live, in the navigation. */
import type { ListItem } from "parking-lot-client";
import { dateTime, number } from "../format.ts";
import { label } from "../codes.ts";
import { href } from "../router.ts";
import { consoleTexts } from "../texts/console.ts";
import { ErrorNote } from "../ui/error_note.tsx";
import { ActionButton } from "../ui/load.tsx";
import { client } from "./kit/access.ts";
import { useLive } from "./kit/live.ts";

type Notification = ListItem<"/v1/admin/notifications">;

const text = consoleTexts(({ sidebar }) => sidebar);

const markRead = (body: { ids: string[] } | { before: string }) =>
  client.POST("/v1/admin/notifications/mark-read", { body });

/** Marks what the administrator sees; a newer notification stays unread. */
async function markAllRead([newest]: readonly Notification[]): Promise<void> {
  if (!newest) return;
  await markRead({ before: newest.created_at });
  await markRead({ ids: [newest.id] });
}

export function Sidebar() {
  const { state, status, error } = useLive(client.live.sidebar);
  const t = text.value;
  return (
    <details class="console-sidebar">
      <summary>
        {t.title} <span class="chip" role="status">{t.unread(number(state?.unread_count ?? 0))}</span>
      </summary>
      {error !== undefined ? <ErrorNote error={error} /> : status === "offline" && <p class="small">{t.offline}</p>}
      {state && state.items.length === 0 && <p class="small">{t.empty}</p>}
      {state && state.unread_count > 0 && (
        <ActionButton perform={() => markAllRead(state.items)}>{t.allRead}</ActionButton>
      )}
      <ul class="list">
        {state?.items.map((notification) => <SidebarNotification key={notification.id} notification={notification} />)}
      </ul>
    </details>
  );
}

function SidebarNotification({ notification }: { notification: Notification }) {
  const t = text.value;
  const { id, type, title, body, link, severity, is_read, created_at } = notification;
  return (
    <li class={is_read ? undefined : "console-unread"}>
      {!is_read && <span class="visually-hidden">{t.isUnread}</span>}
      <strong>{link === null ? title : <a href={href(`/console${link}`)}>{title}</a>}</strong>
      {body && <p class="small">{body}</p>}
      <p class="small">
        {severity !== "info" && <span class="wrong">{`${label("admin_notification_severity", severity)} `}</span>}
        {label("admin_notification_type", type)}, {dateTime(created_at)}
      </p>
      {!is_read && <ActionButton class="link" perform={() => markRead({ ids: [id] })}>{t.read}</ActionButton>}
    </li>
  );
}
