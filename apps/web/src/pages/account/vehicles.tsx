/** The vehicles of a user: their type and size decide fees and which lots they fit. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { NewVehicle } from "../../bounds.ts";
import { label, options } from "../../codes.ts";
import { numberBounds } from "../../number_bounds.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field, Form, Select } from "../../ui/form.tsx";
import { ActionButton, Loaded, useLoad } from "../../ui/load.tsx";

type Vehicle = components["schemas"]["UserVehicle"];

const text = pageTexts(({ account }) => account.vehicles);

/** The sizes with their units. */
const SIZES = [
  { name: "height_m", unit: "m", step: 0.01 },
  { name: "width_m", unit: "m", step: 0.01 },
  { name: "length_m", unit: "m", step: 0.01 },
  { name: "weight_t", unit: "t", step: 0.01 },
  { name: "clearance_cm", unit: "cm", step: 1 },
  { name: "tire_width_mm", unit: "mm", step: 1 },
] as const;

export function VehicleList() {
  const load = useLoad(
    async (signal) => (await client.GET("/v1/me/vehicles", { params: { query: { limit: 100 } }, signal })).data.items,
    [],
  );
  // A vehicle, `new`, or undefined while no dialog is open.
  const [edited, setEdited] = useState<Vehicle | "new">();
  const t = text.value;
  const close = () => setEdited(undefined);
  return (
    <>
      <p>
        <button type="button" class="primary" onClick={() => setEdited("new")}>{t.add}</button>
      </p>
      <Loaded load={load}>
        {(vehicles) => (
          <>
            {vehicles.length === 0 && <p class="notice">{t.nothing}</p>}
            <ul class="list">
              {vehicles.map((vehicle) => (
                <li key={vehicle.id} class="card">
                  <VehicleCard vehicle={vehicle} onEdit={() => setEdited(vehicle)} onChange={load.reload} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {edited && (
        <Dialog title={edited === "new" ? t.add : t.edit} onClose={close}>
          <VehicleEditor
            vehicle={edited === "new" ? undefined : edited}
            onSaved={() => {
              close();
              load.reload();
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function VehicleCard({ vehicle, onEdit, onChange }: { vehicle: Vehicle; onEdit: () => void; onChange: () => void }) {
  const t = text.value;
  const params = { path: { id: vehicle.id } };
  const sizes = SIZES.filter(({ name }) => vehicle[name] !== null);
  return (
    <>
      <h2>
        {vehicle.nickname ?? label("vehicle_type", vehicle.vehicle_type)}{" "}
        {vehicle.is_default && <span class="chip">{t.isDefault}</span>}
      </h2>
      <p>
        {[label("vehicle_type", vehicle.vehicle_type), vehicle.plate_number, vehicle.color].filter(Boolean).join(" · ")}
      </p>
      <p class="small">{sizes.map(({ name, unit }) => `${t.sizes[name]} ${vehicle[name]} ${unit}`).join(", ")}</p>
      <div class="row">
        <button type="button" onClick={onEdit}>{t.edit}</button>
        {!vehicle.is_default && (
          <ActionButton
            perform={async () => {
              await client.PATCH("/v1/me/vehicles/{id}", { params, body: { is_default: true } });
              onChange();
            }}
          >
            {t.makeDefault}
          </ActionButton>
        )}
        <ActionButton
          class="danger"
          perform={async () => {
            await client.DELETE("/v1/me/vehicles/{id}", { params });
            onChange();
          }}
        >
          {t.delete}
        </ActionButton>
      </div>
    </>
  );
}

function VehicleEditor({ vehicle, onSaved }: { vehicle: Vehicle | undefined; onSaved: () => void }) {
  const t = text.value;
  const save = async (values: FormData) => {
    const textOf = (name: string) => String(values.get(name) ?? "").trim() || null;
    const numberOf = (name: string) => textOf(name) === null ? null : Number(textOf(name));
    const body = {
      vehicle_type: String(values.get("vehicle_type")),
      nickname: textOf("nickname"),
      plate_number: textOf("plate_number"),
      color: textOf("color"),
      ...Object.fromEntries(SIZES.map(({ name }) => [name, numberOf(name)])),
      ...(values.has("is_default") ? { is_default: true } : {}),
    };
    if (vehicle) await client.PATCH("/v1/me/vehicles/{id}", { params: { path: { id: vehicle.id } }, body });
    else await client.POST("/v1/me/vehicles", { body });
    onSaved();
  };
  return (
    <Form submit={t.save} onSubmit={save}>
      <Select
        name="vehicle_type"
        label={t.type}
        options={options("vehicle_type")}
        defaultValue={vehicle?.vehicle_type ?? "standard"}
      />
      <Field name="nickname" label={t.nickname} {...NewVehicle.nickname} defaultValue={vehicle?.nickname ?? ""} />
      <Field
        name="plate_number"
        label={t.plate}
        {...NewVehicle.plate_number}
        defaultValue={vehicle?.plate_number ?? ""}
      />
      <Field name="color" label={t.color} {...NewVehicle.color} defaultValue={vehicle?.color ?? ""} />
      {SIZES.map(({ name, unit, step }) => (
        <Field
          key={name}
          name={name}
          label={`${t.sizes[name]} (${unit})`}
          type="number"
          {...numberBounds(NewVehicle[name], step)}
          defaultValue={vehicle?.[name] ?? ""}
        />
      ))}
      {!vehicle?.is_default && <Checkbox name="is_default" label={t.makeDefault} />}
    </Form>
  );
}
