/** The jobs of the database, with their last runs. */
import { dateTime, number } from "../../format.ts";
import { consoleTexts } from "../../texts/console.ts";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { client } from "../kit/access.ts";
import { RunbookLink } from "../kit/runbook.tsx";
import { Rows } from "../kit/table.tsx";

const text = consoleTexts(({ jobs }) => jobs);

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
                      {t.results[last_run.status]} {last_run.error}
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
              {
                head: t.nextStep,
                cell: ({ is_active, last_run }) =>
                  (!is_active || last_run?.status === "failed") && (
                    <>
                      {is_active ? t.steps.failed : t.steps.off} <RunbookLink section="jobs" />
                    </>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}
