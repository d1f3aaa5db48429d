/** The sets of a lot that are replaced as a whole: hours, days, spaces, groups, tags and photos. */
import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { label } from "../../../codes.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { useLoad } from "../../../ui/load.tsx";
import { addStyle } from "../../../ui/style.ts";
import { client } from "../../kit/access.ts";
import type { Operation } from "../../kit/contract.ts";
import type { Entry } from "../../kit/entry.ts";
import { EditEntry, type Item } from "../../kit/resource.tsx";
import type { Controls } from "../../kit/schema_form.tsx";
import { DaysEditor } from "./days/days_editor.tsx";
import { HoursEditor } from "./hours/hours_editor.tsx";
import style from "./lots.css" with { type: "text" };
import type { Lot } from "./prices/tariff.ts";
import { PhotosEditor } from "./sets/photos_editor.tsx";
import { TagsEditor } from "./sets/tags_editor.tsx";

addStyle(style);

const text = consoleTexts(({ parkingLots }) => parkingLots);

export const SETS = ["windows", "date_overrides", "spots", "pricing_groups", "tags", "images"] as const;
type SetName = (typeof SETS)[number];

const OPERATIONS: Readonly<Record<SetName, Operation>> = {
  windows: "PUT /v1/admin/parking-lots/{id}/windows",
  date_overrides: "PUT /v1/admin/parking-lots/{id}/date-overrides",
  spots: "PUT /v1/admin/parking-lots/{id}/spots",
  pricing_groups: "PUT /v1/admin/parking-lots/{id}/pricing-groups",
  tags: "PUT /v1/admin/parking-lots/{id}/tags",
  images: "PUT /v1/admin/parking-lots/{id}/images",
};

/** The editors that are made for their set. All sets have a form of their rows too. */
const EDITORS: Readonly<Partial<Record<SetName, ComponentType<{ entry: Entry<Lot> }>>>> = {
  windows: HoursEditor,
  date_overrides: DaysEditor,
  tags: TagsEditor,
  images: PhotosEditor,
};

export function LotSet({ name, entry }: { name: SetName; entry: Entry<Lot> }) {
  const t = text.value;
  const [isForm, setForm] = useState(false);
  const Editor = EDITORS[name];
  if (Editor === undefined) return <SetForm name={name} entry={entry} />;
  return (
    <>
      <div class="lot-choice lot-views" role="group" aria-label={t.views}>
        {[false, true].map((asForm) => (
          <button
            key={String(asForm)}
            type="button"
            aria-pressed={isForm === asForm}
            onClick={() => setForm(asForm)}
          >
            {asForm ? t.asRows : t.editorNames[name as keyof typeof t.editorNames]}
          </button>
        ))}
      </div>
      {isForm ? <SetForm name={name} entry={entry} /> : <Editor entry={entry} />}
    </>
  );
}

function SetForm({ name, entry }: { name: SetName; entry: Entry<Lot> }) {
  const { data: lot } = entry.data!;
  return (
    <>
      <p class="small">{text.value.setHints[name]}</p>
      <EditEntry
        resource={{ useControls: () => useControls(lot) }}
        operation={OPERATIONS[name]}
        entry={entry as unknown as Entry<Item>}
        path={{ id: lot.id }}
        isWhole
        {...(name === "images" ? { toBody: inOrder } : {})}
      />
    </>
  );
}

/** Photos are shown in the order of the form. */
function inOrder({ images, ...others }: Record<string, unknown>): Record<string, unknown> {
  return { ...others, images: (images as object[]).map((image, index) => ({ ...image, sort_order: index + 1 })) };
}

function useControls(lot: Lot): Controls {
  const tags = useLoad(async (signal) => (await client.GET("/v1/tags", { signal })).data.items, []);
  const known = new Map([
    ...(tags.data ?? []).map(({ id, name }) => [id, name] as const),
    ...lot.tags.map(({ tag_id, name }) => [tag_id, name] as const),
  ]);
  const urls = lot.images.flatMap(({ asset_id, image_url }) => image_url === null ? [] : [[asset_id, image_url]]);
  return {
    tag_id: { options: [...known] },
    asset_id: { upload: "parking_lot", pictures: Object.fromEntries(urls) },
    sort_order: "hidden",
    parking_lot_id: "hidden",
    category: {
      options: (["time_band", "flat", "initial", "grace", "cap", "published_total"] as const).map((
        code,
      ) => [code, label("pricing_category", code)]),
    },
  };
}
