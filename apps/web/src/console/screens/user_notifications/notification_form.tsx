/// <reference lib="dom" />
/** The form of a notification to app users. */
import { useRef, useState } from "preact/hooks";
import type { components, ListItem } from "parking-lot-client";
import { NewComposedNotification } from "../../../bounds.ts";
import { options } from "../../../codes.ts";
import { number } from "../../../format.ts";
import { toLocalInput } from "../../../local_time.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Field, Form, Select, TextArea } from "../../../ui/form.tsx";
import { ActionButton } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { type NewNotification, requestOf, type Segment, SIDES } from "./notification_request.ts";
import { PhonePreview, type Written } from "./phone_preview.tsx";

const text = consoleTexts(({ userNotifications }) => userNotifications);

export type Notification = ListItem<"/v1/admin/user-notifications">;

/** The types for which an administrator writes; all others are written by the service. */
const TYPES: readonly string[] = ["announcement", "campaign"];

export function NotificationForm(
  { start, onSubmit }: { start: Partial<Notification>; onSubmit: (body: NewNotification) => Promise<unknown> },
) {
  const t = text.value;
  const holder = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState(start.target ?? "all");
  const [reach, setReach] = useState<components["schemas"]["NotificationReach"]>();
  const [written, setWritten] = useState<Written>(start);
  const { segment } = start;
  const preview = async () => {
    setReach(undefined);
    const form = holder.current!.querySelector("form")!;
    if (!form.reportValidity()) return;
    setReach((await client.POST("/v1/admin/user-notifications/preview", { body: requestOf(new FormData(form)) })).data);
  };
  return (
    <div
      ref={holder}
      class="console-form"
      onInput={() => setWritten(requestOf(new FormData(holder.current!.querySelector("form")!)))}
    >
      <PhonePreview written={written} />
      <Form submit={t.save} onSubmit={(values) => onSubmit(requestOf(values))}>
        <Select
          name="type"
          label={t.type}
          options={options("notification_type").filter(([code]) => TYPES.includes(code) || code === start.type)}
          defaultValue={start.type}
        />
        <Field name="title" label={t.title} defaultValue={start.title} {...NewComposedNotification.title} required />
        <TextArea
          name="body"
          label={t.body}
          defaultValue={start.body}
          rows={4}
          {...NewComposedNotification.body}
          required
        />
        <Field
          name="title_en"
          label={t.titleEn}
          defaultValue={start.title_en ?? ""}
          hint={t.enHint}
          {...NewComposedNotification.title_en}
        />
        <TextArea
          name="body_en"
          label={t.bodyEn}
          defaultValue={start.body_en ?? ""}
          rows={3}
          {...NewComposedNotification.body_en}
        />
        <Select
          name="target"
          label={t.target}
          options={options("notification_target")}
          defaultValue={start.target ?? "all"}
          onChange={(value) => setTarget(value as typeof target)}
        />
        {target === "user"
          ? <Field name="user_id" label={t.user} hint={t.userHint} defaultValue={start.user_id ?? ""} required />
          : <SegmentFields segment={segment} />}
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

function SegmentFields({ segment }: { segment: Segment | null | undefined }) {
  const t = text.value;
  return (
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
  );
}
