import { route, routesOf } from "../_shared/http/route.ts";
import { Place, PlaceParams, PlaceQuery, Places, PlacesQuery } from "./places.schema.ts";

const cache = { scope: "public", maxAge: 300, staleWhileRevalidate: 3600 } as const;

export const listPlaces = route({
  method: "GET",
  path: "/places",
  access: "public",
  summary: "Suggest places while a user types",
  description:
    "Stations, towns, municipalities, prefectures, interchanges, landmarks and lots whose names begin with `q`, in kanji, " +
    "kana or Latin letters, best first. Typing errors are corrected when little is found. Addresses are found down to 丁目. " +
    "With `lat` and `lng`, the middle of the map, places near it are preferred. Places of one name differ in their `area`.",
  query: PlacesQuery,
  reply: [200, Places],
  errors: [],
  cache,
  calls: "list_places",
});

export const readPlace = route({
  method: "GET",
  path: "/places/{id}",
  access: "public",
  summary: "Read a place",
  description: "A place that `GET /v1/places` returned. Ids stay the same when the data of places are renewed.",
  params: PlaceParams,
  query: PlaceQuery,
  reply: [200, Place],
  errors: ["not_found"],
  cache,
  calls: "read_place",
});

export const routes = routesOf({ listPlaces, readPlace });
