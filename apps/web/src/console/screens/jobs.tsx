/** The jobs of the database, with their last runs. */
import { dateTime, number } from "../../format.ts";
import { texts } from "../../language.ts";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { client } from "../kit/access.ts";
import { Rows } from "../kit/table.tsx";

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
