/** The jobs of the database, messages that no consumer could finish, and the administrators. */
import { label, options } from "../../codes.ts";
import { dateTime, number } from "../../format.ts";
import { texts } from "../../language.ts";
import { ActionButton, Loaded, useLoad } from "../../ui/load.tsx";
import { client, may } from "../kit/access.ts";
import { announcement } from "../kit/announcement.ts";
import { Rows, Table } from "../kit/table.tsx";

const text = texts({
  en: {
    reload: "Reload",
    job: "Job",
    schedule: "Schedule",
    isActive: "Active",
    yes: "Yes",
    no: "No",
    lastRun: "Last run",
    result: "Result",
    duration: "Duration (ms)",
    failed: "Failed in 24 hours",
    nextRun: "Next run",
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
    name: "Name",
    email: "Mail address",
    areas: "Areas",
    area: "Area",
    status: "Status",
    lastSignIn: "Last sign-in",
  },
  ja: {
    reload: "再読み込み",
    job: "ジョブ",
    schedule: "スケジュール",
    isActive: "有効",
    yes: "はい",
    no: "いいえ",
    lastRun: "前回の実行",
    result: "結果",
    duration: "所要時間(ミリ秒)",
    failed: "24時間の失敗",
    nextRun: "次回の実行",
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
    name: "名前",
    email: "メールアドレス",
    areas: "担当範囲",
    area: "担当範囲",
    status: "状態",
    lastSignIn: "最終ログイン",
  },
});

export function JobsScreen() {
  const t = text.value;
  const load = useLoad(async (signal) => (await client.GET("/v1/admin/jobs", { signal })).data.items, []);
  return (
    <>
      <p>
        <button type="button" onClick={load.reload}>{t.reload}</button>
      </p>
      <Loaded load={load}>
        {(jobs) => (
          <Rows
            items={jobs}
            columns={[
              { head: t.job, cell: ({ name }) => <code>{name}</code> },
              { head: t.schedule, cell: ({ schedule }) => <code>{schedule}</code> },
              { head: t.isActive, cell: ({ is_active }) => is_active ? t.yes : t.no },
              { head: t.lastRun, cell: ({ last_run }) => last_run && dateTime(last_run.started_at) },
              {
                head: t.result,
                cell: ({ last_run }) =>
                  last_run && (
                    <span class={last_run.status === "failed" ? "wrong" : undefined}>
                      {last_run.status} {last_run.error}
                    </span>
                  ),
              },
              {
                head: t.duration,
                cell: ({ last_run }) => typeof last_run?.duration_ms === "number" && number(last_run.duration_ms, 1),
                isNumber: true,
              },
              { head: t.failed, cell: ({ failed_24h }) => number(failed_24h), isNumber: true },
              { head: t.nextRun, cell: ({ next_run_at }) => next_run_at && dateTime(next_run_at) },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}

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
            cell: ({ id }: { id: string }, list: { reload(): void }) => <Act id={id} reload={list.reload} />,
          }]
          : []),
      ]}
    />
  );
}

function Act({ id, reload }: { id: string; reload: () => void }) {
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

export function AdministratorsScreen() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/admins"
      filters={[
        { name: "status", label: t.status, options: options("admin_status") },
        { name: "area", label: t.area, options: options("admin_area") },
      ]}
      columns={[
        { head: t.name, cell: ({ name }) => name },
        { head: t.email, cell: ({ email }) => email },
        { head: t.status, cell: ({ status }) => <span class="chip">{label("admin_status", status)}</span> },
        { head: t.areas, cell: ({ areas }) => areas.map((area) => label("admin_area", area)).join(", ") },
        { head: t.lastSignIn, cell: ({ last_sign_in_at }) => last_sign_in_at && dateTime(last_sign_in_at) },
      ]}
    />
  );
}
