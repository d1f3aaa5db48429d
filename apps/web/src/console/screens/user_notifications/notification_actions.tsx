/** What can be done with a notification before it is sent. */
import { useMemo } from "preact/hooks";
import { number } from "../../../format.ts";
import { newKey } from "../../../keys.ts";
import { navigate } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ActionButton } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { rereadLists } from "../../kit/table.tsx";
import type { Notification } from "./notification_form.tsx";
import { type Reach, SendNotification } from "./send_notification.tsx";

const text = consoleTexts(({ userNotifications }) => userNotifications);

export const SCREEN = "/console/user-notifications";

export function NotificationActions({ notification, reach, reload, edit }: {
  notification: Notification;
  /** How many it reaches now; undefined until it is known. */
  reach: Reach | undefined;
  reload: () => void;
  edit: () => void;
}) {
  const t = text.value;
  const { id, allowed_statuses: allowed } = notification;
  const params = { path: { id } };
  // A send that is repeated after a lost connection is one send.
  const key = useMemo(() => newKey(), []);
  const done = (sentence: string) => {
    announcement.value = sentence;
    rereadLists();
    reload();
  };
  return (
    <>
      {reach && allowed.includes("sending") && (
        <SendNotification
          reach={reach}
          edit={edit}
          send={async () => {
            const header = { "Idempotency-Key": key };
            await client.POST("/v1/admin/user-notifications/{id}/send", { params: { ...params, header } });
            done(t.sent);
          }}
        />
      )}
      <div class="row">
        <ActionButton
          perform={async () => {
            const { data } = await client.POST("/v1/admin/user-notifications/{id}/test", { params });
            announcement.value = t.tested(number(data.devices));
          }}
        >
          {t.test}
        </ActionButton>
        {allowed.includes("cancelled") && (
          <ActionButton
            perform={async () => {
              await client.POST("/v1/admin/user-notifications/{id}/cancel", { params });
              done(t.cancelled);
            }}
          >
            {t.cancel}
          </ActionButton>
        )}
        <ActionButton
          class="danger"
          perform={async () => {
            await client.DELETE("/v1/admin/user-notifications/{id}", { params });
            announcement.value = t.removed;
            rereadLists();
            navigate(SCREEN);
          }}
        >
          {t.remove}
        </ActionButton>
      </div>
    </>
  );
}
