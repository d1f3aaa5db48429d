/** A notification: its deliveries, what can be done with it, and its form while it can be changed. */
import { useState } from "preact/hooks";
import { label } from "../../../codes.ts";
import { dateTime, number } from "../../../format.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { type Entry, ifMatch, useEntry } from "../../kit/entry.ts";
import { UserLink } from "../../kit/links.tsx";
import { usePoll } from "../../kit/poll.ts";
import { NotificationActions, SCREEN } from "./notification_actions.tsx";
import { type Notification, NotificationForm } from "./notification_form.tsx";

const text = consoleTexts(({ userNotifications }) => userNotifications);

function fields(): FieldOf<Notification>[] {
  const t = text.value;
  return [
    { label: t.status, show: ({ status }) => label("notification_status", status) },
    { label: t.type, show: ({ type }) => label("notification_type", type) },
    { label: t.title, show: ({ title }) => title },
    { label: t.body, show: ({ body }) => body },
    { label: t.titleEn, show: ({ title_en }) => title_en },
    { label: t.bodyEn, show: ({ body_en }) => body_en },
    {
      label: t.target,
      show: ({ target, user_id }) =>
        user_id === null ? label("notification_target", target) : <UserLink id={user_id} />,
      value: ({ target, user_id }) => [target, user_id],
    },
    { label: t.segment, show: ({ segment }) => segment && JSON.stringify(segment) },
    { label: t.at, show: ({ scheduled_at }) => scheduled_at && dateTime(scheduled_at) },
    { label: t.sentAt, show: ({ sent_at }) => sent_at && dateTime(sent_at) },
    { label: t.created, show: ({ created_at }) => dateTime(created_at) },
  ];
}

/** Whether it can still be changed, sent or cancelled. */
const isOpen = ({ allowed_statuses }: Notification) => allowed_statuses.length > 0;

/** Whether its counts may change; a scheduled one begins within a minute of its time. */
function isSending({ status, scheduled_at }: Notification): boolean {
  return status === "sending" || (status === "scheduled" && Date.parse(scheduled_at ?? "") < Date.now() + 60_000);
}

export function NotificationDetail({ id }: { id: string }) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/user-notifications/{id}", { params: { path }, signal }), [
    id,
  ]);
  const [isEdited, setEdited] = useState(false);
  usePoll(entry.reload, entry.data !== undefined && !isEdited && isSending(entry.data.data));
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{t.all}</a>
      </p>
      <Loaded load={entry}>
        {({ data: notification }) => (
          <>
            <h2>{notification.title}</h2>
            <NotificationDeliveries notification={notification} />
            {isOpen(notification) && <NotificationActions notification={notification} reload={entry.reload} />}
            {isEdited && isOpen(notification) ? <EditNotification entry={entry} done={() => setEdited(false)} /> : (
              <>
                <Details data={notification} fields={fields()} />
                {isOpen(notification) && <button type="button" onClick={() => setEdited(true)}>{t.edit}</button>}
              </>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** How many devices have which outcome; it counts up while the notification is sent. */
function NotificationDeliveries({ notification }: { notification: Notification }) {
  const t = text.value;
  const counts = [
    [t.success, notification.success_count],
    [t.failure, notification.failure_count],
    [t.suppressed, notification.suppressed_count],
    [t.deferred, notification.deferred_count],
  ] as const;
  return (
    <section class="card console-counts" aria-label={t.deliveries} aria-live="polite">
      <span class="chip">{label("notification_status", notification.status)}</span>
      {counts.map(([name, count]) => (
        <span key={name}>
          {name}: <strong>{number(count)}</strong>
        </span>
      ))}
    </section>
  );
}

/** The form of a draft. What another administrator saved meanwhile is shown; saving again overwrites it. */
function EditNotification({ entry, done }: { entry: Entry<Notification>; done: () => void }) {
  const t = text.value;
  const { data: notification } = entry.data!;
  const [version, setVersion] = useState(0);
  return (
    <>
      {entry.before && (
        <ChangedNote before={entry.before} now={notification} fields={fields()}>
          <button
            type="button"
            onClick={() => {
              setVersion((n) => n + 1);
              entry.accept();
            }}
          >
            {t.discard}
          </button>
        </ChangedNote>
      )}
      <NotificationForm
        key={version}
        start={notification}
        onSubmit={async (body) => {
          const outcome = await entry.change((seen) =>
            client.PATCH("/v1/admin/user-notifications/{id}", {
              params: { path: { id: notification.id }, header: ifMatch(seen) },
              body,
            })
          );
          if (outcome !== "done") return;
          announcement.value = t.saved;
          done();
          entry.reload();
        }}
      />
    </>
  );
}
