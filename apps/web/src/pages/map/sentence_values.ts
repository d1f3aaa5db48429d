/** A sentence as a search: it begins from the defaults, and has no place and no time that it does not name. */
import type { components } from "parking-lot-client";
import { type Values, valuesOfQuery } from "../../conditions.ts";
import { fieldsOf } from "./search.ts";

type Answer = components["schemas"]["AiSearchAnswer"];
type Note = components["schemas"]["AiSearchNote"];

const HOUR_MS = 60 * 60_000;

export interface Sentence {
  readonly text: string;
  /** All fields of the search. */
  readonly values: Values;
  /** Whether it has a place. Without one nothing is searched: the driver is asked. */
  readonly hasPlace: boolean;
  readonly assumptions: readonly Note[];
  readonly unresolved: readonly Note[];
}

/**
 * Its times are those of the clocks by which the service has read it. `hereName` is the name of the place that "near here"
 * means; empty for a place of the map.
 */
export function sentenceOf(text: string, answer: Answer, timeZone: string, hereName = ""): Sentence {
  const { location, entry_at, exit_at, max_price, assumptions, unresolved } = answer;
  const { lat: _lat, lng: _lng, place: _place, ...fields } = valuesOfQuery(answer.query);
  const values = {
    ...fields,
    ...vehicleTypeOf(answer),
    // The list says what does not fit: the sentence does not have to leave it out.
    only_fitting: "",
    ...(location
      ? {
        lat: String(location.lat),
        lng: String(location.lng),
        place: location.source === "device" ? hereName : location.name,
      }
      : {}),
    ...(entry_at
      ? {
        ...fieldsOf(
          { entry_at, exit_at: exit_at ?? new Date(Date.parse(entry_at) + HOUR_MS).toISOString() },
          timeZone,
        ),
        // With a stay the limit is for the stay; the query can only have it as the price of an hour.
        ...(max_price === null ? {} : { max_price: String(max_price), price_max: "" }),
      }
      : {}),
  };
  return {
    text,
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")),
    hasPlace: location !== null,
    assumptions,
    unresolved,
  };
}

/** The kind of vehicle, which only the address of the answer has. */
function vehicleTypeOf({ nearby }: Answer): Values {
  const type = new URLSearchParams(nearby?.split("?")[1]).get("vehicle_type");
  return type === null ? {} : { vehicle_type: type };
}
