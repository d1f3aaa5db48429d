/** Messages of queues that could not be processed: put back into their queue, or discarded. */
import { dateTime, number } from "../../format.ts";
import { consoleTexts } from "../../texts/console.ts";
import { ActionButton } from "../../ui/load.tsx";
import { client, may } from "../kit/access.ts";
import { announcement } from "../kit/announcement.ts";
import { RunbookLink } from "../kit/runbook.tsx";
import { Table } from "../kit/table.tsx";

const text = consoleTexts(({ deadMessages }) => deadMessages);

export function DeadMessagesScreen() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/dead-messages"
      empty={t.noDead}
      filters={[{ name: "queue", label: t.queue }]}
      several={may("admins")
        ? {
          idOf: ({ id }) => id,
          nameOf: ({ queue, died_at }) => `${queue}, ${dateTime(died_at)}`,
          acts: [
            { name: t.requeue, kind: "primary", perform: ({ id }) => requeue(id) },
            { name: t.discard, kind: "danger", perform: ({ id }) => discard(id) },
          ],
        }
        : undefined}
      columns={[
        { head: t.died, cell: ({ died_at }) => dateTime(died_at) },
        { head: t.queue, cell: ({ queue }) => <code>{queue}</code> },
        { head: t.message, cell: ({ message }) => <code>{JSON.stringify(message)}</code> },
        { head: t.reads, cell: ({ read_count }) => number(read_count), isNumber: true },
        { head: t.enqueued, cell: ({ enqueued_at }) => dateTime(enqueued_at) },
        {
          head: t.nextStep,
          cell: ({ queue }) => (
            <>
              {(t.steps as Readonly<Record<string, string>>)[queue] ?? t.anyStep}{" "}
              <RunbookLink section="dead_messages" />
            </>
          ),
        },
        ...(may("admins")
          ? [{
            head: t.actions,
            cell: ({ id }: { id: string }, list: { reload(): void }) => (
              <DeadMessageActions id={id} reload={list.reload} />
            ),
          }]
          : []),
      ]}
    />
  );
}

const requeue = (id: string) => client.POST("/v1/admin/dead-messages/{id}/requeue", { params: { path: { id } } });
const discard = (id: string) => client.DELETE("/v1/admin/dead-messages/{id}", { params: { path: { id } } });

function DeadMessageActions({ id, reload }: { id: string; reload: () => void }) {
  const t = text.value;
  const done = (sentence: string) => {
    announcement.value = sentence;
    reload();
  };
  return (
    <span class="row">
      <ActionButton
        perform={async () => {
          await requeue(id);
          done(t.requeued);
        }}
      >
        {t.requeue}
      </ActionButton>
      <ActionButton
        class="danger"
        perform={async () => {
          await discard(id);
          done(t.discarded);
        }}
      >
        {t.discard}
      </ActionButton>
    </span>
  );
}
