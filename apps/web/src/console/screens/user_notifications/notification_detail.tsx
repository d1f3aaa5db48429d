/** A notification: its deliveries, what can be done with it, and its form while it can be changed. */
import { useEffect, useState } from "preact/hooks";
import { label } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { type Load, Loaded, useLoad } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { type Entry, ifMatch, useEntry } from "../../kit/entry.ts";
import { UserLink } from "../../kit/links.tsx";
import { usePoll } from "../../kit/poll.ts";
import { NotificationActions } from "./notification_actions.tsx";
import { type Notification, NotificationForm } from "./notification_form.tsx";
import { ExpectedFunnel, NotificationFunnel } from "./notification_funnel.tsx";
import { PhonePreview } from "./phone_preview.tsx";
import { type Reach, readReach } from "./send_notification.tsx";

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

const hasGoneOut = ({ status }: Notification) => ["sending", "sent", "failed"].includes(status);

export function NotificationDetail({ id, setTitle }: { id: string; setTitle: (title: string) => void }) {
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/user-notifications/{id}", { params: { path }, signal }), [
    id,
  ]);
  const [isEdited, setEdited] = useState(false);
  usePoll(entry.reload, entry.data !== undefined && !isEdited && isSending(entry.data.data));
  const title = entry.data?.data.title;
  useEffect(() => {
    if (title !== undefined) setTitle(title);
  }, [title]);
  return (
    <Loaded load={entry}>
      {({ data: notification }) =>
        isEdited && isOpen(notification)
          ? <EditNotification entry={entry} done={() => setEdited(false)} />
          : <ReadNotification notification={notification} reload={entry.reload} edit={() => setEdited(true)} />}
    </Loaded>
  );
}

function ReadNotification({ notification, reload, edit }: {
  notification: Notification;
  reload: () => void;
  edit: () => void;
}) {
  const { id, updated_at } = notification;
  const reach = useLoad(
    async (signal) => hasGoneOut(notification) ? undefined : await readReach(notification, signal),
    [id, updated_at],
  );
  return (
    <>
      <PhonePreview written={notification} />
      <NotificationDeliveries notification={notification} reach={reach as Load<Reach>} />
      {isOpen(notification) && (
        <NotificationActions notification={notification} reach={reach.data} reload={reload} edit={edit} />
      )}
      <Details data={notification} fields={fields()} />
    </>
  );
}

/** Who gets it: before it is sent by a count of now, and after that by what happened. */
function NotificationDeliveries({ notification, reach }: { notification: Notification; reach: Load<Reach> }) {
  const t = text.value;
  return (
    <section aria-label={t.deliveries}>
      <div class="row">
        <h3>{t.funnel}</h3>
        <span class="chip">{label("notification_status", notification.status)}</span>
      </div>
      {hasGoneOut(notification)
        ? <NotificationFunnel notification={notification} />
        : <Loaded load={reach}>{(reach) => <ExpectedFunnel reach={reach} />}</Loaded>}
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
