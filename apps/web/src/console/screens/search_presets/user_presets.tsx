/** The presets of one app user, and the form of one of them. */
import { useState } from "preact/hooks";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { ChangedNote, type FieldOf } from "../../kit/details.tsx";
import { isChangedMeanwhile } from "../../kit/entry.ts";
import { UserLink } from "../../kit/links.tsx";
import { PresetForm } from "./preset_form.tsx";
import { type Preset, type PresetQuery, PresetTable, summary } from "./preset_table.tsx";

const text = consoleTexts(({ searchPresets }) => searchPresets);

/** The limit of presets is lower than a page. */
const LIMIT = 100;

function fields(): FieldOf<Preset>[] {
  const t = text.value;
  return [
    { label: t.name, show: ({ name }) => name },
    { label: t.conditions, show: summary, value: ({ query_json }) => query_json },
  ];
}

/** Which preset is in the form. After a conflict `before` is the version that was open. */
interface Editing {
  readonly preset: Preset | undefined;
  readonly before?: Preset;
}

async function readPresets(userId: string, signal?: AbortSignal): Promise<readonly Preset[]> {
  const params = { query: { user_id: userId, limit: LIMIT } };
  return (await client.GET("/v1/admin/user-search-presets", { params, ...(signal ? { signal } : {}) })).data.items;
}

async function change({ id, updated_at }: Preset, name: string, query: PresetQuery): Promise<void> {
  await client.PATCH("/v1/admin/user-search-presets/{id}", {
    params: { path: { id }, header: { "If-Match": `"${updated_at}"` } },
    body: { name, query_json: query },
  });
}

export function UserPresets({ userId }: { userId: string }) {
  const t = text.value;
  const [editing, setEditing] = useState<Editing>();
  const load = useLoad((signal) => readPresets(userId, signal), []);
  const done = (sentence: string) => {
    announcement.value = sentence;
    setEditing(undefined);
    load.reload();
  };
  const save = async (name: string, query: PresetQuery) => {
    const preset = editing?.preset;
    try {
      if (preset) await change(preset, name, query);
      else await client.POST("/v1/admin/user-search-presets", { body: { user_id: userId, name, query_json: query } });
    } catch (error) {
      const newer = preset && isChangedMeanwhile(error) &&
        (await readPresets(userId)).find(({ id }) => id === preset.id);
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
        {t.of} <UserLink id={userId} />
      </p>
      <Loaded load={load}>
        {(presets) => (
          <>
            <PresetTable presets={presets} onEdit={(preset) => setEditing({ preset })} onDone={done} />
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
