/** What administrators have done: the whole record. */
import { options } from "../../codes.ts";
import { fromLocalInput } from "../../local_time.ts";
import { consoleTexts } from "../../texts/console.ts";
import { ActTable } from "../kit/act_table.tsx";

const text = consoleTexts(({ activityLogs }) => activityLogs);

const startOfDay = (day: string) => fromLocalInput(`${day}T00:00`);

export function ActivityLogsScreen() {
  const t = text.value;
  return (
    <ActTable
      path="/v1/admin/activity-logs"
      filters={[
        { name: "action", label: t.action, options: options("admin_action") },
        { name: "from", label: t.from, type: "date", toQuery: startOfDay },
        { name: "to", label: t.to, type: "date", toQuery: startOfDay },
        { name: "admin_id", label: t.administratorId },
        { name: "user_id", label: t.userId },
        { name: "target_id", label: t.targetId },
      ]}
    />
  );
}
