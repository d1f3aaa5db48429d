// The places of the files in data/, as rows of one form. Files are read line by line, so that memory does not grow with them.
import { TextLineStream } from "./lines.ts";

export interface PlaceRow {
  readonly kind: string;
  /** The name with all that tells it from others of its kind. The place's id follows from it. */
  readonly fullName: string;
  readonly name: string;
  readonly nameEn: string | null;
  readonly lat: number;
  readonly lng: number;
  /** The full name of the municipality, or of a municipality's prefecture. */
  readonly parent: string;
  readonly radiusM: number;
  readonly importance: number;
  readonly chome: number | null;
  readonly lines: string | null;
  /** Every name by which the place is found. A town has two: in kanji and in Latin letters. */
  readonly names: readonly string[];
}

type Fields<Column extends string> = { readonly [Name in Column]: string };

const DATA = new URL("./data/", import.meta.url);

/** The files of the gazetteer. */
export const FILES = [
  "interchanges.csv.gz",
  "landmarks.csv",
  "municipalities.csv.gz",
  "stations.csv.gz",
  "towns.csv.gz",
] as const;

/** The rows of a file, which quotes no field. */
export async function* read<Column extends string>(file: typeof FILES[number]): AsyncGenerator<Fields<Column>> {
  const opened = await Deno.open(new URL(file, DATA));
  const bytes = file.endsWith(".gz") ? opened.readable.pipeThrough(new DecompressionStream("gzip")) : opened.readable;
  let columns: readonly string[] | undefined;
  for await (const line of bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())) {
    const values = line.split(",");
    if (columns === undefined) columns = values;
    else if (values.length !== columns.length) throw new Error(`${file}: this line has other columns: ${line}`);
    else yield Object.fromEntries(columns.map((name, at) => [name, values[at]!])) as Fields<Column>;
  }
}

/** 外ヶ浜町 and 外ケ浜町 are one name. */
const fullCity = (prefecture: string, city: string) => `${prefecture}${city.replaceAll("ヶ", "ケ")}`;

/** The name without the small letter that some leave out: 三ノ宮, 霞ヶ関, 四ツ谷. */
const withoutJoint = (name: string) => name.replaceAll(/(?<=\p{Script=Han})[ノヶケツッ](?=\p{Script=Han})/gu, "");

/**
 * Hepburn writes a long vowel as one letter, but の and うち are two words: 丸の内 is Marunouchi, not Marunochi, and 池ノ上 is
 * Ikenoue. Only if the letters stand for nothing else in the name.
 */
function withJointVowel(name: string, romaji: string): string {
  const endings = [...name.matchAll(JOINT)].map(([, kanji]) => AFTER_JOINT[kanji!]!);
  for (const ending of new Set(endings)) {
    const pattern = new RegExp(`no(?=${ending})`, "giu");
    const isClear = romaji.match(pattern)?.length === endings.filter((each) => each === ending).length;
    if (isClear) romaji = romaji.replace(pattern, "$&u");
  }
  return romaji;
}

const JOINT = /[のノ之乃]([内上浦裏後牛氏])/gu;
/** How these kanji are read after の, without their う. */
const AFTER_JOINT: Readonly<Record<string, string>> = {
  内: "chi",
  上: "e",
  浦: "ra",
  裏: "ra",
  後: "shiro",
  牛: "shi",
  氏: "ji",
};

/** Names in Latin letters of signs and maps: a park is a Park, and not only a Koen. */
const ENGLISH_ENDINGS = [["公園", "koen", "Park"], ["空港", "kuko", "Airport"], [
  "大学",
  "daigaku",
  "University",
]] as const;

function englishNames(name: string, romaji: string): string[] {
  return ENGLISH_ENDINGS.filter(([ending, latin]) => name.endsWith(ending) && romaji.toLowerCase().endsWith(latin))
    .map(([, latin, english]) => `${romaji.slice(0, -latin.length)} ${english}`);
}

function distinct(names: readonly (string | null | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== null && name !== undefined && name !== "") as string[])];
}

// ---------------------------------------------------------------------------------------------------------------------
// Municipalities
// ---------------------------------------------------------------------------------------------------------------------

type MunicipalityColumn =
  | "pref"
  | "pref_romaji"
  | "city"
  | "romaji"
  | "short"
  | "short_romaji"
  | "lat"
  | "lng"
  | "towns";

/** The suffix of a municipality in Latin letters. */
function suffixOf(city: string, romaji: string): string {
  const suffixes = { 市: ["shi"], 区: ["ku"], 町: ["machi", "cho"], 村: ["mura", "son"] }[city.at(-1)!] ?? [];
  return suffixes.find((suffix) => romaji.endsWith(suffix)) ?? suffixes[0] ?? "";
}

function municipality(row: Fields<MunicipalityColumn>, stations: Stations): PlaceRow {
  const { pref, city, short } = row;
  const position = { lat: Number(row.lat), lng: Number(row.lng) };
  const [romaji, latin] = [withJointVowel(city, row.romaji), withJointVowel(short, row.short_romaji)];
  const suffix = suffixOf(city, romaji);
  const own = `${latin}-${suffix}`;
  const ward = city.match(/^(.+)市(.+区)$/);
  const isCity = /[市区]$/.test(city);
  // Kyotoshikitaku without kitaku and shi is Kyoto.
  const parentCity = ward === null ? "" : romaji.slice(0, -`${latin}${suffix}`.length).replace(/shi$/, "");
  return {
    kind: "municipality",
    fullName: fullCity(pref, city),
    name: city,
    nameEn: parentCity === "" ? own : `${own}, ${parentCity}`,
    ...position,
    parent: pref,
    radiusM: 5000,
    // A ward of a city is not as important as a city, or as one of the 23 of Tokyo.
    importance: stations.gain(position) + (isCity && ward === null ? 42 : 36) +
      (isCity ? Math.min(14, Math.floor(Number(row.towns) / 40)) : 0),
    chome: null,
    lines: null,
    names: distinct([
      city,
      `${pref}${city}`,
      short,
      city.replace(/^.+郡/, ""),
      ward?.[2],
      romaji,
      latin,
      own,
      parentCity && `${parentCity} ${own}`,
    ]),
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Stations
// ---------------------------------------------------------------------------------------------------------------------

type StationColumn = "group_code" | "name" | "romaji" | "lat" | "lng" | "pref" | "city" | "lines" | "shinkansen";

/** The lines as passengers know them: 9号線千代田線 is 千代田線, 1号線(空港線) is 空港線. The first three. */
function lineNames(lines: string): string {
  const names = distinct(lines.split("/").map((line) => line.replace(/^\d+号線\(?(.+線)\)?$/, "$1")));
  return names.slice(0, 3).join("/") + (names.length > 3 ? " …" : "");
}

/**
 * A city whose wards are municipalities has over half a million people, and no row of its own. Its middle is the
 * station with its name, or else that of the ward with most stations around. A station of many lines is more important.
 */
async function* withCities(
  rows: AsyncIterable<Fields<MunicipalityColumn>>,
  stations: Stations,
): AsyncGenerator<PlaceRow> {
  const wards = new Map<string, PlaceRow[]>();
  for await (const row of rows) {
    const ward = municipality(row, stations);
    yield ward;
    const city = ward.name.match(/^.+市(?=.+区$)/)?.[0];
    if (city !== undefined) wards.set(`${ward.parent}${city}`, [...wards.get(`${ward.parent}${city}`) ?? [], ward]);
  }
  for (const [fullName, [first, ...others]] of wards) {
    const name = fullName.slice(first!.parent.length);
    const position = stations.named(name.slice(0, -1), first!.parent) ??
      others.reduce((best, each) => stations.gain(each) > stations.gain(best) ? each : best, first!);
    const latin = first!.nameEn!.split(", ")[1]!;
    const own = `${latin}-shi`;
    yield {
      ...first!,
      fullName,
      name,
      nameEn: own,
      lat: position.lat,
      lng: position.lng,
      radiusM: 10_000,
      importance: 52 + stations.gain(position),
      names: distinct([name, fullName, name.slice(0, -1), `${latin}shi`, latin, own, `${latin} City`]),
    };
  }
}

/** How many stations there are in squares of about 4 km: of places of one name the one in the larger city comes first. */
class Stations {
  readonly #squares = new Map<string, number>();
  readonly #positions = new Map<string, Position>();

  static async read(): Promise<Stations> {
    const found = new Stations();
    for await (const { name, pref, lat, lng } of read<StationColumn>("stations.csv.gz")) {
      found.#positions.set(`${pref}${name}`, { lat: Number(lat), lng: Number(lng) });
      const [x, y] = squareOf({ lat: Number(lat), lng: Number(lng) }, STATION_SQUARES);
      found.#squares.set(`${x},${y}`, (found.#squares.get(`${x},${y}`) ?? 0) + 1);
    }
    return found;
  }

  /** Where the station with this name is. */
  named(name: string, prefecture: string): Position | undefined {
    return this.#positions.get(`${prefecture}${name}`);
  }

  /** What a place gains by the stations in its square and the eight around it: 0 to 9, that for 64. */
  gain(position: Position): number {
    const near = around(position, STATION_SQUARES).reduce(
      (sum, [x, y]) => sum + (this.#squares.get(`${x},${y}`) ?? 0),
      0,
    );
    return near === 0 ? 0 : Math.min(9, Math.round(1.5 * Math.log2(near)));
  }
}

function station(row: Fields<StationColumn>, stations: Stations): PlaceRow {
  const { name, lines } = row;
  const romaji = withJointVowel(name, row.romaji);
  const position = { lat: Number(row.lat), lng: Number(row.lng) };
  const isJapanese = !name.endsWith("駅");
  const outside = name.replace(/[（(].*[）)]$/, "");
  return {
    kind: "station",
    fullName: `${row.group_code}${name}`,
    name: isJapanese ? `${name}駅` : name,
    nameEn: romaji === "" ? null : `${romaji} Station`,
    ...position,
    parent: fullCity(row.pref, row.city),
    radiusM: 500,
    importance: 28 + 5 * Math.min(7, lines.split("/").length) + 15 * Number(row.shinkansen) +
      stations.gain(position),
    chome: null,
    lines: lineNames(lines),
    names: distinct([name, outside, withoutJoint(outside), romaji, ...englishNames(outside, romaji)]),
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Landmarks
// ---------------------------------------------------------------------------------------------------------------------

type LandmarkColumn = "kind" | "name" | "name_en" | "aliases" | "pref" | "city" | "lat" | "lng";

const LANDMARKS: Readonly<Record<string, { readonly importance: number; readonly radiusM: number }>> = {
  airport: { importance: 64, radiusM: 1500 },
  civic: { importance: 54, radiusM: 300 },
  district: { importance: 66, radiusM: 500 },
  hall: { importance: 62, radiusM: 400 },
  hospital: { importance: 54, radiusM: 300 },
  mall: { importance: 62, radiusM: 300 },
  mountain: { importance: 60, radiusM: 2000 },
  museum: { importance: 60, radiusM: 300 },
  park: { importance: 62, radiusM: 600 },
  port: { importance: 58, radiusM: 500 },
  temple: { importance: 62, radiusM: 400 },
  themepark: { importance: 68, radiusM: 700 },
  tower: { importance: 68, radiusM: 200 },
};

/** A name in Latin letters is also found by its later words: Tokyo Disneyland by Disneyland, but no tower of a city by the city. */
function laterWords(name: string, municipalities: ReadonlySet<string>): string[] {
  const words = name.split(" ");
  return words.slice(1).map((_, at) => words.slice(at + 1).join(" "))
    .filter((rest) => rest.length >= 6 && !municipalities.has(rest));
}

function landmark(row: Fields<LandmarkColumn>, municipalities: ReadonlySet<string>): PlaceRow {
  const { kind, name, name_en: nameEn } = row;
  const known = LANDMARKS[kind];
  if (known === undefined) throw new Error(`landmarks.csv: ${name} is of an unknown kind: ${kind}`);
  return {
    kind,
    fullName: `${fullCity(row.pref, row.city)}${name}`,
    name,
    nameEn,
    lat: Number(row.lat),
    lng: Number(row.lng),
    parent: fullCity(row.pref, row.city),
    ...known,
    chome: null,
    lines: null,
    names: distinct([name, nameEn, ...laterWords(nameEn, municipalities), ...row.aliases.split(";")]),
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Towns
// ---------------------------------------------------------------------------------------------------------------------

type TownColumn = "pref" | "city" | "town" | "romaji" | "lat" | "lng" | "chome";

function town(row: Fields<TownColumn>, stations: Stations): PlaceRow {
  const { pref, city, town: name } = row;
  const romaji = withJointVowel(name, row.romaji);
  const chome = Number(row.chome);
  const position = { lat: Number(row.lat), lng: Number(row.lng) };
  return {
    kind: "town",
    fullName: `${fullCity(pref, city)}${name}`,
    name: name.replace(/^大?字(?=.)/, ""),
    nameEn: romaji === "" ? null : romaji,
    ...position,
    parent: fullCity(pref, city),
    radiusM: 400 + 100 * Math.min(8, chome),
    importance: 8 + 2 * Math.min(8, chome) + stations.gain(position),
    chome,
    lines: null,
    names: [name, romaji],
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Interchanges
// ---------------------------------------------------------------------------------------------------------------------

type InterchangeColumn = "name" | "type" | "lat" | "lng";

interface Interchange {
  readonly row: Fields<InterchangeColumn>;
  readonly lat: number;
  readonly lng: number;
  /** The nearest town so far, in degrees: its municipality is taken for that of the interchange. */
  distance: number;
  parent: string;
}

/** Interchanges in squares of a tenth of a degree, to find those near a town. */
class Interchanges {
  readonly all: Interchange[] = [];
  readonly #squares = new Map<string, Interchange[]>();
  /** Names in Latin letters of stations, municipalities and towns that are called like an interchange. */
  readonly #latin = new Map<string, string>();

  static async read(): Promise<Interchanges> {
    const found = new Interchanges();
    for await (const row of read<InterchangeColumn>("interchanges.csv.gz")) {
      const each = { row, lat: Number(row.lat), lng: Number(row.lng), distance: Infinity, parent: "" };
      found.all.push(each);
      for (const [x, y] of around(each, TOWN_SQUARES)) {
        const square = `${x},${y}`;
        found.#squares.set(square, [...found.#squares.get(square) ?? [], each]);
      }
      found.#latin.set(row.name, "");
    }
    return found;
  }

  see({ kind, name, nameEn, lat, lng, parent }: PlaceRow): void {
    const suffix = { station: /駅$/, municipality: /[市区町村]$/ }[kind];
    const plain = suffix === undefined ? name : name.replace(suffix, "");
    if (nameEn !== null && this.#latin.get(plain) === "") {
      this.#latin.set(plain, nameEn.replace(/ Station$|,.*$|-(shi|ku|machi|cho|mura|son)$/g, ""));
    }
    if (kind !== "town") return;
    for (const each of this.#squares.get(squareOf({ lat, lng }, TOWN_SQUARES).join()) ?? []) {
      const distance = Math.hypot(each.lat - lat, (each.lng - lng) * 0.82);
      if (distance < each.distance) Object.assign(each, { distance, parent });
    }
  }

  *rows(): Generator<PlaceRow> {
    const seen = new Set<string>();
    for (const { row: { name, type }, lat, lng, parent } of this.all) {
      const typed = name.endsWith(type) ? name : `${name}${type === "SIC" ? "スマートIC" : type}`;
      const full = /(IC|JCT)$/.test(name) ? name : typed;
      const plain = name.replace(/(\/?(S?IC|JCT|スマートIC))+$/, "");
      const latin = this.#latin.get(name) || null;
      const fullName = `${parent}${typed}`; // its id stays, also where the name had the type already: 三郷JCT/IC
      if (seen.has(fullName)) continue; // both directions of one interchange
      seen.add(fullName);
      yield {
        kind: "interchange",
        fullName,
        name: full,
        nameEn: latin && `${latin} ${type === "JCT" ? "JCT" : "IC"}`,
        lat,
        lng,
        parent,
        radiusM: 1000,
        importance: { IC: 28, JCT: 22 }[type] ?? 24,
        chome: null,
        lines: null,
        names: distinct([full, plain, `${plain}${type === "JCT" ? "JCT" : "IC"}`, latin, latin && `${latin} ${type}`]),
      };
    }
  }
}

interface Position {
  readonly lat: number;
  readonly lng: number;
}

/** Squares a degree. */
const STATION_SQUARES = 30;
const TOWN_SQUARES = 10;

function squareOf({ lat, lng }: Position, aDegree: number): [number, number] {
  return [Math.floor(lat * aDegree), Math.floor(lng * aDegree)];
}

/** The square of a position, and the eight around it. */
function around(position: Position, aDegree: number): [number, number][] {
  const [x, y] = squareOf(position, aDegree);
  return [-1, 0, 1].flatMap((a) => [-1, 0, 1].map((b): [number, number] => [x + a, y + b]));
}

/** All places of the files, once each. */
export async function* placeRows(): AsyncGenerator<PlaceRow> {
  const interchanges = await Interchanges.read();
  const stations = await Stations.read();
  const municipalities = new Set<string>();
  async function* seen(rows: AsyncIterable<PlaceRow>) {
    for await (const row of rows) {
      interchanges.see(row);
      if (row.kind === "municipality") municipalities.add(row.nameEn!.replace(/-[^-]+$/, ""));
      yield row;
    }
  }
  yield* seen(withCities(read<MunicipalityColumn>("municipalities.csv.gz"), stations));
  yield* seen(map(read<StationColumn>("stations.csv.gz"), (row) => station(row, stations)));
  yield* map(read<LandmarkColumn>("landmarks.csv"), (row) => landmark(row, municipalities));
  yield* seen(map(read<TownColumn>("towns.csv.gz"), (row) => town(row, stations)));
  yield* interchanges.rows();
}

async function* map<A, B>(rows: AsyncIterable<A>, change: (row: A) => B): AsyncGenerator<B> {
  for await (const row of rows) yield change(row);
}
