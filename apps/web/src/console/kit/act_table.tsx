/** Acts of administrators: the whole record, or the part about one app user or lot. */
import type { ListItem, ListPath } from "parking-lot-client";
import { label } from "../../codes.ts";
import { dateTime } from "../../format.ts";
import { href } from "../../router.ts";
import { consoleTexts } from "../../texts/console.ts";
import { may } from "./access.ts";
import type { Filter } from "./filters.tsx";
import { UserLink } from "./links.tsx";
import { Table } from "./table.tsx";

type Act = ListItem<"/v1/admin/activity-logs">;
type ActPath = { [P in ListPath]: ListItem<P> extends Act ? P : never }[ListPath];

const text = consoleTexts(({ kit }) => kit.actTable);

/** A list of acts; of one app user or lot with `of`. */
export function ActTable({ path, of, filters }: { path: ActPath; of?: { id: string }; filters?: readonly Filter[] }) {
  const t = text.value;
  return (
    <Table
      path={path}
      empty={t.empty}
      {...(of ? { of } : {})}
      {...(filters ? { filters } : {})}
      columns={[
        { head: t.time, cell: ({ created_at }) => dateTime(created_at) },
        { head: t.action, cell: ({ action }) => label("admin_action", action) },
        { head: t.administrator, cell: ({ admin_id }) => <AdministratorLink id={admin_id} /> },
        { head: t.target, cell: (act) => <ActTarget act={act} /> },
        { head: t.user, cell: ({ user_id }) => user_id && <UserLink id={user_id} /> },
        { head: t.changes, cell: ({ changes }) => <ActChanges changes={changes} /> },
      ]}
    />
  );
}

function AdministratorLink({ id }: { id: string }) {
  return <a href={href("/console/activity-logs", { admin_id: id })}>{id.slice(0, 8)}</a>;
}

/** The screens that open an entry, by the type of what was changed. */
const SCREENS: Readonly<Record<string, readonly [path: string, area: Parameters<typeof may>[0]]>> = {
  review: ["reviews", "reviews"],
  error_report: ["error-reports", "lots"],
  field_value: ["field-values", "lots"],
  parking_lot: ["parking-lots", "lots"],
  support_ticket: ["support-tickets", "support"],
  user_notification: ["user-notifications", "notifications"],
  app_user: ["users", "users"],
};

function ActTarget({ act: { target_type, target_id } }: { act: Act }) {
  const name = target_id === null ? target_type : `${target_type} ${target_id.slice(0, 8)}`;
  const [path, area] = SCREENS[target_type] ?? [];
  return path && may(area) ? <a href={href(`/console/${path}/${target_id}`)}>{name}</a> : <>{name}</>;
}

const shown = (value: unknown) =>
  value === null || value === undefined ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Each changed field with its values before and after; other details, such as a reason, as they are. */
function ActChanges({ changes }: { changes: Readonly<Record<string, unknown>> }) {
  return (
    <ul class="console-changes">
      {Object.entries(changes).map(([name, change]) => {
        const isPair = typeof change === "object" && change !== null && "new" in change;
        const { old, new: next } = Object(change) as { old?: unknown; new?: unknown };
        return (
          <li key={name}>
            <code>{name}</code>: {isPair ? `${shown(old)} → ${shown(next)}` : shown(change)}
          </li>
        );
      })}
    </ul>
  );
}
