// What the map shows of Japan, by layers, from the files in data/ and from the places of tools/places.
import { gunzipSync } from "node:zlib";
import { type PlaceRow, placeRows, read } from "../places/rows.ts";
import { boxOf, coastOf, contains } from "./coast.ts";
import type { AreaFeature, Layers, LineFeature, PointFeature, Position, Properties } from "./shapes.ts";
import { smooth } from "./smooth.ts";

const DATA = new URL("./data/", import.meta.url);

export const FILES = ["expressways", "municipalities", "ne_land", "ne_water", "rail", "world"] as const;

export function fileUrl(name: typeof FILES[number]): URL {
  return new URL(`${name}.geojson.gz`, DATA);
}

/** The features of a file. Each polygon of a multiple one is a feature. */
async function features(name: typeof FILES[number]): Promise<(LineFeature | AreaFeature)[]> {
  const text = new TextDecoder().decode(gunzipSync(await Deno.readFile(fileUrl(name))));
  // deno-lint-ignore no-explicit-any
  return JSON.parse(text).features.flatMap(({ geometry: { type, coordinates }, properties: all }: any) => {
    const properties = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Properties;
    if (type === "LineString") return [{ type: "line", coordinates: [coordinates], properties }];
    if (type === "MultiLineString") return [{ type: "line", coordinates, properties }];
    return (type === "Polygon" ? [coordinates] : coordinates).map((rings: Position[][]) => (
      { type: "area", coordinates: rings, properties }
    ));
  });
}

/** Zooms below this one have the coasts of the world. */
export const WORLD_ZOOMS = 6;

/** All layers. With `coast` "natural-earth" they have no borders, and the coast of Natural Earth. */
export async function readLayers(coast: "municipalities" | "natural-earth" = "municipalities"): Promise<Layers> {
  const nature = await areas("ne_land");
  const { land, borders } = coast === "natural-earth"
    ? { land: nature, borders: [] }
    : await withNeighbours(coastOf(await areas("municipalities")), nature);
  return {
    land: [...land, ...(await areas("world")).filter(isAbroad).map((area) => ({ ...area, maxZoom: WORLD_ZOOMS - 1 }))],
    water: await features("ne_water"),
    borders: borders.map((line) => ({ ...line, minZoom: line.properties["level"] === 1 ? 4 : 8 })),
    rail: (await lines("rail")).map(railway),
    expressways: (await lines("expressways")).map((line) => ({ ...line, minZoom: 6, properties: {} })),
    ...await points(),
  };
}

async function areas(name: typeof FILES[number]): Promise<AreaFeature[]> {
  return (await features(name)).filter((feature) => feature.type === "area");
}

async function lines(name: typeof FILES[number]): Promise<LineFeature[]> {
  return (await features(name)).filter((feature) => feature.type === "line");
}

/** Land of other countries in the box of Japan: that which has no point of Japan's land. */
function withNeighbours({ land, borders }: ReturnType<typeof coastOf>, nature: readonly AreaFeature[]) {
  const samples = land.map(({ coordinates: [ring] }) => ring![0]!);
  const others = nature.filter(({ coordinates: [ring] }) => {
    const [west, south, east, north] = boxOf(ring!);
    const near = samples.filter(([lng, lat]) => lng >= west && lng <= east && lat >= south && lat <= north);
    const corner = ring![0]!;
    return !near.some((sample) => contains(ring!, sample)) &&
      !land.some(({ coordinates: [own] }) => contains(own!, corner));
  });
  return { land: [...land, ...others], borders };
}

/** Whether land of the world is not one of Japan's islands, whose coast is known better. */
function isAbroad({ coordinates: [ring] }: AreaFeature): boolean {
  const [west, south, east, north] = boxOf(ring!);
  return west < 128 || south < 29 || east > 149 || north > 46;
}

/** The lines connect stations; curves look like tracks. */
function railway({ coordinates, properties }: LineFeature): LineFeature {
  const kind = properties["class"] === "other" ? "other" : "main";
  return {
    type: "line",
    coordinates: smooth(coordinates),
    properties: { kind },
    minZoom: kind === "main" ? (properties["class"] === "shinkansen" ? 5 : 8) : 10,
  };
}

const LANDMARKS: Readonly<Record<string, string>> = { park: "green", temple: "green" };
const AIRPORTS = new Set(["airport", "port"]);

async function points(): Promise<Record<"stations" | "interchanges" | "places" | "landmarks", PointFeature[]>> {
  const found = {
    stations: [] as PointFeature[],
    interchanges: [] as PointFeature[],
    places: [] as PointFeature[],
    landmarks: [] as PointFeature[],
  };
  const latin = new Map<string, string>();
  const prefectures = new Map<string, PlaceRow[]>();
  const cities = new Map<string, PlaceRow[]>();
  for await (const row of placeRows()) {
    if (row.kind === "interchange") found.interchanges.push(interchange(row, latin));
    else if (row.kind === "station") {
      found.stations.push(station(row));
      latin.set(row.name.replace(/駅$/, ""), row.nameEn?.replace(/ Station$/, "") ?? "");
    } else if (row.kind === "town") {
      if (row.nameEn && !latin.get(row.name)) latin.set(row.name, row.nameEn);
      if (isKnownTown(row)) found.places.push(town(row));
    } else if (row.kind === "municipality") {
      // The label of a city of wards stands in the middle of the wards.
      if (cities.has(row.name)) continue;
      prefectures.set(row.parent, [...prefectures.get(row.parent) ?? [], row]);
      const city = cityOf(row);
      if (city !== undefined) cities.set(city.name, [...cities.get(city.name) ?? [], row]);
      found.places.push(municipality(row, city !== undefined));
    } else if (row.kind !== "district" && row.kind !== "civic") {
      found.landmarks.push(named(row, AIRPORTS.has(row.kind) ? 10 : 12, { kind: LANDMARKS[row.kind] ?? "other" }));
    }
  }
  for await (const { pref, pref_romaji: latin } of read<"pref" | "pref_romaji">("municipalities.csv.gz")) {
    const rows = prefectures.get(pref);
    if (rows === undefined) continue;
    prefectures.delete(pref);
    const name_en = latin === "Hokkaido" ? latin : latin.replace(/(ken|fu|to)$/, "");
    found.places.push({
      type: "point",
      coordinates: middle(rows),
      minZoom: 4,
      maxZoom: 7,
      properties: { kind: "prefecture", name: pref, name_en, rank: 0 },
    });
  }
  const stations = joined(found.stations).map((station) => hyphenated(station, latin));
  for (const rows of cities.values()) {
    found.places.push({
      type: "point",
      coordinates: middle(rows),
      minZoom: 7,
      maxZoom: 10,
      properties: { kind: "city", ...cityOf(rows[0]!)!, rank: 0 },
    });
  }
  return { ...found, stations };
}

function named(row: PlaceRow, minZoom: number, more: Properties, maxZoom?: number): PointFeature {
  const { name, nameEn, lng, lat, importance } = row;
  return {
    type: "point",
    coordinates: [lng, lat],
    minZoom,
    ...(maxZoom === undefined ? {} : { maxZoom }),
    properties: {
      name,
      ...(nameEn === null || nameEn === name ? {} : { name_en: nameEn }),
      rank: 100 - importance,
      ...more,
    },
  };
}

/** The biggest stations from afar: 1 of Shinkansen or five lines, 2 of three lines, 3 all others. */
function station(row: PlaceRow): PointFeature {
  const size = row.importance >= 57 ? 1 : row.importance >= 47 ? 2 : 3;
  const name = row.name.replace(/駅$/, "").replace(/[（(].*[）)]$/, "");
  const nameEn = row.nameEn?.replace(/ Station$/, "") ?? null;
  return named({ ...row, name, nameEn }, [9, 10, 11][size - 1]!, { size });
}

/** One name where two stations of it are near: 東京 is also the station of the Keiyo line. */
function joined(stations: readonly PointFeature[]): PointFeature[] {
  const best = new Map<string, PointFeature[]>();
  const ranked = stations.toSorted((a, b) => Number(a.properties["rank"]) - Number(b.properties["rank"]));
  return ranked.filter((station) => {
    const name = String(station.properties["name"]);
    const others = best.get(name) ?? [];
    best.set(name, [...others, station]);
    const [lng, lat] = station.coordinates;
    return !others.some(({ coordinates: [x, y] }) => Math.hypot((x - lng) * 0.82, y - lat) < 0.006);
  });
}

const DIRECTIONS: Readonly<Record<string, string>> = {
  東: "Higashi",
  西: "Nishi",
  南: "Minami",
  北: "Kita",
  新: "Shin",
};

/** The name in Latin letters is that of a station or town of this name, also after a direction: 西神田 as 神田. */
function interchange(row: PlaceRow, latin: ReadonlyMap<string, string>): PointFeature {
  const [, plain = "", type = ""] = row.name.match(/^(.+?)(?:出入口|出口|入口)?(スマートIC|IC|JCT)$/) ?? [];
  const known = latin.get(plain);
  const later = latin.get(plain.slice(1));
  const direction = DIRECTIONS[plain[0] ?? ""];
  const own = known ?? (direction && later && `${direction}-${later}`);
  const nameEn = row.nameEn ?? (own ? `${own} ${type === "JCT" ? "JCT" : "IC"}` : null);
  const isJunction = row.name.endsWith("JCT");
  return named({ ...row, nameEn }, isJunction ? 11 : 10, { kind: isJunction ? "junction" : "interchange" });
}

/** Shin-Osaka, as signs have it: a direction before the name of another station. */
function hyphenated(station: PointFeature, latin: ReadonlyMap<string, string>): PointFeature {
  const { name, name_en: nameEn } = station.properties;
  const direction = DIRECTIONS[String(name)[0]!];
  const rest = latin.get(String(name).slice(1));
  if (!direction || !rest || String(nameEn) !== `${direction}${rest.toLowerCase()}`) return station;
  return { ...station, properties: { ...station.properties, name_en: `${direction}-${rest}` } };
}

/** The city of a ward; Tokyo's wards belong to 東京. */
function cityOf({ name, nameEn, parent }: PlaceRow): { name: string; name_en: string } | undefined {
  const [, city] = name.match(/^(.+市).+区$/) ?? [];
  if (city !== undefined) return { name: city, name_en: nameEn!.replace(/^.*, /, "") };
  return parent === "東京都" && name.endsWith("区") ? { name: "東京", name_en: "Tokyo" } : undefined;
}

function municipality(row: PlaceRow, isWard: boolean): PointFeature {
  const name = row.name.replace(/^.+市(?=.+区$)/, "").replace(/^.+郡/, "");
  const nameEn = row.nameEn?.replace(/(-(shi|ku|machi|cho|mura|son))?(,.*)?$/, "") ?? null;
  const minZoom = isWard ? 11 : /市$/.test(name) ? 8 : 10;
  return named({ ...row, name, nameEn }, minZoom, { kind: isWard ? "ward" : "city" });
}

/** Towns with 丁目, and those of Tokyo's wards: others are too many, and their names are too close. */
function isKnownTown({ chome, parent }: PlaceRow): boolean {
  return chome !== 0 || /^東京都.+区$/.test(parent);
}

function town(row: PlaceRow): PointFeature {
  // The long vowel of 丸の内 begins another word: Marunouchi.
  const nameEn = /[のノ之]内$/.test(row.name) ? row.nameEn?.replace(/nochi$/, "nouchi") ?? null : row.nameEn;
  return named({ ...row, nameEn }, 11, { kind: "town" });
}

/** The middle of places, without those far away, such as islands. */
function middle(rows: readonly PlaceRow[]): Position {
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  return [median(rows.map(({ lng }) => lng)), median(rows.map(({ lat }) => lat))];
}
