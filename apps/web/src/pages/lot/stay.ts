/** The stay that the page calculates: the query of its address has it, under the names of the service. */
import type { components } from "parking-lot-client";

export type Vehicle = components["schemas"]["Vehicle"];

export interface Stay {
  readonly entryAt: string;
  readonly exitAt: string;
  readonly vehicleType: string;
  /** The dimensions of the vehicle, to know whether it fits. */
  readonly vehicle: Vehicle | undefined;
}

export const DIMENSIONS = ["height_m", "width_m", "length_m", "weight_t", "clearance_cm", "tire_width_mm"] as const;
export type Dimension = typeof DIMENSIONS[number];

export const UNITS: Readonly<Record<Dimension, string>> = {
  height_m: "m",
  width_m: "m",
  length_m: "m",
  weight_t: "t",
  clearance_cm: "cm",
  tire_width_mm: "mm",
};

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const LONGEST_MS = 366 * 24 * HOUR_MS;

/** A stay of an hour, from the next five minutes on. */
export function nextHour(now: Date): Pick<Stay, "entryAt" | "exitAt"> {
  const entry = Math.ceil(now.getTime() / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
  return lasting(entry, 1);
}

export function lasting(entry: number, hours: number): Pick<Stay, "entryAt" | "exitAt"> {
  return { entryAt: new Date(entry).toISOString(), exitAt: new Date(entry + hours * HOUR_MS).toISOString() };
}

/** Whether the service calculates such a stay. */
export function isPossible({ entryAt, exitAt }: Pick<Stay, "entryAt" | "exitAt">): boolean {
  const [entry, exit] = [new Date(entryAt), new Date(exitAt)];
  const length = exit.getTime() - entry.getTime();
  return length >= 0 && length <= LONGEST_MS && entry.getUTCFullYear() > 2000 && exit.getUTCFullYear() < 2099;
}

/** The stay of a query; `otherwise` where it has none that is possible. */
export function stayOf(query: URLSearchParams, otherwise: Pick<Stay, "entryAt" | "exitAt">): Stay {
  const asked = { entryAt: query.get("entry_at") ?? "", exitAt: query.get("exit_at") ?? "" };
  return {
    ...(isPossible(asked) ? asked : otherwise),
    vehicleType: query.get("vehicle_type") ?? "standard",
    vehicle: vehicleOf(query.get("vehicle")),
  };
}

export function queryOf({ entryAt, exitAt, vehicleType, vehicle }: Stay): Record<string, string | undefined> {
  return {
    entry_at: entryAt,
    exit_at: exitAt,
    vehicle_type: vehicleType,
    vehicle: vehicle && JSON.stringify(vehicle),
  };
}

function vehicleOf(json: string | null): Vehicle | undefined {
  try {
    return vehicleFrom(JSON.parse(json ?? "{}"));
  } catch {
    return undefined;
  }
}

/** The dimensions that are numbers; undefined without any. */
export function vehicleFrom(values: unknown): Vehicle | undefined {
  const given = Object(values) as Record<string, unknown>;
  const known = DIMENSIONS.filter((name) => typeof given[name] === "number").map((name) => [name, given[name]]);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
