/** The state of the service: each line with its threshold, and what to do. */
import { number } from "../../../format.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { usePoll } from "../../kit/poll.ts";
import { RunbookLink } from "../../kit/runbook.tsx";
import { Rows } from "../../kit/table.tsx";
import { healthLines, type Line } from "./health.ts";

const text = consoleTexts(({ health }) => health);

const INTERVAL_MS = 30_000;

export function HealthScreen() {
  const t = text.value;
  const load = useLoad(async (signal) => {
    const [overview, jobs] = await Promise.all([
      client.GET("/v1/admin/overview", { signal }),
      client.GET("/v1/admin/jobs", { signal }),
    ]);
    return healthLines(overview.data, jobs.data.items, new Date());
  }, []);
  usePoll(load.reload, true, INTERVAL_MS);
  return (
    <Loaded load={load}>
      {(lines) => {
        const wrong = lines.filter(({ isFine }) => !isFine).length;
        return (
          <>
            <p role="status">{wrong === 0 ? t.allFine : t.wrong(wrong)}</p>
            <Rows
              items={lines}
              columns={[
                {
                  head: t.what,
                  cell: (line) => (
                    <a href={href(line.path)}>
                      <Name line={line} />
                    </a>
                  ),
                },
                {
                  head: t.state,
                  cell: ({ isFine }) => (
                    <span class={isFine ? "health-fine" : "wrong"}>{isFine ? t.fine : t.alert}</span>
                  ),
                },
                { head: t.value, cell: valueOf, isNumber: true },
                { head: t.limit, cell: ({ section, limit }) => t.limits[section](number(limit)) },
                { head: t.next, cell: (line) => line.isFine ? "" : <Advice line={line} /> },
              ]}
            />
          </>
        );
      }}
    </Loaded>
  );
}

/** Jobs, queues and statements have no other name than that of the code. */
function Name({ line: { section, subject } }: { line: Line }) {
  const { names, subjects } = text.value;
  if (subject === "") return <>{names[section]}</>;
  const known = (subjects as Readonly<Record<string, string>>)[subject];
  return <>{names[section]}: {known ?? <code>{subject}</code>}</>;
}

function valueOf({ section, subject, value }: Line): string {
  if (value === null) return "–";
  // A job that fails has a number of failures; the scheduler, minutes.
  const isCount = section === "dead_messages" || (section === "jobs" && subject !== "");
  return isCount ? number(value) : section === "slow" ? `${number(value)} ms` : text.value.minutes(number(value));
}

function Advice({ line: { section, detail } }: { line: Line }) {
  const t = text.value;
  const reasons = t.reasons as Readonly<Record<string, string>>;
  return (
    <>
      {t.advice[section]}
      <span class="small">
        {detail && ` ${reasons[detail] ?? detail}.`} <RunbookLink section={section} />
      </span>
    </>
  );
}
