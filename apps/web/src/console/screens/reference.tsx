/** Reference data, to read: the same table for all of it. */
import type { ListItem, ListPath } from "parking-lot-client";
import type { PageProps } from "../../page.ts";
import { dateTime } from "../../format.ts";
import { consoleTexts } from "../../texts/console.ts";
import { type Area, may } from "../kit/access.ts";
import { Table } from "../kit/table.tsx";
import { Tabs } from "../kit/tabs.tsx";

const SCREEN = "/console/reference";

const text = consoleTexts(({ reference }) => reference);

interface Reference<P extends ListPath> {
  readonly name: keyof typeof text.value.names;
  readonly area: Area;
  readonly path: P;
  /** The fields that are shown, by their names in the API. */
  readonly fields: readonly (keyof ListItem<P> & string)[];
  readonly hasSearch?: boolean;
}

const list = <P extends ListPath>({ name, area, path, fields, hasSearch = false }: Reference<P>) => ({
  name,
  area,
  ReferenceTable: () => (
    <Table
      path={path}
      filters={hasSearch ? [{ name: "q", label: text.value.search }] : []}
      columns={fields.map((field) => ({ head: field, cell: (item: ListItem<P>) => shown(item[field]) }))}
    />
  ),
});

const LISTS = [
  list({
    name: "articles",
    area: "content",
    path: "/v1/admin/articles",
    fields: ["title", "slug", "locale", "status", "published_at", "updated_at"],
    hasSearch: true,
  }),
  list({
    name: "ads",
    area: "content",
    path: "/v1/admin/ads",
    fields: ["title", "placement", "status", "starts_at", "ends_at", "weight"],
    hasSearch: true,
  }),
  list({
    name: "sponsors",
    area: "content",
    path: "/v1/admin/sponsors",
    fields: ["name", "category", "address", "status", "starts_at", "ends_at"],
    hasSearch: true,
  }),
  list({
    name: "plans",
    area: "content",
    path: "/v1/admin/subscription-plans",
    fields: ["code", "name", "price_minor", "currency", "billing_period", "is_active"],
  }),
  list({
    name: "tags",
    area: "content",
    path: "/v1/admin/tags",
    fields: ["name", "name_en", "slug", "category", "is_active"],
    hasSearch: true,
  }),
  list({
    name: "codes",
    area: "content",
    path: "/v1/admin/codes",
    fields: ["category_id", "code", "labels", "is_active"],
    hasSearch: true,
  }),
  list({
    name: "holidays",
    area: "content",
    path: "/v1/admin/holidays",
    fields: ["holiday_date", "name", "name_en", "calendar"],
  }),
  list({
    name: "badges",
    area: "rewards",
    path: "/v1/admin/badges",
    fields: ["name", "name_en", "category", "threshold", "is_active"],
  }),
  list({
    name: "levels",
    area: "rewards",
    path: "/v1/admin/levels",
    fields: ["level", "required_exp", "name", "name_en"],
  }),
  list({
    name: "exp_rules",
    area: "rewards",
    path: "/v1/admin/exp-rules",
    fields: ["reason", "activity_type", "amount", "daily_limit", "is_active"],
  }),
  list({
    name: "themes",
    area: "rewards",
    path: "/v1/admin/themes",
    fields: ["name", "description", "is_free", "price_yen_minor", "unlock_level", "is_active"],
  }),
];

export function ReferenceScreen({ parts: [name] }: PageProps) {
  const t = text.value;
  const offered = LISTS.filter(({ area }) => may(area));
  const chosen = LISTS.find((list) => list.name === name) ?? offered[0]!;
  return (
    <>
      <Tabs
        label={t.lists}
        tabs={offered.map(({ name }) => [`${SCREEN}/${name}`, t.names[name]])}
        current={`${SCREEN}/${chosen.name}`}
      />
      <chosen.ReferenceTable key={chosen.name} />
    </>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? text.value.yes : text.value.no;
  if (typeof value === "object") return Object.values(value).join(" / ");
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? dateTime(value) : String(value);
}
