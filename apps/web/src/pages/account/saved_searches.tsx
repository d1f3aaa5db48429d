/** The saved searches: renamed, made the default, deleted, opened. A new one is made at the search. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { NewSearchPreset } from "../../bounds.ts";
import { href } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { ActionButton } from "../../ui/load.tsx";
import { PagedList } from "../../ui/paged_list.tsx";
import { valuesOfQuery } from "../../conditions.ts";

type Preset = components["schemas"]["SearchPreset"];

const text = pageTexts(({ account }) => account.savedSearches);

export function SavedSearches() {
  const t = text.value;
  const [changes, setChanges] = useState(0);
  const [renamed, setRenamed] = useState<Preset>();
  const changed = () => {
    setRenamed(undefined);
    setChanges((n) => n + 1);
  };
  return (
    <>
      <PagedList
        read={(signal) => client.pages("/v1/me/search-presets", { signal })}
        inputs={[changes]}
        empty={t.nothing}
        keyOf={({ id }) => id}
      >
        {(preset) => <PresetCard preset={preset} onRename={() => setRenamed(preset)} onChange={changed} />}
      </PagedList>
      {renamed && (
        <Dialog title={t.rename} onClose={() => setRenamed(undefined)}>
          <Form
            submit={t.save}
            onSubmit={async (values) => {
              const params = { path: { id: renamed.id } };
              await client.PATCH("/v1/me/search-presets/{id}", { params, body: { name: String(values.get("name")) } });
              changed();
            }}
          >
            <Field name="name" label={t.name} {...NewSearchPreset.name} defaultValue={renamed.name} required />
          </Form>
        </Dialog>
      )}
    </>
  );
}

function PresetCard({ preset, onRename, onChange }: { preset: Preset; onRename: () => void; onChange: () => void }) {
  const t = text.value;
  const params = { path: { id: preset.id } };
  return (
    <article class="card">
      <p class="account-name">
        <a href={href("/", valuesOfQuery(preset.query_json))}>{preset.name}</a>{" "}
        {preset.is_default && <span class="chip">{t.isDefault}</span>}
      </p>
      <div class="row">
        <button type="button" onClick={onRename}>{t.rename}</button>
        {!preset.is_default && (
          <ActionButton
            perform={async () => {
              await client.POST("/v1/me/search-presets/{id}/set-default", { params });
              onChange();
            }}
          >
            {t.makeDefault}
          </ActionButton>
        )}
        <ActionButton
          class="danger"
          perform={async () => {
            await client.DELETE("/v1/me/search-presets/{id}", { params });
            onChange();
          }}
        >
          {t.delete}
        </ActionButton>
      </div>
    </article>
  );
}
