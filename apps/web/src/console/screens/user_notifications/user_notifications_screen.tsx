/// <reference lib="dom" />
/** Notifications to app users: compose, count the receivers, try, send, and follow the delivery. */
import { useMemo, useRef, useState } from "preact/hooks";
import type { components, ListItem } from "parking-lot-client";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { dateTime, fromLocalInput, number, toLocalInput } from "../../../format.ts";
import { texts } from "../../../language.ts";
import { href, navigate, place } from "../../../router.ts";
import { Field, Form, Select, TextArea } from "../../../ui/form.tsx";
import { ActionButton, Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { type Entry, ifMatch, useEntry } from "../../kit/entry.ts";
import { PersonLink } from "../../kit/links.tsx";
import { usePoll } from "../../kit/poll.ts";
import { Table } from "../../kit/table.tsx";

type Notification = ListItem<"/v1/admin/user-notifications">;
type NewNotification = components["schemas"]["NewComposedNotification"];
type Segment = NonNullable<NewNotification["segment"]>;

const SCREEN = "/console/user-notifications";
/** The types for which an administrator writes; all others are written by the service. */
const TYPES: readonly string[] = ["announcement", "campaign"];
const SIDES = ["west", "south", "east", "north"] as const;

const text = texts({
  en: {
    compose: "Compose a notification",
    all: "All notifications",
    empty: "No notification was composed.",
    status: "Status",
    type: "Kind",
    title: "Title",
    body: "Text",
    titleEn: "Title in English",
    bodyEn: "Text in English",
    enHint: "For users whose language is English. Without it they get the Japanese one.",
    target: "Receivers",
    user: "Id of the person",
    userHint: "The page of a person has a link that fills this in.",
    segment: "Only some of them",
    minLevel: "Level at least",
    activeSince: "Active since (Japan time)",
    plan: "Code of the plan",
    box: "Parked inside this area",
    west: "West",
    south: "South",
    east: "East",
    north: "North",
    at: "Send at (Japan time)",
    atHint: "Empty: it stays a draft until you send it.",
    preview: "Count the receivers",
    reach: (people: string, devices: string) => `Receivers: ${people}. Devices: ${devices}.`,
    save: "Save",
    saved: "Saved.",
    edit: "Edit",
    test: "Send a test to my devices",
    tested: (devices: string) => `Sent to ${devices} of your devices.`,
    send: "Send now",
    sent: "Sending has begun.",
    cancel: "Cancel",
    cancelled: "Cancelled.",
    remove: "Delete",
    removed: "Deleted.",
    success: "Delivered",
    failure: "Not delivered",
    suppressed: "Held back",
    deferred: "Wait for quiet hours to end",
    deliveries: "Deliveries",
    sentAt: "Sent",
    created: "Composed",
    discard: "Discard mine",
  },
  ja: {
    compose: "お知らせを作成",
    all: "お知らせの一覧",
    empty: "お知らせはまだありません。",
    status: "状態",
    type: "種類",
    title: "タイトル",
    body: "本文",
    titleEn: "英語のタイトル",
    bodyEn: "英語の本文",
    enHint: "英語を選んだ利用者向けです。空欄の場合は日本語で届きます。",
    target: "宛先",
    user: "利用者のID",
    userHint: "利用者のページのリンクから入力できます。",
    segment: "一部の利用者だけに送る",
    minLevel: "最低レベル",
    activeSince: "この日時以降に利用(日本時間)",
    plan: "プランのコード",
    box: "この範囲で駐車した人",
    west: "西",
    south: "南",
    east: "東",
    north: "北",
    at: "送信日時(日本時間)",
    atHint: "空欄の場合は、送信するまで下書きのままです。",
    preview: "宛先の件数を確認",
    reach: (people: string, devices: string) => `${people}人、${devices}台の端末に届きます。`,
    save: "保存",
    saved: "保存しました。",
    edit: "編集",
    test: "自分の端末に試し送信",
    tested: (devices: string) => `自分の端末${devices}台に送りました。`,
    send: "今すぐ送信",
    sent: "送信を始めました。",
    cancel: "取り消す",
    cancelled: "取り消しました。",
    remove: "削除",
    removed: "削除しました。",
    success: "配信済み",
    failure: "配信失敗",
    suppressed: "送信見合わせ",
    deferred: "おやすみ時間の終了待ち",
    deliveries: "配信状況",
    sentAt: "送信日時",
    created: "作成日時",
    discard: "自分の変更を破棄",
  },
});

export function UserNotificationsScreen({ parts: [id] }: PageProps) {
  if (id === "new") return <Compose />;
  return id === undefined ? <List /> : <One key={id} id={id} />;
}

function List() {
  const t = text.value;
  return (
    <>
      <p>
        <a class="button primary" href={href(`${SCREEN}/new`)}>{t.compose}</a>
      </p>
      <Table
        path="/v1/admin/user-notifications"
        empty={t.empty}
        filters={[{ name: "status", label: t.status, options: options("notification_status") }]}
        columns={[
          { head: t.title, cell: ({ id, title }) => <a href={href(`${SCREEN}/${id}`)}>{title}</a> },
          { head: t.type, cell: ({ type }) => label("notification_type", type) },
          { head: t.target, cell: ({ target }) => label("notification_target", target) },
          { head: t.status, cell: ({ status }) => <span class="chip">{label("notification_status", status)}</span> },
          {
            head: t.sentAt,
            cell: ({ sent_at, scheduled_at }) => (sent_at ?? scheduled_at) && dateTime(sent_at ?? scheduled_at ?? ""),
          },
          { head: t.success, cell: ({ success_count }) => number(success_count), isNumber: true },
          { head: t.failure, cell: ({ failure_count }) => number(failure_count), isNumber: true },
        ]}
      />
    </>
  );
}

/** The request of the form. The names of its fields are the paths in the request, so that errors find them. */
function bodyOf(values: FormData): NewNotification {
  const of = (name: string) => String(values.get(name) ?? "").trim();
  const [level, since, plan] = [of("segment.min_level"), of("segment.last_active_since"), of("segment.plan")];
  // The service names a side that is missing.
  const box = SIDES.flatMap((side) =>
    of(`segment.box.${side}`) === "" ? [] : [[side, Number(of(`segment.box.${side}`))]]
  );
  const segment: Segment = {
    ...(level === "" ? {} : { min_level: Number(level) }),
    ...(since === "" ? {} : { last_active_since: fromLocalInput(since) }),
    ...(plan === "" ? {} : { plan }),
    ...(box.length === 0 ? {} : { box: Object.fromEntries(box) }),
  };
  const target = of("target") as NewNotification["target"];
  const at = of("scheduled_at");
  return {
    type: of("type"),
    title: of("title"),
    body: of("body"),
    title_en: of("title_en") || null,
    body_en: of("body_en") || null,
    target,
    user_id: target === "user" ? of("user_id") : null,
    segment: Object.keys(segment).length === 0 ? null : segment,
    scheduled_at: at === "" ? null : fromLocalInput(at),
  };
}

function Compose() {
  const userId = place.value.query.get("user_id") ?? undefined;
  // One key for this form: a second submit after a lost connection makes no second notification.
  const [keys] = useState(() => new Map<string, string>());
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{text.value.all}</a>
      </p>
      <NotificationForm
        start={userId === undefined ? {} : { target: "user", user_id: userId }}
        onSubmit={async (body) => {
          const request = JSON.stringify(body);
          const key = keys.get(request) ?? crypto.randomUUID();
          keys.set(request, key);
          const params = { header: { "Idempotency-Key": key } };
          const { data } = await client.POST("/v1/admin/user-notifications", { body, params });
          announcement.value = text.value.saved;
          navigate(`${SCREEN}/${data.id}`);
        }}
      />
    </>
  );
}

function NotificationForm(
  { start, onSubmit }: { start: Partial<Notification>; onSubmit: (body: NewNotification) => Promise<unknown> },
) {
  const t = text.value;
  const holder = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState(start.target ?? "all");
  const [reach, setReach] = useState<components["schemas"]["NotificationReach"]>();
  const { segment } = start;
  const preview = async () => {
    setReach(undefined);
    const form = holder.current!.querySelector("form")!;
    if (!form.reportValidity()) return;
    setReach((await client.POST("/v1/admin/user-notifications/preview", { body: bodyOf(new FormData(form)) })).data);
  };
  return (
    <div ref={holder} class="console-form">
      <Form submit={t.save} onSubmit={(values) => onSubmit(bodyOf(values))}>
        <Select
          name="type"
          label={t.type}
          options={options("notification_type").filter(([code]) => TYPES.includes(code) || code === start.type)}
          defaultValue={start.type}
        />
        <Field name="title" label={t.title} defaultValue={start.title} maxLength={200} required />
        <TextArea name="body" label={t.body} defaultValue={start.body} rows={4} maxLength={4000} required />
        <Field name="title_en" label={t.titleEn} defaultValue={start.title_en ?? ""} hint={t.enHint} maxLength={200} />
        <TextArea name="body_en" label={t.bodyEn} defaultValue={start.body_en ?? ""} rows={3} maxLength={4000} />
        <Select
          name="target"
          label={t.target}
          options={options("notification_target")}
          defaultValue={start.target ?? "all"}
          onChange={(value) => setTarget(value as typeof target)}
        />
        {target === "user"
          ? <Field name="user_id" label={t.user} hint={t.userHint} defaultValue={start.user_id ?? ""} required />
          : (
            <details class="console-more" open={segment !== null && segment !== undefined}>
              <summary>{t.segment}</summary>
              <Field
                name="segment.min_level"
                label={t.minLevel}
                type="number"
                min={1}
                defaultValue={segment?.min_level}
              />
              <Field
                name="segment.last_active_since"
                label={t.activeSince}
                type="datetime-local"
                defaultValue={segment?.last_active_since && toLocalInput(new Date(segment.last_active_since))}
              />
              <Field name="segment.plan" label={t.plan} defaultValue={segment?.plan} />
              <fieldset>
                <legend>{t.box}</legend>
                {SIDES.map((side) => (
                  <Field
                    key={side}
                    name={`segment.box.${side}`}
                    label={t[side]}
                    type="number"
                    step="any"
                    defaultValue={segment?.box?.[side]}
                  />
                ))}
              </fieldset>
            </details>
          )}
        <Field
          name="scheduled_at"
          label={t.at}
          hint={t.atHint}
          type="datetime-local"
          defaultValue={start.scheduled_at ? toLocalInput(new Date(start.scheduled_at)) : ""}
        />
        <div class="row">
          <ActionButton perform={preview}>{t.preview}</ActionButton>
          <span role="status">{reach && t.reach(number(reach.people), number(reach.devices))}</span>
        </div>
      </Form>
    </div>
  );
}

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
        user_id === null ? label("notification_target", target) : <PersonLink id={user_id} />,
      value: ({ target, user_id }) => [target, user_id],
    },
    { label: t.segment, show: ({ segment }) => segment && JSON.stringify(segment) },
    { label: t.at, show: ({ scheduled_at }) => scheduled_at && dateTime(scheduled_at) },
    { label: t.sentAt, show: ({ sent_at }) => sent_at && dateTime(sent_at) },
    { label: t.created, show: ({ created_at }) => dateTime(created_at) },
  ];
}

const isOpen = ({ status }: Notification) => status === "draft" || status === "scheduled";

/** Whether its counts may change; a scheduled one begins within a minute of its time. */
function isSending({ status, scheduled_at }: Notification): boolean {
  return status === "sending" || (status === "scheduled" && Date.parse(scheduled_at ?? "") < Date.now() + 60_000);
}

function One({ id }: { id: string }) {
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
            <Deliveries notification={notification} />
            {isOpen(notification) && <Actions id={id} reload={entry.reload} />}
            {isEdited && isOpen(notification) ? <Edit entry={entry} done={() => setEdited(false)} /> : (
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
function Deliveries({ notification }: { notification: Notification }) {
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

function Actions({ id, reload }: { id: string; reload: () => void }) {
  const t = text.value;
  const params = { path: { id } };
  // A send that is repeated after a lost connection is one send.
  const key = useMemo(() => crypto.randomUUID(), []);
  const done = (sentence: string) => {
    announcement.value = sentence;
    reload();
  };
  return (
    <div class="row">
      <ActionButton
        perform={async () => {
          const { data } = await client.POST("/v1/admin/user-notifications/{id}/test", { params });
          announcement.value = t.tested(number(data.devices));
        }}
      >
        {t.test}
      </ActionButton>
      <ActionButton
        class="primary"
        perform={async () => {
          const header = { "Idempotency-Key": key };
          await client.POST("/v1/admin/user-notifications/{id}/send", { params: { ...params, header } });
          done(t.sent);
        }}
      >
        {t.send}
      </ActionButton>
      <ActionButton
        perform={async () => {
          await client.POST("/v1/admin/user-notifications/{id}/cancel", { params });
          done(t.cancelled);
        }}
      >
        {t.cancel}
      </ActionButton>
      <ActionButton
        class="danger"
        perform={async () => {
          await client.DELETE("/v1/admin/user-notifications/{id}", { params });
          announcement.value = t.removed;
          navigate(SCREEN);
        }}
      >
        {t.remove}
      </ActionButton>
    </div>
  );
}

/** The form of a draft. What another administrator saved meanwhile is shown; saving again overwrites it. */
function Edit({ entry, done }: { entry: Entry<Notification>; done: () => void }) {
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
