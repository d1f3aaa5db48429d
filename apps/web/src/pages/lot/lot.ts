/** The lot that the page shows, in one request. */
import type { components } from "parking-lot-client";
import type { Language } from "../../language.ts";
import { client } from "../../service.ts";
import type { Step } from "../../ui/step_path.ts";
import type { Stay } from "./stay.ts";

export type Lot = components["schemas"]["ParkingLotWithDetail"];

/** Props of the parts of the page. */
export interface LotProps {
  readonly lot: Lot;
  readonly stay: Stay;
  /** Reads the lot again, after a change. */
  readonly reload: () => void;
}

export async function readLot(id: string, stay: Stay, lang: Language, signal: AbortSignal): Promise<Lot> {
  const { data } = await client.GET("/v1/parking-lots/{id}", {
    params: {
      path: { id },
      query: {
        include: ["week", "fee_curve", "field_provenance", "occupancy_forecast"],
        entry_at: stay.entryAt,
        exit_at: stay.exitAt,
        vehicle_type: stay.vehicleType,
        ...(stay.vehicle ? { vehicle: stay.vehicle } : {}),
        lang,
      },
    },
    signal,
  });
  return data;
}

interface Curve {
  readonly points: readonly Step[];
  /** The points without the last, which is the end of what is known. */
  readonly steps: readonly Step[];
  /** The amount of the first exit; undefined without a curve. */
  readonly first: number | undefined;
  /** The end of what is known. */
  readonly known: number;
}

/** The curve of the fee with its times as numbers. */
export function curveOf({ fee_curve }: Pick<Lot, "fee_curve">): Curve {
  const points = (fee_curve ?? []).map(({ at, amount }) => ({ at: Date.parse(at), amount }));
  return { points, steps: points.slice(0, -1), first: points[0]?.amount, known: points.at(-1)?.at ?? 0 };
}
