/** What administrators do with rewards beyond their entries: counting again for all users, and gifts of themes. */
import { number } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ActionButton, useLoad } from "../../../ui/load.tsx";
import { ErrorNote } from "../../../ui/error_note.tsx";
import { announcement } from "../../kit/announcement.ts";
import { call, type Operation } from "../../kit/contract.ts";
import { usePoll } from "../../kit/poll.ts";
import { SchemaForm } from "../../kit/schema_form.tsx";

const text = consoleTexts(({ reference }) => reference.acts);

interface Progress {
  readonly status: "none" | "queued" | "running" | "done";
  readonly done_users: number;
  readonly total_users: number;
}

/** A run over all users: the button that starts it, and how far it is. */
function Run({ read, start, id, name, hint }: {
  read: Operation;
  start: Operation;
  id?: string;
  name: string;
  hint: string;
}) {
  const t = text.value;
  const path = id === undefined ? {} : { id };
  const load = useLoad(async (signal) => (await call<Progress>(read, { path, signal })).data, [id]);
  const isRunning = load.data?.status === "queued" || load.data?.status === "running";
  usePoll(load.reload, isRunning);
  return (
    <section class="console-run">
      <p class="small">{hint}</p>
      <div class="row">
        <ActionButton
          perform={async () => {
            await call(start, { path });
            announcement.value = t.started;
            load.reload();
          }}
        >
          {name}
        </ActionButton>
        <span role="status" class="small">
          {load.data && t.states[load.data.status](number(load.data.done_users), number(load.data.total_users))}
        </span>
      </div>
      {load.error !== undefined && <ErrorNote error={load.error} onRetry={load.reload} />}
    </section>
  );
}

const BADGE = { read: "GET /v1/admin/badges/{id}/backfill", start: "POST /v1/admin/badges/{id}/backfill" } as const;
const BADGES = { read: "GET /v1/admin/badges/backfill", start: "POST /v1/admin/badges/backfill" } as const;
const LEVELS = { read: "GET /v1/admin/levels/recalculate", start: "POST /v1/admin/levels/recalculate" } as const;

/** Counts a badge again for all users; all badges without an id. */
export function BadgeBackfill({ id }: { id?: string }) {
  const { backfill, backfillAll, backfillHint } = text.value;
  return id === undefined
    ? <Run {...BADGES} name={backfillAll} hint={backfillHint} />
    : <Run {...BADGE} id={id} name={backfill} hint={backfillHint} />;
}

export function LevelRecalculation() {
  return <Run {...LEVELS} name={text.value.recalculate} hint={text.value.recalculateHint} />;
}

const GIFT = "POST /v1/admin/themes/{id}/gift";

/** Gives a theme. The receiver is known on the page of an app user, and entered on that of a theme. */
export function ThemeGift({ id }: { id: string }) {
  const t = text.value;
  return (
    <section>
      <h3>{t.gift}</h3>
      <SchemaForm
        operation={GIFT}
        submit={t.give}
        onSubmit={async (body) => {
          await call(GIFT, { path: { id }, body });
          announcement.value = t.given;
        }}
      />
    </section>
  );
}
