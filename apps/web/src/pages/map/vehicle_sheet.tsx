/** The sheet of the vehicle: one of the user's, or its type and sizes. The choice is remembered. */
import { useState } from "preact/hooks";
import { label, options } from "../../codes.ts";
import { isAppUser } from "../../following.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { useLoad } from "../../ui/load.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { type Values, VEHICLE_FIELDS } from "../../conditions.ts";
import { dimensionName, unitOf } from "./dimensions.ts";
import { ChoiceInput, Condition } from "./fields.tsx";
import { valuesOfVehicle, vehicleValues } from "./vehicle.ts";
import { vehicleText } from "./vehicle_text.ts";

const text = pageTexts(({ map }) => map.vehicleSheet);

export interface VehicleSheetProps {
  readonly values: Values;
  readonly onVehicle: (vehicle: Values) => void;
  readonly onClose: () => void;
}

const [HEIGHT, ...OTHER_SIZES] = VEHICLE_FIELDS;

export function VehicleSheet({ values, onVehicle, onClose }: VehicleSheetProps) {
  const t = text.value;
  const [draft, setDraft] = useState(() => vehicleValues(values));
  const choose = (vehicle: Values) => {
    onVehicle(vehicle);
    onClose();
  };
  const type = draft["vehicle_type"] || "standard";
  const types = options("vehicle_type");
  const size = (field: (typeof VEHICLE_FIELDS)[number]) => (
    <Condition
      key={field.name}
      field={field}
      label={`${dimensionName(field.name)} (${unitOf(field.name)})`}
      values={draft}
      change={(fields) => setDraft({ ...draft, ...fields })}
      operators={[]}
    />
  );
  return (
    <Sheet
      title={t.title}
      onClose={onClose}
      actions={<button type="button" class="primary" onClick={() => choose(draft)}>{t.search}</button>}
    >
      {isAppUser.value && <OwnVehicles onVehicle={choose} />}
      <div class="find-fields">
        {size(HEIGHT)}
        <ChoiceInput
          label={t.type}
          value={type}
          options={types.some(([code]) => code === type) ? types : [...types, [type, type]]}
          onChange={(vehicle_type) => setDraft({ ...draft, vehicle_type })}
        />
      </div>
      <details open={OTHER_SIZES.some(({ name }) => draft[name])}>
        <summary>{t.more}</summary>
        <div class="find-fields">{OTHER_SIZES.map(size)}</div>
      </details>
      <p class="small">{t.remembered}</p>
    </Sheet>
  );
}

/** The vehicles of the user's profile. */
function OwnVehicles({ onVehicle }: { onVehicle: (vehicle: Values) => void }) {
  const { data } = useLoad(
    async (signal) => (await client.GET("/v1/me/vehicles", { params: { query: { limit: 100 } }, signal })).data.items,
    [],
  );
  if (!data?.length) return null;
  return (
    <div class="row" role="group" aria-label={text.value.own}>
      {data.map((vehicle) => {
        const values = valuesOfVehicle(vehicle);
        const name = vehicle.nickname ?? label("vehicle_type", vehicle.vehicle_type);
        return (
          <button key={vehicle.id} type="button" class="pill" onClick={() => onVehicle(values)}>
            {[name, values["height_m"] && vehicleText({ height_m: values["height_m"] })].filter(Boolean).join(" ")}
          </button>
        );
      })}
    </div>
  );
}
