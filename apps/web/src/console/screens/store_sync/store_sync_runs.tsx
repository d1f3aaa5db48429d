/** The runs that fetch the data of the stores: the list, one of them, and the start of new ones. */
import { useState } from "preact/hooks";
import type { components, ListItem } from "parking-lot-client";
import { label, options } from "../../../codes.ts";
import { dateTime, number } from "../../../format.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Form, Select } from "../../../ui/form.tsx";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { Details, type FieldOf } from "../../kit/details.tsx";
import { AdministratorLink } from "../../kit/links.tsx";
import { usePoll } from "../../kit/poll.ts";
import { RunbookLink } from "../../kit/runbook.tsx";
import { Table } from "../../kit/table.tsx";
import { storeFilter } from "./store_filters.ts";

const text = consoleTexts(({ storeSync }) => storeSync);

type Run = ListItem<"/v1/admin/store-sync/runs">;
type Trigger = components["schemas"]["TriggerStoreSyncRequest"];

export const SCREEN = "/console/store-sync";

export function StoreSyncRuns() {
  const t = text.value;
  const [triggered, setTriggered] = useState(0);
  return (
    <>
      <Form
        class="console-bar"
        submit={t.trigger}
        onSubmit={async (values) => {
          const body = { store: values.get("store"), task: values.get("task") } as Trigger;
          const { data } = await client.POST("/v1/admin/store-sync/trigger", { body });
          announcement.value = t.triggered(number(data.count));
          setTriggered((n) => n + 1);
        }}
      >
        <Select name="store" label={t.store} options={options("store")} defaultValue="all" />
        <Select name="task" label={t.task} options={options("store_sync_task")} defaultValue="all" />
      </Form>
      <Table
        key={triggered}
        path="/v1/admin/store-sync/runs"
        empty={t.noRuns}
        filters={[
          storeFilter(),
          { name: "task", label: t.task, options: options("store_sync_task").filter(([code]) => code !== "all") },
          { name: "status", label: t.status, options: options("store_sync_status") },
        ]}
        columns={[
          {
            head: t.created,
            cell: ({ id, created_at }) => <a href={href(`${SCREEN}/${id}`)}>{dateTime(created_at)}</a>,
          },
          { head: t.store, cell: ({ store }) => label("store", store) },
          { head: t.task, cell: ({ task }) => label("store_sync_task", task) },
          { head: t.status, cell: ({ status }) => <span class="chip">{label("store_sync_status", status)}</span> },
          { head: t.read, cell: ({ rows_read }) => number(rows_read), isNumber: true },
          { head: t.written, cell: ({ rows_written }) => number(rows_written), isNumber: true },
          { head: t.error, cell: ({ error, problem }) => (error ?? problem)?.code },
        ]}
      />
    </>
  );
}

function fields(): FieldOf<Run>[] {
  const t = text.value;
  const reason = (found: Run["error"] | Run["problem"]) => found && `${found.code}: ${found.message}`;
  return [
    { label: t.store, show: ({ store }) => label("store", store) },
    { label: t.task, show: ({ task }) => label("store_sync_task", task) },
    { label: t.status, show: ({ status }) => label("store_sync_status", status) },
    {
      label: t.requestedBy,
      show: ({ requested_by }) => requested_by === null ? t.job : <AdministratorLink id={requested_by} />,
    },
    { label: t.read, show: ({ rows_read }) => number(rows_read) },
    { label: t.written, show: ({ rows_written }) => number(rows_written) },
    { label: t.error, show: ({ error }) => reason(error) },
    { label: t.problem, show: ({ problem }) => reason(problem) },
    { label: t.due, show: ({ due_at }) => due_at && dateTime(due_at) },
    { label: t.created, show: ({ created_at }) => dateTime(created_at) },
    { label: t.started, show: ({ started_at }) => started_at && dateTime(started_at) },
    { label: t.finished, show: ({ finished_at }) => finished_at && dateTime(finished_at) },
  ];
}

/** What to do about a run that failed or waits. */
function NextStep({ run: { error, problem } }: { run: Run }) {
  const t = text.value;
  const found = error ?? problem;
  if (!found) return null;
  return (
    <p class="notice">
      {(t.steps as Readonly<Record<string, string>>)[found.code] ?? t.anyStep} <RunbookLink section="stores" />
    </p>
  );
}

export function StoreSyncRun({ id }: { id: string }) {
  const params = { path: { id } };
  const load = useLoad(
    async (signal) => (await client.GET("/v1/admin/store-sync/runs/{id}", { params, signal })).data,
    [id],
  );
  const status = load.data?.status;
  usePoll(load.reload, status === "queued" || status === "running");
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{text.value.allRuns}</a>
      </p>
      <Loaded load={load}>
        {(run) => (
          <>
            <NextStep run={run} />
            <Details data={run} fields={fields()} />
          </>
        )}
      </Loaded>
    </>
  );
}
