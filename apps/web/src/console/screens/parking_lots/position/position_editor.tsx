/// <reference lib="dom" />
/** Where a lot is: its entrance as a pin on the map, and as fields. */
import { useState } from "preact/hooks";
import { canDrawMaps, NoMap } from "../../../../base_map/no_map.tsx";
import { ParkingLotChanges } from "../../../../bounds.ts";
import { distance } from "../../../../format.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { lazy } from "../../../../ui/lazy.tsx";
import { client } from "../../../kit/access.ts";
import { type Entry, ifMatch } from "../../../kit/entry.ts";
import type { Lot } from "../prices/tariff.ts";
import { SaveBar, useSaved } from "../save_bar.tsx";

const text = consoleTexts(({ position }) => position);

/** The map is big: it comes when the part is opened. */
const PinMap = lazy(() => import("../../../../base_map/pin_map.tsx"), ({ PinMap }) => PinMap);

interface Place {
  readonly lat: number;
  readonly lng: number;
}

export function PositionEditor({ entry }: { entry: Entry<Lot> }) {
  const t = text.value;
  const [moved, setMoved] = useState<Place>();
  const saved = useSaved(entry, {
    isSame: (a, b) => a.lat === b.lat && a.lng === b.lng,
    onReset: () => setMoved(undefined),
    save: (seen) =>
      client.PATCH("/v1/admin/parking-lots/{id}", {
        params: { path: { id: seen.data.id }, header: ifMatch(seen) },
        body: { lat: place.lat, lng: place.lng },
      }),
  });
  const { lat, lng } = saved.base;
  const before = { lat, lng };
  const place = moved ?? before;
  const move = (next: Place) => setMoved(next.lat === lat && next.lng === lng ? undefined : next);
  const field = (name: keyof Place) => (
    <label class="field">
      <span>{t[name]}</span>
      <input
        type="number"
        step="any"
        required
        {...ParkingLotChanges[name]}
        value={place[name]}
        onChange={({ currentTarget }) => {
          if (currentTarget.reportValidity()) move({ ...place, [name]: currentTarget.valueAsNumber });
        }}
      />
    </label>
  );
  return (
    <div class="position-editor">
      {canDrawMaps()
        ? (
          <>
            <p class="small">{t.hint}</p>
            <PinMap place={place} before={before} onMove={move} names={t.names} />
          </>
        )
        : <NoMap instead={t.instead} />}
      <div class="row">
        {field("lat")}
        {field("lng")}
        <span class="small" role="status">{moved && t.moved(distance(Math.round(metresBetween(before, moved))))}</span>
      </div>
      <SaveBar
        entry={entry}
        saved={saved}
        isChanged={moved !== undefined}
        fields={[{ label: t.place, show: ({ lat, lng }) => `${lat}, ${lng}` }]}
      />
    </div>
  );
}

/** The metres between two places that are not far from each other. */
function metresBetween(a: Place, b: Place): number {
  const east = (b.lng - a.lng) * Math.cos((a.lat + b.lat) / 2 * Math.PI / 180);
  return Math.hypot(b.lat - a.lat, east) * 111_320;
}
