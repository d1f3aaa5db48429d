/** What a signed-in user has for searches: vehicles, saved searches and the value of a minute of walking. */
import { useEffect } from "preact/hooks";
import { label } from "../../codes.ts";
import { place } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { useAction, useLoad } from "../../ui/load.tsx";
import { type Values, valuesOfQuery, VEHICLE_FIELDS } from "./conditions.ts";
import { ChoiceInput, NumberInput } from "./fields.tsx";

const text = pageTexts(({ map }) => map.own);

interface OwnProps {
  readonly change: (fields: Values) => void;
}

/** One of the vehicles fills type and dimensions. */
export function SearchVehicles({ change }: OwnProps) {
  const t = text.value;
  const { data } = useLoad(
    async (signal) => (await client.GET("/v1/me/vehicles", { params: { query: { limit: 100 } }, signal })).data.items,
    [],
  );
  if (!data?.length) return null;
  const named = data.map(({ id, nickname, vehicle_type }) =>
    [id, nickname ?? label("vehicle_type", vehicle_type)] as const
  );
  return (
    <ChoiceInput
      label={t.vehicle}
      value=""
      options={[["", t.choose], ...named]}
      onChange={(chosen) => {
        const vehicle = data.find(({ id }) => id === chosen);
        if (!vehicle) return;
        const dimensions = VEHICLE_FIELDS.map(({ name }) => [name, String(vehicle[name] ?? "")]);
        change({ vehicle_type: vehicle.vehicle_type, ...Object.fromEntries(dimensions) });
      }}
    />
  );
}

/** The saved searches. The default one is applied when the page is opened without a search. */
export function MyPresets({ change }: OwnProps) {
  const t = text.value;
  const { data } = useLoad(
    async (signal) =>
      (await client.GET("/v1/me/search-presets", { params: { query: { limit: 100 } }, signal })).data.items,
    [],
  );
  const apply = (chosen: NonNullable<typeof data>[number] | undefined) => {
    if (chosen) change(valuesOfQuery(chosen.query_json));
  };
  useEffect(() => {
    if (place.value.query.size === 0) apply(data?.find(({ is_default }) => is_default));
  }, [data]);
  if (!data?.length) return null;
  return (
    <ChoiceInput
      label={t.preset}
      value=""
      options={[["", t.choose], ...data.map(({ id, name }) => [id, name] as const)]}
      onChange={(chosen) => apply(data.find(({ id }) => id === chosen))}
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
        min={0}
        max={500}
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
