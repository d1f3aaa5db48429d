/** Acts of administrators as sentences: the whole record, or the part about one app user or lot. */
import type { ListItem, ListPath } from "parking-lot-client";
import { label } from "../../codes.ts";
import { dateTime, number } from "../../format.ts";
import { href } from "../../router.ts";
import { consoleTexts } from "../../texts/console.ts";
import { may } from "./access.ts";
import { type ChangeLine, changeLines, nameIn } from "./act_changes.ts";
import type { Filter } from "./filters.tsx";
import { AdministratorLink, LotLink, UserLink } from "./links.tsx";
import { codeOfField, fieldLabel, isField } from "./schema_form.tsx";
import { sentence } from "./sentence.tsx";
import { Table } from "./table.tsx";

type Act = ListItem<"/v1/admin/activity-logs">;
type ActPath = { [P in ListPath]: ListItem<P> extends Act ? P : never }[ListPath];

const text = consoleTexts(({ kit }) => kit.actTable);
const unnamed = consoleTexts(({ kit }) => kit.unnamed);

/** So many changes are shown at once. */
const FIRST = 5;

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
        { head: t.act, cell: (act) => <ActSentence act={act} /> },
        { head: t.changes, cell: (act) => <ActChanges act={act} /> },
      ]}
    />
  );
}

/** Who did what with what: each with its name as a link. */
function ActSentence({ act }: { act: Act }) {
  const t = text.value;
  const sentences = t.sentences as Readonly<Record<string, string>>;
  const template = sentences[act.action] ?? sentences[act.action.split(".")[1] ?? ""] ?? t.other;
  return (
    <>
      {sentence(template, {
        who: <AdministratorLink id={act.admin_id} />,
        what: <ActTarget act={act} />,
        user: <UserLink id={act.user_id} name={act.user_id === null ? unnamed.value.user : null} />,
        act: label("admin_action", act.action),
      })}
    </>
  );
}

/** The screens that open an entry, by the type of what was changed. */
const SCREENS: Readonly<Record<string, readonly [path: string, area: Parameters<typeof may>[0]]>> = {
  review: ["reviews", "reviews"],
  error_report: ["error-reports", "lots"],
  field_value: ["field-values", "lots"],
  support_ticket: ["support-tickets", "support"],
  user_notification: ["user-notifications", "notifications"],
  user_subscription: ["subscriptions", "users"],
  admin: ["admins", "admins"],
  article: ["reference/articles", "content"],
  ad: ["reference/ads", "content"],
  sponsor: ["reference/sponsors", "content"],
  subscription_plan: ["reference/plans", "content"],
  tag: ["reference/tags", "content"],
  code: ["reference/codes", "content"],
  holiday: ["reference/holidays", "content"],
  badge: ["reference/badges", "rewards"],
  level: ["reference/levels", "rewards"],
  exp_rule: ["reference/exp_rules", "rewards"],
  theme: ["reference/themes", "rewards"],
};

function ActTarget({ act: { target_type, target_id, action, changes } }: { act: Act }) {
  const t = text.value;
  if (target_type === "app_user") return <UserLink id={target_id} />;
  if (target_type === "parking_lot" && target_id !== null) return <LotLink id={target_id} />;
  if (target_type === "admin" && target_id !== null) return <AdministratorLink id={target_id} />;
  const kind = (t.targets as Readonly<Record<string, string>>)[target_type] ?? target_type;
  const name = nameIn(changes);
  const shown = name === undefined ? kind : t.named(kind, name);
  const [path, area] = SCREENS[target_type] ?? [];
  return path && target_id !== null && !action.endsWith(".delete") && may(area)
    ? <a href={href(`/console/${path}/${target_id}`)} title={target_id}>{shown}</a>
    : <>{shown}</>;
}

/** Each changed field with its values before and after, in words. */
function ActChanges({ act: { changes, target_type } }: { act: Act }) {
  const lines = changeLines(changes);
  return (
    <>
      <ChangeList lines={lines.slice(0, FIRST)} of={target_type} />
      {lines.length > FIRST && (
        <details>
          <summary>{text.value.more(lines.length - FIRST)}</summary>
          <ChangeList lines={lines.slice(FIRST)} of={target_type} />
        </details>
      )}
    </>
  );
}

function ChangeList({ lines, of }: { lines: readonly ChangeLine[]; of: string }) {
  return (
    <ul class="console-changes">
      {lines.map((line) => (
        <li key={`${line.path.join(".")} ${line.nth ?? ""} ${line.kind}`}>
          <Change line={line} of={of} />
        </li>
      ))}
    </ul>
  );
}

const nameOfField = (name: string): string =>
  isField(name) ? fieldLabel(name) : (text.value.fields as Readonly<Record<string, string>>)[name] ?? name;

function Change({ line: { path, nth, kind, before, after }, of }: { line: ChangeLine; of: string }) {
  const t = text.value;
  const name = path.at(-1)!;
  const field = path.map(nameOfField).join(nth === undefined ? ", " : ` ${number(nth)}, `);
  return (
    <>
      {sentence(t.changed[kind], {
        field,
        before: <s>{named(name, before) ?? shown(name, before, of)}</s>,
        after: <strong>{named(name, after) ?? shown(name, after, of)}</strong>,
        told: named(name, after) ?? shown(name, after, of),
        count: number(Number(after ?? before)),
      })}
    </>
  );
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What stands for an id: the name of what it names, or a word. */
function named(name: string, value: unknown) {
  if (typeof value !== "string" || !ID.test(value)) return undefined;
  if (name.endsWith("admin_id")) return <AdministratorLink id={value} />;
  if (name === "user_id") return <UserLink id={value} />;
  if (name === "parking_lot_id") return <LotLink id={value} />;
  return <span title={value}>{unnamed.value.entry}</span>;
}

/** The categories of statuses, by what has them; else by its own name. */
const STATUSES: Readonly<Record<string, string>> = {
  admin: "admin_status",
  app_user: "app_user_status",
  error_report: "error_report_status",
  parking_lot: "parking_lot_status",
  review: "review_status",
  support_ticket: "ticket_status",
  user_notification: "notification_status",
  user_subscription: "subscription_status",
};

function shown(name: string, value: unknown, of: string): string {
  const t = text.value;
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? t.yes : t.no;
  if (typeof value === "number") return Number.isInteger(value) ? number(value) : String(value);
  if (Array.isArray(value)) {
    return value.some((item) => typeof item === "object")
      ? t.entries(value.length)
      : value.map((item) => shown(name, item, of)).join(", ");
  }
  if (typeof value === "object") return JSON.stringify(value);
  const words = String(value);
  if (/^\d{4}-\d\d-\d\dT/.test(words)) return dateTime(words);
  return name === "status" ? label(STATUSES[of] ?? name, words) : codeOfField(name, words);
}
