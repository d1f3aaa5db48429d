/** Messages of queues that could not be processed: put back into their queue, or discarded. */
import { dateTime, number } from "../../format.ts";
import { texts } from "../../language.ts";
import { ActionButton } from "../../ui/load.tsx";
import { client, may } from "../kit/access.ts";
import { announcement } from "../kit/announcement.ts";
import { Table } from "../kit/table.tsx";

const text = texts({
  en: {
    noDead: "There are no dead messages.",
    queue: "Queue",
    message: "Message",
    reads: "Reads",
    enqueued: "Enqueued",
    died: "Dead since",
    actions: "Actions",
    requeue: "Requeue",
    requeued: "The message is in its queue again.",
    discard: "Discard",
    discarded: "Discarded.",
  },
  ja: {
    noDead: "処理できないメッセージはありません。",
    queue: "キュー",
    message: "メッセージ",
    reads: "読み取り回数",
    enqueued: "登録",
    died: "停止",
    actions: "操作",
    requeue: "キューに戻す",
    requeued: "メッセージをキューに戻しました。",
    discard: "破棄",
    discarded: "破棄しました。",
  },
});

export function DeadMessagesScreen() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/dead-messages"
      empty={t.noDead}
      filters={[{ name: "queue", label: t.queue }]}
      columns={[
        { head: t.died, cell: ({ died_at }) => dateTime(died_at) },
        { head: t.queue, cell: ({ queue }) => <code>{queue}</code> },
        { head: t.message, cell: ({ message }) => <code>{JSON.stringify(message)}</code> },
        { head: t.reads, cell: ({ read_count }) => number(read_count), isNumber: true },
        { head: t.enqueued, cell: ({ enqueued_at }) => dateTime(enqueued_at) },
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

function DeadMessageActions({ id, reload }: { id: string; reload: () => void }) {
  const t = text.value;
  const params = { path: { id } };
  const done = (sentence: string) => {
    announcement.value = sentence;
    reload();
  };
  return (
    <span class="row">
      <ActionButton
        perform={async () => {
          await client.POST("/v1/admin/dead-messages/{id}/requeue", { params });
          done(t.requeued);
        }}
      >
        {t.requeue}
      </ActionButton>
      <ActionButton
        class="danger"
        perform={async () => {
          await client.DELETE("/v1/admin/dead-messages/{id}", { params });
          done(t.discarded);
        }}
      >
        {t.discard}
      </ActionButton>
    </span>
  );
}
