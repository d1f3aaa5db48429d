// The resources of the area content, for the tests of the console: the valid and invalid fields of each.
import assert from "node:assert/strict";
import { type Administrator, anAdministrator, sending } from "./administrators.ts";
import { inDatabase } from "./lots.ts";

export interface Resource {
  readonly path: string;
  /** The `target_type` of its acts; their actions begin with it. */
  readonly target: string;
  /** The field that its own path ends in. */
  readonly key: string;
  /** A body that creates one; each call makes another. */
  body(): Record<string, unknown>;
  /** A change of one of them, and the field that differs. */
  readonly change: Record<string, unknown>;
  /** Values that a field does not take. */
  readonly wrong: readonly (readonly [field: string, value: unknown])[];
  /** Whether one that was just created may be deleted. */
  readonly isDeletable: boolean;
}

const unique = () => crypto.randomUUID().slice(0, 8);
export const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
export const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();

export const articles: Resource = {
  path: "/admin/articles",
  target: "article",
  key: "id",
  body: () => ({ slug: `article-${unique()}`, locale: "en", title: "Title", body: "# Body", tags: ["fees"] }),
  change: { title: "Another title" },
  wrong: [
    ["slug", "Two Words"],
    ["slug", null],
    ["locale", "fr"],
    ["title", ""],
    ["title", "a".repeat(201)],
    ["summary", "a".repeat(501)],
    ["body", null],
    ["cover_image_url", "javascript:alert(1)"],
    ["tags", ["a", 5]],
    ["tags", Array(21).fill("a")],
    ["tags", ["a".repeat(51)]],
    ["published_at", "2026-09-01"],
    ["published_at", "infinity"],
  ],
  isDeletable: true,
};

export const ads: Resource = {
  path: "/admin/ads",
  target: "ad",
  key: "id",
  body: () => ({ placement: "map", title: `Ad ${unique()}`, starts_at: tomorrow(), link_url: "https://example.com/" }),
  change: { weight: 250 },
  wrong: [
    ["placement", "wall"],
    ["title", ""],
    ["title", "a".repeat(101)],
    ["body", "a".repeat(501)],
    ["image_url", "ftp://example.com/a.png"],
    ["link_url", "https://example.com/駐"],
    ["weight", 0],
    ["weight", 1.5],
    ["weight", "100"],
    ["starts_at", "tomorrow"],
    ["ends_at", "2020-01-01T00:00:00Z"],
    ["is_active", null],
  ],
  isDeletable: true,
};

export const sponsors: Resource = {
  path: "/admin/sponsors",
  target: "sponsor",
  key: "id",
  body: () => ({
    name: `Sponsor ${unique()}`,
    lat: -20.5,
    lng: 57.5,
    starts_at: tomorrow(),
    opening_hours: [{ weekday: 1, opens: "18:00", closes: "02:00" }],
  }),
  change: { checkin_radius_m: 250 },
  wrong: [
    ["name", ""],
    ["description", "a".repeat(4001)],
    ["category", "Two words"],
    ["address", ""],
    ["lat", 90.5],
    ["lng", "139"],
    ["website", "example.com"],
    ["image_asset_id", "picture"],
    ["opening_hours", [{ weekday: 8, opens: "18:00", closes: "20:00" }]],
    ["time_zone", "Asia/Nowhere"],
    ["time_zone", "+09:00"],
    ["checkin_radius_m", 5],
    ["sort_order", null],
    ["sort_order", 3e9],
    ["ends_at", "2020-01-01T00:00:00Z"],
  ],
  isDeletable: true,
};

export const plans: Resource = {
  path: "/admin/subscription-plans",
  target: "subscription_plan",
  key: "id",
  body: () => ({
    code: `plan_${unique()}`,
    name: "プラン",
    price_minor: 500,
    billing_period: "month",
    sort_order: 900,
  }),
  change: { price_minor: 600 },
  wrong: [
    ["name", null],
    ["name_en", "a".repeat(101)],
    ["description", "a".repeat(1001)],
    ["price_minor", -1],
    ["price_minor", 1.5],
    ["currency", "yen"],
    ["billing_period", "day"],
    ["accent_color", "red"],
    ["features", ["a", null]],
    ["features", "all"],
    ["features", Array(51).fill("a")],
    ["features", ["a".repeat(201)]],
    ["features_en", 5],
    ["is_active", "yes"],
  ],
  isDeletable: false,
};

export const codes: Resource = {
  path: "/admin/codes",
  target: "code",
  key: "category_id/code",
  body: () => ({
    category_id: "structure",
    code: `built_${unique()}`,
    labels: { ja: "構造", en: `Built ${unique()}` },
  }),
  change: { sort_order: 905 },
  wrong: [
    ["labels", { ja: "構造" }],
    ["labels", { ja: "構造", en: "" }],
    ["labels", { ja: "構造", en: "Built", fr: "Construit" }],
    ["labels", "Built"],
    ["metadata", { colour: "#000000" }],
    ["metadata", { color: "red" }],
    ["metadata", { url: "javascript:alert(1)" }],
    ["metadata", []],
    ["sort_order", "first"],
    ["is_active", null],
  ],
  isDeletable: false,
};

export const tags: Resource = {
  path: "/admin/tags",
  target: "tag",
  key: "id",
  body: () => ({ slug: `tag_${unique()}`, name: "タグ", name_en: "Tag", color: "#123456", sort_order: 900 }),
  change: { name: "別のタグ" },
  wrong: [
    ["name", ""],
    ["name_en", "a".repeat(101)],
    ["color", "#12345G"],
    ["category", "a".repeat(51)],
    ["icon_name", ""],
    ["sort_order", 0.5],
    ["is_active", 1],
  ],
  isDeletable: true,
};

let day = 0;
export const holidays: Resource = {
  path: "/admin/holidays",
  target: "holiday",
  key: "calendar/holiday_date",
  body: () => ({
    calendar: "XX",
    holiday_date: new Date(Date.UTC(2030, 0, 1 + day++)).toISOString().slice(0, 10),
    name: "祝日",
  }),
  change: { name: "別の祝日" },
  wrong: [["name", ""], ["name", null], ["name_en", "a".repeat(201)]],
  isDeletable: true,
};

export const resources: readonly Resource[] = [articles, ads, sponsors, plans, codes, tags, holidays];

// deno-lint-ignore no-explicit-any -- replies of many routes, whose schemas the other tests compare
export type Row = Record<string, any>;

/** The body of a response, which must have this status. */
export async function replied(response: Response | Promise<Response>, status = 200): Promise<Row> {
  const text = await (await response).text();
  assert.equal((await response).status, status, text);
  return text === "" ? {} : JSON.parse(text);
}

/** An administrator of the content, and what they do. */
export async function anEditor() {
  const editor: Administrator = await anAdministrator("content");
  return {
    editor,
    replied,
    create: (resource: Resource, fields: Row = {}) =>
      replied(editor.ask(resource.path, sending("POST", { ...resource.body(), ...fields })), 201),
    change: (at: string, changes: Row, status = 200) => replied(editor.ask(at, sending("PATCH", changes)), status),
    remove: (at: string, status = 204) => replied(editor.ask(at, { method: "DELETE" }), status),
    /** The names of the acts on a row after it was created. */
    async actions(id: string): Promise<string[]> {
      const rows = await inDatabase((sql) =>
        sql<{ action: string }[]>`
          select action from public.admin_activity_logs where target_id = ${id} order by created_at`
      );
      return rows.slice(1).map(({ action }) => action.split(".")[1]!);
    },
  };
}
