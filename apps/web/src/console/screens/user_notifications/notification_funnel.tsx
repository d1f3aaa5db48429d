/** Who gets a notification, or what became of it: people, inboxes, devices, reasons of failures, opened ones. */
import type { ResponseBody } from "parking-lot-client";
import { number } from "../../../format.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { UserLink } from "../../kit/links.tsx";
import { usePoll } from "../../kit/poll.ts";
import { Table } from "../../kit/table.tsx";
import type { Notification } from "./notification_form.tsx";
import type { Reach } from "./send_notification.tsx";

const text = consoleTexts(({ userNotifications }) => userNotifications);

/** What is opened after the sending is read again at this interval. */
const OPENED_MS = 15_000;
const SENDING_MS = 2_000;

type Funnel = ResponseBody<"/v1/admin/user-notifications/{id}/funnel", "get">;

interface Step {
  readonly name: string;
  readonly value: number | null;
  readonly note?: string | undefined;
  readonly isExact?: boolean;
}

/** Before it is sent: whom it would reach now. */
export function ExpectedFunnel({ reach }: { reach: Reach }) {
  const { steps, about } = text.value;
  const note = reach.is_exact ? undefined : about;
  return (
    <Steps
      steps={[
        { name: steps.people, value: reach.people, note },
        { name: steps.devices, value: reach.devices, note },
      ]}
    />
  );
}

/** After it was sent, also while it is. */
export function NotificationFunnel({ notification: { id, status } }: { notification: Notification }) {
  const load = useLoad(
    async (signal) =>
      (await client.GET("/v1/admin/user-notifications/{id}/funnel", { params: { path: { id } }, signal })).data,
    [id, status],
  );
  usePoll(load.reload, true, status === "sending" ? SENDING_MS : OPENED_MS);
  return (
    <Loaded load={load}>
      {(funnel) => (
        <>
          <Steps steps={stepsOf(funnel)} />
          <Reasons id={id} funnel={funnel} />
        </>
      )}
    </Loaded>
  );
}

function stepsOf(funnel: Funnel): Step[] {
  const { steps, notes } = text.value;
  const { people, inboxes, devices, delivered, waiting, deferred, opened } = funnel;
  return [
    { name: steps.people, value: people },
    {
      name: steps.inboxes,
      value: inboxes,
      note: inboxes === null
        ? notes.notCounted
        : inboxes < people
        ? notes.noInbox(number(people - inboxes))
        : undefined,
    },
    { name: steps.devices, value: devices },
    {
      name: steps.sent,
      value: delivered,
      note: waiting === 0
        ? undefined
        : deferred === 0
        ? notes.waiting(number(waiting))
        : notes.deferred(number(waiting), number(deferred)),
    },
    {
      name: steps.opened,
      value: opened,
      isExact: funnel.opened_is_exact,
      note: inboxes ? notes.ofInboxes(number(100 * opened / inboxes)) : undefined,
    },
  ];
}

function Steps({ steps }: { steps: readonly Step[] }) {
  const most = Math.max(1, ...steps.map(({ value }) => value ?? 0));
  return (
    <ol class="notification-funnel" aria-live="polite" aria-label={text.value.funnel}>
      {steps.map(({ name, value, note, isExact = true }) => (
        <li key={name}>
          <span>
            {name}
            {note !== undefined && <span class="small">{note}</span>}
          </span>
          <span class="notification-bar" aria-hidden="true">
            <span style={{ width: `${100 * (value ?? 0) / most}%` }} />
          </span>
          <strong class="number">{value === null ? "–" : `${number(value)}${isExact ? "" : "+"}`}</strong>
        </li>
      ))}
    </ol>
  );
}

/** Why devices did not get it, each reason as a link to these devices, and the devices. */
function Reasons({ id, funnel: { failures, failed, suppressed, expired } }: { id: string; funnel: Funnel }) {
  const t = text.value;
  if (failed + suppressed + expired === 0) return null;
  const rows = [
    ...failures,
    ...(suppressed === 0 ? [] : [{ outcome: "suppressed" as const, devices: suppressed, is_exact: true }]),
    ...(expired === 0 ? [] : [{ outcome: "expired" as const, devices: expired, is_exact: true }]),
  ];
  return (
    <>
      <h3>{t.notSent}</h3>
      <dl class="notification-reasons">
        {rows.map(({ outcome, devices, is_exact }) => (
          <div key={outcome}>
            <dt>
              <a href={href(`/console/user-notifications/${id}`, { outcome })}>{t.outcomes[outcome]}</a>
            </dt>
            <dd class="number">{number(devices)}{is_exact ? "" : "+"}</dd>
          </div>
        ))}
      </dl>
      <h3>{t.undelivered}</h3>
      <Table
        path="/v1/admin/user-notifications/{id}/undelivered-devices"
        of={{ id }}
        empty={t.reasonsGone}
        filters={[{ name: "outcome", label: t.outcome, options: Object.entries(t.outcomes) }]}
        columns={[
          { head: t.outcome, cell: ({ outcome }) => t.outcomes[outcome] },
          { head: t.owner, cell: ({ user_id }) => <UserLink id={user_id} /> },
          { head: t.device, cell: ({ device_type }) => device_type === null ? t.gone : t.deviceTypes[device_type] },
          { head: t.tries, cell: ({ attempts }) => number(attempts), isNumber: true },
        ]}
      />
    </>
  );
}
