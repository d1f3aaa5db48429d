/** The reference data: what each list shows, and what can be done with its entries. */
import type { ListItem, ListPath } from "parking-lot-client";
import { useLoad } from "../../../ui/load.tsx";
import { label, options } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { type Area, client } from "../../kit/access.ts";
import type { Entry } from "../../kit/entry.ts";
import { type Item, type Resource, ResourceLink } from "../../kit/resource.tsx";
import { choiceLabel, fieldLabel } from "../../kit/schema_form.tsx";
import { Table } from "../../kit/table.tsx";
import { BadgeBuilder } from "./badge_builder.tsx";
import { BadgeBackfill, LevelRecalculation, ThemeGift } from "./rewards_acts.tsx";

export const SCREEN = "/console/reference";

const text = consoleTexts(({ reference }) => reference);

export interface ReferenceList {
  readonly name: keyof typeof text.value.names;
  readonly area: Area;
  readonly resource: Resource;
  readonly ReferenceTable: () => preact.JSX.Element;
}

interface Listed<P extends ListPath> extends Omit<Resource, "screen" | "titleOf"> {
  readonly name: keyof typeof text.value.names;
  readonly area: Area;
  readonly path: P;
  /** The fields that are shown, by their names in the API. The first one is the name of the entry. */
  readonly fields: readonly (keyof ListItem<P> & string)[];
  readonly hasSearch?: boolean;
}

/** A list. `above` stands over it. */
function list<P extends ListPath>(
  { name, area, path, fields: [first, ...fields], hasSearch = false, ...resource }: Listed<P>,
  above?: () => preact.JSX.Element,
): ReferenceList {
  const titleOf = (item: Item) => shown(first as string, item[first as string]);
  const complete: Resource = { ...resource, screen: `${SCREEN}/${name}`, titleOf };
  return {
    name,
    area,
    resource: complete,
    ReferenceTable: () => (
      <>
        {above?.()}
        <Table
          path={path}
          filters={hasSearch ? [{ name: "q", label: text.value.search }] : []}
          columns={[
            {
              head: fieldLabel(first as string),
              cell: (item: ListItem<P>) => <ResourceLink resource={complete} item={item as object} />,
            },
            ...fields.map((field) => ({
              head: headOf(field),
              cell: (item: ListItem<P>) => shown(field, item[field]),
            })),
          ]}
        />
      </>
    ),
  };
}

const headOf = (field: string): string =>
  (text.value.heads as Readonly<Record<string, string>>)[field] ?? fieldLabel(field);

const idOf = (entry: Entry<Item>) => String(entry.data!.data["id"]);

/** The badges, to choose one. */
function useBadges(): [string, string][] {
  const load = useLoad(async (signal) => {
    const badges: [string, string][] = [];
    for await (const { id, name } of client.pages("/v1/admin/badges", { signal })) badges.push([id, name]);
    return badges;
  }, []);
  return load.data ?? [];
}

export const LISTS: readonly ReferenceList[] = [
  list({
    name: "articles",
    area: "content",
    path: "/v1/admin/articles",
    read: "GET /v1/admin/articles/{id}",
    create: "POST /v1/admin/articles",
    change: "PATCH /v1/admin/articles/{id}",
    remove: "DELETE /v1/admin/articles/{id}",
    start: { locale: "ja" },
    fields: ["title", "slug", "locale", "status", "published_at", "updated_at"],
    hasSearch: true,
  }),
  list({
    name: "ads",
    area: "content",
    path: "/v1/admin/ads",
    read: "GET /v1/admin/ads/{id}",
    create: "POST /v1/admin/ads",
    change: "PATCH /v1/admin/ads/{id}",
    remove: "DELETE /v1/admin/ads/{id}",
    start: { is_active: true, weight: 1 },
    fields: ["title", "placement", "status", "starts_at", "ends_at", "weight"],
    hasSearch: true,
  }),
  list({
    name: "sponsors",
    area: "content",
    path: "/v1/admin/sponsors",
    read: "GET /v1/admin/sponsors/{id}",
    create: "POST /v1/admin/sponsors",
    change: "PATCH /v1/admin/sponsors/{id}",
    remove: "DELETE /v1/admin/sponsors/{id}",
    start: { is_active: true },
    useControls: () => ({ image_asset_id: { upload: "parking_lot" } }),
    fields: ["name", "category", "address", "status", "starts_at", "ends_at"],
    hasSearch: true,
  }),
  list({
    name: "plans",
    area: "content",
    path: "/v1/admin/subscription-plans",
    read: "GET /v1/admin/subscription-plans/{id}",
    create: "POST /v1/admin/subscription-plans",
    change: "PATCH /v1/admin/subscription-plans/{id}",
    start: { is_active: true, currency: "JPY" },
    fields: ["name", "code", "price_minor", "currency", "billing_period", "is_active"],
  }),
  list({
    name: "tags",
    area: "content",
    path: "/v1/admin/tags",
    read: "GET /v1/admin/tags/{id}",
    create: "POST /v1/admin/tags",
    change: "PATCH /v1/admin/tags/{id}",
    remove: "DELETE /v1/admin/tags/{id}",
    start: { is_active: true },
    fields: ["name", "name_en", "slug", "category", "is_active"],
    hasSearch: true,
  }),
  list({
    name: "codes",
    area: "content",
    path: "/v1/admin/codes",
    read: "GET /v1/admin/codes/{category_id}/{code}",
    create: "POST /v1/admin/codes",
    change: "PATCH /v1/admin/codes/{category_id}/{code}",
    start: { is_active: true },
    fields: ["code", "category_id", "labels", "is_active"],
    hasSearch: true,
  }),
  list({
    name: "holidays",
    area: "content",
    path: "/v1/admin/holidays",
    read: "GET /v1/admin/holidays/{calendar}/{holiday_date}",
    create: "POST /v1/admin/holidays",
    change: "PATCH /v1/admin/holidays/{calendar}/{holiday_date}",
    remove: "DELETE /v1/admin/holidays/{calendar}/{holiday_date}",
    start: { calendar: "JP" },
    fields: ["name", "holiday_date", "name_en", "calendar"],
  }),
  list({
    name: "badges",
    area: "rewards",
    path: "/v1/admin/badges",
    read: "GET /v1/admin/badges/{id}",
    create: "POST /v1/admin/badges",
    change: "PATCH /v1/admin/badges/{id}",
    remove: "DELETE /v1/admin/badges/{id}",
    start: { is_active: true },
    useControls: () => ({ conditions: { editor: BadgeBuilder } }),
    fields: ["name", "name_en", "category", "threshold", "is_active"],
    acts: (entry) => <BadgeBackfill id={idOf(entry)} />,
  }, () => <BadgeBackfill />),
  list({
    name: "levels",
    area: "rewards",
    path: "/v1/admin/levels",
    read: "GET /v1/admin/levels/{level}",
    create: "POST /v1/admin/levels",
    change: "PATCH /v1/admin/levels/{level}",
    remove: "DELETE /v1/admin/levels/{level}",
    fields: ["level", "required_exp", "name", "name_en"],
  }, () => <LevelRecalculation />),
  list({
    name: "exp_rules",
    area: "rewards",
    path: "/v1/admin/exp-rules",
    read: "GET /v1/admin/exp-rules/{id}",
    create: "POST /v1/admin/exp-rules",
    change: "PATCH /v1/admin/exp-rules/{id}",
    remove: "DELETE /v1/admin/exp-rules/{id}",
    start: { is_active: true },
    useControls: () => ({ reason: { options: options("exp_reason") } }),
    fields: ["reason", "activity_type", "amount", "daily_limit", "is_active"],
  }),
  list({
    name: "themes",
    area: "rewards",
    path: "/v1/admin/themes",
    read: "GET /v1/admin/themes/{id}",
    create: "POST /v1/admin/themes",
    change: "PATCH /v1/admin/themes/{id}",
    remove: "DELETE /v1/admin/themes/{id}",
    start: { is_active: true, is_free: false },
    useControls: () => ({ preview_asset_id: { upload: "parking_lot" }, unlock_badge_id: { options: useBadges() } }),
    fields: ["name", "description", "is_free", "price_yen_minor", "unlock_level", "is_active"],
    acts: (entry) => <ThemeGift id={idOf(entry)} />,
  }),
];

/** The fields with one of few values. */
const CHOICES = ["activity_type", "billing_period", "locale", "placement", "status"];

function shown(field: string, value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? text.value.yes : text.value.no;
  if (typeof value === "object") return Object.values(value).join(" / ");
  const words = String(value);
  if (field === "reason") return label("exp_reason", words);
  if (CHOICES.includes(field)) return choiceLabel(field, words);
  return /^\d{4}-\d\d-\d\dT/.test(words) ? dateTime(words) : words;
}
