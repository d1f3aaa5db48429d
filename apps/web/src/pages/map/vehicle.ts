/// <reference lib="dom" />
/** The vehicle of the driver, chosen once: searches, lots and sessions begin with it. */
import { signal } from "@preact/signals";
import type { components } from "parking-lot-client";
import { type Values, VEHICLE_FIELDS } from "../../conditions.ts";
import { whenUserLeaves } from "../../service.ts";
import { OF_USER } from "../../storage.ts";

const NAMES = ["vehicle_type", ...VEHICLE_FIELDS.map(({ name }) => name)];

function stored(): Values | undefined {
  try {
    const values: unknown = JSON.parse(localStorage.getItem(OF_USER.vehicle) ?? "null");
    return values === null ? undefined : vehicleValues(Object(values));
  } catch {
    return undefined;
  }
}

/** Undefined until one was chosen. */
export const rememberedVehicle = signal<Values | undefined>(stored());
whenUserLeaves(() => rememberedVehicle.value = undefined);

/** The fields of the vehicle among others; those without a value are left out. */
export function vehicleValues(values: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(NAMES.filter((name) => values[name]).map((name) => [name, String(values[name])]));
}

export function rememberVehicle(values: Values): void {
  const vehicle = vehicleValues(values);
  rememberedVehicle.value = vehicle;
  localStorage.setItem(OF_USER.vehicle, JSON.stringify(vehicle));
}

/** The fields of a search with another vehicle: those that it does not have are emptied. */
export function withVehicle(vehicle: Values): Values {
  return { ...Object.fromEntries(NAMES.map((name) => [name, ""])), ...vehicle };
}

/** The values of a search, with the remembered vehicle where they name none. */
export function withRemembered(values: Values, remembered: Values | undefined): Values {
  return NAMES.some((name) => values[name]) ? values : { ...values, ...remembered };
}

/** The fields of a vehicle of the user's list. */
export function valuesOfVehicle(vehicle: components["schemas"]["UserVehicle"]): Values {
  return vehicleValues({ ...vehicle });
}
