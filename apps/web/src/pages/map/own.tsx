/** What a signed-in user has for searches: saved searches and the value of a minute of walking. */
import { useEffect } from "preact/hooks";
import type { components } from "parking-lot-client";
import { SearchPreferencesUpdate } from "../../bounds.ts";
import { isAppUser } from "../../following.ts";
import { place } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { useAction, useLoad } from "../../ui/load.tsx";
import { type Values, valuesOfQuery } from "../../conditions.ts";
import { ChoiceInput, NumberInput } from "./fields.tsx";

const text = pageTexts(({ map }) => map.own);

type Preset = components["schemas"]["SearchPreset"];

async function readPresets(signal: AbortSignal): Promise<Preset[]> {
  return (await client.GET("/v1/me/search-presets", { params: { query: { limit: 100 } }, signal })).data.items;
}

/** The default saved search is applied when the page is opened without a search. */
export function useDefaultPreset(begin: (fields: Values) => void): void {
  useEffect(() => {
    if (!isAppUser.value || hasSearch()) return;
    const abort = new AbortController();
    readPresets(abort.signal).then(
      (presets) => {
        const preset = presets.find(({ is_default }) => is_default);
        if (preset && !hasSearch()) begin(valuesOfQuery(preset.query_json));
      },
      (error: unknown) => abort.signal.aborted || console.warn("The saved searches could not be read.", error),
    );
    return () => abort.abort();
  }, [isAppUser.value]);
}

/** Whether the address names a search, not only the view of the map. */
const hasSearch = () => [...place.peek().query.keys()].some((name) => name !== "view");

/** The saved searches. */
export function MyPresets({ change }: { readonly change: (fields: Values) => void }) {
  const t = text.value;
  const { data } = useLoad(readPresets, []);
  if (!data?.length) return null;
  return (
    <ChoiceInput
      label={t.preset}
      value=""
      options={[["", t.choose], ...data.map(({ id, name }) => [id, name] as const)]}
      onChange={(chosen) => {
        const preset = data.find(({ id }) => id === chosen);
        if (preset) change(valuesOfQuery(preset.query_json));
      }}
    />
  );
}

export function WalkValue({ onChange }: { onChange: () => void }) {
  const t = text.value;
  const { data, reload } = useLoad(
    async (signal) => (await client.GET("/v1/me/search-preferences", { signal })).data,
    [],
  );
  let yen = 0;
  const save = useAction(async () => {
    await client.PUT("/v1/me/search-preferences", { body: { yen_per_walk_minute: yen } });
    reload();
    onChange();
  });
  if (!data) return null;
  if (!data.is_premium) return <p class="small">{t.premium(data.yen_per_walk_minute)}</p>;
  return (
    <>
      <NumberInput
        label={t.walk}
        value={String(data.yen_per_walk_minute)}
        {...SearchPreferencesUpdate.yen_per_walk_minute}
        step={1}
        onChange={(value) => {
          yen = Number(value);
          void save.run();
        }}
      />
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </>
  );
}
