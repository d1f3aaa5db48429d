/** Sending a notification: how many get it, the question, and ten seconds in which it can be stopped. */
import { useEffect, useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { number } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ErrorNote } from "../../../ui/error_note.tsx";
import { useAction } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import type { Notification } from "./notification_form.tsx";

const text = consoleTexts(({ userNotifications }) => userNotifications);

export type Reach = components["schemas"]["NotificationReach"];

const SECONDS = 10;

/** How many people and devices a notification reaches now. */
export async function readReach(notification: Notification, signal?: AbortSignal): Promise<Reach> {
  const { type, title, body, title_en, body_en, data, target, user_id, segment } = notification;
  const request = { type, title, body, title_en, body_en, data, target, user_id, segment };
  return (await client.POST("/v1/admin/user-notifications/preview", { body: request, ...(signal ? { signal } : {}) }))
    .data;
}

/** Nothing is sent if the page is left while the seconds run. */
export function SendNotification({ reach, send, edit }: {
  reach: Reach;
  send: () => Promise<unknown>;
  /** Leads back to the text. */
  edit: () => void;
}) {
  const t = text.value;
  const [left, setLeft] = useState<number>();
  const action = useAction(send);
  useEffect(() => {
    if (left === undefined) return;
    const timer = setTimeout(() => {
      if (left > 1) return setLeft(left - 1);
      setLeft(undefined);
      void action.run();
    }, 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <section class="console-send">
      <h3>{t.ask(number(reach.people), number(reach.devices))}</h3>
      <p class="small" role="status">{left === undefined ? t.askHint : t.goesOut(left)}</p>
      <div class="row">
        {left === undefined
          ? (
            <>
              <button type="button" class="primary" aria-busy={action.isRunning} onClick={() => setLeft(SECONDS)}>
                {t.sendTo(number(reach.people))}
              </button>
              <button type="button" onClick={edit}>{t.edit}</button>
            </>
          )
          : (
            <button
              type="button"
              onClick={() => {
                setLeft(undefined);
                announcement.value = t.stopped;
              }}
            >
              {t.stop}
            </button>
          )}
      </div>
      {action.error !== undefined && <ErrorNote error={action.error} />}
    </section>
  );
}
