/** The sheet that starts a session: vehicle, planned exit, reminders, and where the car stands. */
import { useRef, useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { ApiError } from "parking-lot-client";
import { ParkingSessionUpdate } from "../../bounds.ts";
import { label, options } from "../../codes.ts";
import { timeOfDay } from "../../format.ts";
import { newKey } from "../../keys.ts";
import { fromLocalInput, toLocalInput } from "../../local_time.ts";
import { uploadPhotos } from "../../photos.ts";
import { href, navigate } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { useNow } from "../../ui/clock.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field, Form, Select } from "../../ui/form.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { Surprises } from "../../ui/surprises.tsx";
import { PhotoPicker, usePhotos } from "../../ui/photo_picker.tsx";
import { readVehicles, type UserVehicle } from "../../vehicles.ts";
import type { Lot } from "./lot.ts";
import { DIMENSIONS, type Stay } from "./stay.ts";
import { keepPlan } from "../../plan.ts";
import { remindBeforeIncrease } from "../../reminders.ts";

type NewSession = components["schemas"]["NewParkingSession"];

const text = pageTexts(({ session }) => session.startSheet);

/** A stay that begins within this time is the one that starts. */
const SOON_MS = 15 * 60_000;

interface StartProps {
  readonly lot: Lot;
  readonly stay: Stay;
  readonly onClose: () => void;
}

export function StartSheet(props: StartProps) {
  const load = useLoad(readVehicles, []);
  return (
    <Dialog title={text.value.title} onClose={props.onClose}>
      <Loaded load={load}>{(vehicles) => <StartForm {...props} vehicles={vehicles} />}</Loaded>
    </Dialog>
  );
}

function StartForm({ lot, stay, vehicles }: StartProps & { vehicles: readonly UserVehicle[] }) {
  const t = text.value;
  const now = useNow();
  const [photos, setPhotos] = usePhotos();
  const [progress, setProgress] = useState<number>();
  const [running, setRunning] = useState(false);
  const [exitAt, setExitAt] = useState(stay.exitAt);
  // What is done is not repeated when a later step fails and the form is sent again.
  const started = useRef<string | undefined>(undefined);
  const requestId = useRef(newKey());

  const start = async (values: FormData) => {
    const body: NewSession = {
      parking_lot_id: lot.id,
      client_request_id: requestId.current,
      ...vehicleOf(String(values.get("vehicle"))),
    };
    setRunning(false);
    try {
      started.current ??= (await client.POST("/v1/parking-sessions", { body })).data.session_id;
    } catch (error) {
      setRunning(error instanceof ApiError && error.code === "concurrent_session_not_allowed");
      throw error;
    }
    const id = started.current;
    const params = { path: { id } };
    const exit = String(values.get("exit_at"));
    keepPlan(id, exit === "" ? undefined : fromLocalInput(exit, lot.time_zone));
    const memo = String(values.get("memo")).trim();
    if (memo !== "") await client.PATCH("/v1/me/parking-sessions/{id}", { params, body: { memo } });
    if (photos.length > 0) {
      const blobs = photos.map(({ blob }) => blob);
      const assets = await uploadPhotos(blobs, { category: "session_photo" }, setProgress)
        .finally(() => setProgress(undefined));
      for (const [index, asset_id] of assets.entries()) {
        const path = { id, phase: "during", slot: index + 1 } as const;
        await client.PUT("/v1/me/parking-sessions/{id}/photos/{phase}/{slot}", {
          params: { path },
          body: { asset_id },
        });
      }
    }
    if (values.has("remind")) await remindBeforeIncrease(true);
    navigate("/session");
  };

  const planned = Date.parse(exitAt) > Date.now() ? toLocalInput(exitAt, lot.time_zone) : "";
  // The surprises are those of the stay of the page: they are of this session only if that begins now.
  const isNow = Math.abs(Date.parse(stay.entryAt) - now) < SOON_MS;
  return (
    <Form submit={t.start} onSubmit={start}>
      <p class="session-place">
        <strong>{lot.name}</strong>
        <br />
        <span class="small">{t.entered(timeOfDay(new Date(now), lot.time_zone))}</span>
      </p>
      <Select
        name="vehicle"
        label={t.vehicle}
        options={choices(vehicles, stay)}
        defaultValue={choiceFor(vehicles, stay)}
      />
      {/* A new key gives the field its new value. */}
      <Field
        key={exitAt}
        name="exit_at"
        label={t.exit}
        hint={t.exitHint}
        type="datetime-local"
        defaultValue={planned}
      />
      {isNow && (
        <Surprises
          surprises={lot.planned_stay?.fee?.surprises ?? []}
          earlier={{
            exitAt,
            currency: lot.currency,
            time: (time) => timeOfDay(time, lot.time_zone),
            leave: setExitAt,
          }}
        />
      )}
      <Checkbox name="remind" label={t.remind} defaultChecked />
      <details>
        <summary>{t.place}</summary>
        <Field name="memo" label={t.memo} placeholder={t.memoExample} {...ParkingSessionUpdate.memo} />
        <PhotoPicker
          name="photo"
          label={t.photo}
          most={4}
          photos={photos}
          onChange={setPhotos}
          progress={progress}
        />
      </details>
      {running && (
        <p>
          <a href={href("/session")}>{t.running}</a>
        </p>
      )}
    </Form>
  );
}

/** The vehicles of the user, then the types. */
function choices(vehicles: readonly UserVehicle[], { vehicleType }: Stay): [string, string][] {
  const own = vehicles.map(({ id, nickname, vehicle_type }): [string, string] => [
    `id ${id}`,
    [nickname, label("vehicle_type", vehicle_type)].filter(Boolean).join(" · "),
  ]);
  const types = options("vehicle_type").map(([code, name]): [string, string] => [`type ${code}`, name]);
  // While the labels are not there, the list has the type of the stay alone.
  return [...own, ...(types.length > 0 ? types : [[`type ${vehicleType}`, vehicleType] as [string, string]])];
}

/** The own vehicle of the type and the sizes of the stay; otherwise the type. */
function choiceFor(vehicles: readonly UserVehicle[], { vehicleType, vehicle }: Stay): string {
  const isThat = (own: UserVehicle) =>
    own.vehicle_type === vehicleType &&
    DIMENSIONS.every((name) => vehicle === undefined || own[name] === (vehicle[name] ?? null));
  const own = vehicles.find((one) => one.is_default && isThat(one)) ?? vehicles.find(isThat);
  return own ? `id ${own.id}` : `type ${vehicleType}`;
}

function vehicleOf(choice: string): Pick<NewSession, "vehicle_id" | "vehicle_type"> {
  const [kind, value = ""] = choice.split(/ (.*)/s);
  return kind === "id" ? { vehicle_id: value } : { vehicle_type: value };
}
