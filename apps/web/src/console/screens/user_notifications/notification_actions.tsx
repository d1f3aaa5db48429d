/** What can be done with a notification before it is sent. */
import { useMemo } from "preact/hooks";
import { number } from "../../../format.ts";
import { navigate } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ActionButton } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import type { Notification } from "./notification_form.tsx";

const text = consoleTexts(({ userNotifications }) => userNotifications);

export const SCREEN = "/console/user-notifications";

export function NotificationActions(
  { notification, reload }: { notification: Notification; reload: () => void },
) {
  const t = text.value;
  const { id, allowed_statuses: allowed } = notification;
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
      {allowed.includes("sending") && (
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
      )}
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
          navigate(SCREEN);
        }}
      >
        {t.remove}
      </ActionButton>
    </div>
  );
}
