/** The table of presets with what can be done with each. */
import type { ResponseBody } from "parking-lot-client";
import { label } from "../../../codes.ts";
import { dateTime, money, number } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ActionButton } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { Rows } from "../../kit/table.tsx";

const text = consoleTexts(({ searchPresets }) => searchPresets);

export type Preset = ResponseBody<"/v1/admin/user-search-presets", "get">["items"][number];
export type PresetQuery = Preset["query_json"];

/** The conditions of a preset in one line. */
export function summary({ query_json: query }: Preset): string {
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

interface PresetTableProps {
  readonly presets: readonly Preset[];
  readonly onEdit: (preset: Preset) => void;
  readonly onDone: (sentence: string) => void;
}

export function PresetTable({ presets, onEdit, onDone }: PresetTableProps) {
  const t = text.value;
  if (presets.length === 0) return <p class="notice">{t.empty}</p>;
  return (
    <Rows
      items={presets}
      columns={[
        { head: t.name, cell: ({ name }) => name },
        { head: t.conditions, cell: summary },
        { head: t.isDefault, cell: ({ is_default }) => is_default && <span class="chip">{t.isDefault}</span> },
        { head: t.edited, cell: ({ updated_at }) => dateTime(updated_at) },
        { head: t.actions, cell: (preset) => <PresetActions preset={preset} onEdit={onEdit} onDone={onDone} /> },
      ]}
    />
  );
}

function PresetActions({ preset, onEdit, onDone }: Omit<PresetTableProps, "presets"> & { preset: Preset }) {
  const t = text.value;
  const params = { path: { id: preset.id } };
  return (
    <span class="row">
      <button type="button" onClick={() => onEdit(preset)}>{t.edit}</button>
      {!preset.is_default && (
        <ActionButton
          perform={async () => {
            await client.POST("/v1/admin/user-search-presets/{id}/set-default", { params });
            onDone(t.saved);
          }}
        >
          {t.setDefault}
        </ActionButton>
      )}
      <ActionButton
        class="danger"
        perform={async () => {
          await client.DELETE("/v1/admin/user-search-presets/{id}", { params });
          onDone(t.removed);
        }}
      >
        {t.remove}
      </ActionButton>
    </span>
  );
}
