/** Notifications to app users: compose, count the receivers, try, send, and follow the delivery. */
import { useState } from "preact/hooks";
import { label, options } from "../../../codes.ts";
import { dateTime, number } from "../../../format.ts";
import { newKey } from "../../../keys.ts";
import type { PageProps } from "../../../page.ts";
import { href, navigate, place } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { SidePanel } from "../../kit/side_panel.tsx";
import { rereadLists, Table } from "../../kit/table.tsx";
import { SCREEN } from "./notification_actions.tsx";
import { NotificationDetail } from "./notification_detail.tsx";
import { NotificationForm } from "./notification_form.tsx";

const text = consoleTexts(({ userNotifications }) => userNotifications);

export function UserNotificationsScreen({ parts: [id] }: PageProps) {
  const [title, setTitle] = useState("");
  return (
    <SidePanel
      open={id}
      back={SCREEN}
      title={id === "new" ? text.value.compose : title}
      list={<NotificationList />}
    >
      {id === "new" ? <ComposeNotification /> : id && <NotificationDetail id={id} setTitle={setTitle} />}
    </SidePanel>
  );
}

function NotificationList() {
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
          { head: t.status, cell: ({ status }) => <span class="chip">{label("notification_status", status)}</span> },
          { head: t.type, cell: ({ type }) => label("notification_type", type) },
          { head: t.target, cell: ({ target }) => label("notification_target", target) },
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

function ComposeNotification() {
  const userId = place.value.query.get("user_id") ?? undefined;
  // One key for this form: a second submit after a lost connection makes no second notification.
  const [keys] = useState(() => new Map<string, string>());
  return (
    <NotificationForm
      start={userId === undefined ? {} : { target: "user", user_id: userId }}
      onSubmit={async (body) => {
        const request = JSON.stringify(body);
        const key = keys.get(request) ?? newKey();
        keys.set(request, key);
        const params = { header: { "Idempotency-Key": key } };
        const { data } = await client.POST("/v1/admin/user-notifications", { body, params });
        announcement.value = text.value.saved;
        rereadLists();
        navigate(`${SCREEN}/${data.id}`);
      }}
    />
  );
}
