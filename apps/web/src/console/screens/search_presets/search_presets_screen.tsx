/** The search presets of a person: list, create, edit, delete, set the default. Each read of them is on record. */
import { useState } from "preact/hooks";
import type { ResponseBody } from "parking-lot-client";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { dateTime, money, number } from "../../../format.ts";
import { texts } from "../../../language.ts";
import { navigate } from "../../../router.ts";
import { Checkbox, Field, Form, Select } from "../../../ui/form.tsx";
import { ActionButton, Loaded, useLoad } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { ChangedNote, type FieldOf } from "../../kit/details.tsx";
import { isChangedMeanwhile } from "../../kit/entry.ts";
import { PersonLink } from "../../kit/links.tsx";
import { Rows } from "../../kit/table.tsx";

type Preset = ResponseBody<"/v1/admin/user-search-presets", "get">["items"][number];
type Query = Preset["query_json"];

/** The limit of presets is lower than a page. */
const LIMIT = 100;

const text = texts({
  en: {
    userId: "Id of the person",
    userHint: "The page of a person has a link to the presets. That somebody read them is on record.",
    show: "Show the presets",
    of: "Presets of",
    empty: "The person has no presets.",
    create: "New preset",
    edit: "Edit",
    name: "Name",
    conditions: "Conditions",
    isDefault: "Default",
    setDefault: "Make it the default",
    remove: "Delete",
    edited: "Changed",
    actions: "Actions",
    radius: "Radius (m)",
    priceMax: "Highest price (yen)",
    attributes: "Features",
    sort: "Order",
    noSort: "Not set",
    save: "Save",
    saved: "Saved.",
    removed: "Deleted.",
    cancel: "Cancel",
    upTo: (price: string) => `up to ${price}`,
  },
  ja: {
    userId: "利用者のID",
    userHint: "利用者のページから開けます。閲覧は記録に残ります。",
    show: "検索条件を表示",
    of: "検索条件の持ち主:",
    empty: "検索条件はありません。",
    create: "検索条件を追加",
    edit: "編集",
    name: "名称",
    conditions: "条件",
    isDefault: "既定",
    setDefault: "既定にする",
    remove: "削除",
    edited: "更新日時",
    actions: "操作",
    radius: "半径(m)",
    priceMax: "料金の上限(円)",
    attributes: "特徴",
    sort: "並び順",
    noSort: "指定なし",
    save: "保存",
    saved: "保存しました。",
    removed: "削除しました。",
    cancel: "やめる",
    upTo: (price: string) => `${price}以下`,
  },
});

export function SearchPresetsScreen({ parts: [userId] }: PageProps) {
  const t = text.value;
  if (userId !== undefined) return <Presets key={userId} userId={userId} />;
  return (
    <Form
      submit={t.show}
      onSubmit={(values) => {
        navigate(`/console/user-search-presets/${String(values.get("user_id")).trim()}`);
        return Promise.resolve();
      }}
    >
      <Field name="user_id" label={t.userId} hint={t.userHint} required />
    </Form>
  );
}

function summary({ query_json: query }: Preset): string {
  const parts = [
    query.center?.placeName,
    query.radius_m && `${number(query.radius_m)} m`,
    typeof query.price_max === "number" && text.value.upTo(money(query.price_max)),
    ...(query.attributes ?? []).map((code) => label("attribute", code)),
    ...(query.keywords ?? []),
    query.sort && label("search_sort", query.sort),
  ];
  return parts.filter(Boolean).join(", ");
}

function fields(): FieldOf<Preset>[] {
  const t = text.value;
  return [
    { label: t.name, show: ({ name }) => name },
    { label: t.conditions, show: summary, value: ({ query_json }) => query_json },
  ];
}

/** Which preset is in the form. After a conflict `before` is the version that the person had opened. */
interface Editing {
  readonly preset: Preset | undefined;
  readonly before?: Preset;
}

function Presets({ userId }: { userId: string }) {
  const t = text.value;
  const [editing, setEditing] = useState<Editing>();
  const read = async (signal?: AbortSignal) => {
    const params = { query: { user_id: userId, limit: LIMIT } };
    return (await client.GET("/v1/admin/user-search-presets", { params, ...(signal ? { signal } : {}) })).data.items;
  };
  const load = useLoad(read, []);
  const done = (sentence: string) => {
    announcement.value = sentence;
    setEditing(undefined);
    load.reload();
  };
  const save = async (name: string, query: Query) => {
    const preset = editing?.preset;
    if (preset === undefined) {
      await client.POST("/v1/admin/user-search-presets", { body: { user_id: userId, name, query_json: query } });
      return done(t.saved);
    }
    try {
      await client.PATCH("/v1/admin/user-search-presets/{id}", {
        params: { path: { id: preset.id }, header: { "If-Match": `"${preset.updated_at}"` } },
        body: { name, query_json: query },
      });
    } catch (error) {
      const newer = isChangedMeanwhile(error) && (await read()).find(({ id }) => id === preset.id);
      if (!newer) throw error;
      setEditing({ preset: newer, before: preset });
      load.reload();
      return;
    }
    done(t.saved);
  };
  return (
    <>
      <p>
        {t.of} <PersonLink id={userId} />
      </p>
      <Loaded load={load}>
        {(presets) => (
          <>
            {presets.length === 0 ? <p class="notice">{t.empty}</p> : (
              <Rows
                items={presets}
                columns={[
                  { head: t.name, cell: ({ name }) => name },
                  { head: t.conditions, cell: summary },
                  {
                    head: t.isDefault,
                    cell: ({ is_default }) => is_default && <span class="chip">{t.isDefault}</span>,
                  },
                  { head: t.edited, cell: ({ updated_at }) => dateTime(updated_at) },
                  {
                    head: t.actions,
                    cell: (preset) => (
                      <span class="row">
                        <button type="button" onClick={() => setEditing({ preset })}>{t.edit}</button>
                        {!preset.is_default && (
                          <ActionButton
                            perform={async () => {
                              const params = { path: { id: preset.id } };
                              await client.POST("/v1/admin/user-search-presets/{id}/set-default", { params });
                              done(t.saved);
                            }}
                          >
                            {t.setDefault}
                          </ActionButton>
                        )}
                        <ActionButton
                          class="danger"
                          perform={async () => {
                            const params = { path: { id: preset.id } };
                            await client.DELETE("/v1/admin/user-search-presets/{id}", { params });
                            done(t.removed);
                          }}
                        >
                          {t.remove}
                        </ActionButton>
                      </span>
                    ),
                  },
                ]}
              />
            )}
            {editing === undefined
              ? (
                <button type="button" class="primary" onClick={() => setEditing({ preset: undefined })}>
                  {t.create}
                </button>
              )
              : (
                <>
                  <h2>{editing.preset?.name ?? t.create}</h2>
                  {editing.before && editing.preset && (
                    <ChangedNote before={editing.before} now={editing.preset} fields={fields()} />
                  )}
                  <PresetForm key={editing.preset?.id} preset={editing.preset} onSave={save} />
                  <button type="button" onClick={() => setEditing(undefined)}>{t.cancel}</button>
                </>
              )}
          </>
        )}
      </Loaded>
    </>
  );
}

function PresetForm(
  { preset, onSave }: { preset: Preset | undefined; onSave: (name: string, query: Query) => Promise<void> },
) {
  const t = text.value;
  const query = preset?.query_json ?? {};
  return (
    <Form
      submit={t.save}
      onSubmit={(values) => {
        const of = (name: string) => String(values.get(name) ?? "").trim();
        // Conditions that the form does not have stay.
        const { radius_m: _, price_max: __, sort: ___, ...rest } = query;
        const [radius, price, sort] = [of("query_json.radius_m"), of("query_json.price_max"), of("query_json.sort")];
        return onSave(of("name"), {
          ...rest,
          ...(radius === "" ? {} : { radius_m: Number(radius) }),
          ...(price === "" ? {} : { price_max: Number(price) }),
          ...(sort === "" ? {} : { sort: sort as NonNullable<Query["sort"]> }),
          attributes: ATTRIBUTES().filter(([code]) => values.has(code)).map(([code]) => code) as NonNullable<
            Query["attributes"]
          >,
        });
      }}
    >
      <Field name="name" label={t.name} defaultValue={preset?.name} maxLength={100} required />
      <Field name="query_json.radius_m" label={t.radius} type="number" defaultValue={query.radius_m} />
      <Field name="query_json.price_max" label={t.priceMax} type="number" defaultValue={query.price_max ?? undefined} />
      <Select
        name="query_json.sort"
        label={t.sort}
        options={[["", t.noSort], ...options("search_sort")]}
        defaultValue={query.sort}
      />
      <fieldset class="console-checks">
        <legend>{t.attributes}</legend>
        {ATTRIBUTES().map(([code, label]) => (
          <Checkbox
            key={code}
            name={code}
            label={label}
            defaultChecked={(query.attributes as string[] | undefined)?.includes(code) ?? false}
          />
        ))}
      </fieldset>
    </Form>
  );
}

const ATTRIBUTES = () => options("attribute");
