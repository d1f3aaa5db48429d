/** Dimensions of a vehicle. */
import type { Scanner, Span } from "./scanner.ts";
import type { Measures } from "./types.ts";

export interface Measure extends Span {
  readonly kind: "measure";
  readonly name: keyof Measures;
  /** In the unit of `name`. Null if it exceeds the bounds of the search. */
  readonly value: number | null;
  /** The unit or the dimension is not stated. */
  readonly assumed: boolean;
}

const NAMES: readonly (readonly [keyof Measures, string, string])[] = [
  [
    "clearance_cm",
    "最低地上高|地上高|(?:ロード)?クリアランス",
    "ground clearance",
  ],
  ["tire_width_mm", "タイヤ幅|タイヤの幅", "ti?y?re width"],
  [
    "height_m",
    "高さ制限|車高制限|全高|車高|高さ|背の高さ",
    "height(?: limit)?|headroom|roof height|clearance",
  ],
  ["width_m", "全幅|車幅|横幅|幅", "width"],
  ["length_m", "全長|車長|車の長さ|長さ", "length"],
  ["weight_t", "車両重量|車重|総重量|重量|重さ", "weight|weighs|weighing"],
];
const ADJECTIVES: readonly (readonly [keyof Measures, string])[] = [
  ["clearance_cm", "ground clearance"],
  ["height_m", "tall|high|in height|clearance(?: needed)?|headroom|の高さ|の車高"],
  ["width_m", "wide|in width|の幅"],
  ["length_m", "long|in length|の長さ"],
  ["weight_t", "の重さ|in weight"],
];

const LIMITS: Readonly<Record<keyof Measures, number>> = {
  height_m: 10,
  width_m: 5,
  length_m: 20,
  weight_t: 50,
  clearance_cm: 100,
  tire_width_mm: 500,
};

const FEET = "(?<ft>\\d{1,2}(?:\\.\\d{1,2})?) ?(?:'|ft|feet|foot)(?: ?(?<in>\\d{1,2}) ?(?:\"|''|in(?:ch(?:es)?)?)?)?";
const METRIC =
  "(?<n>\\d{1,5}(?:\\.\\d{1,3})?) ?(?<u>mm|ミリ(?:メートル)?|cm|センチ(?:メートル)?|m|メートル|met(?:er|re)s?|トン|t|kg|キロ(?:グラム)?|tons?|tonnes?)(?![a-z])(?:(?<cm>\\d{1,2})(?<cmu> ?(?:cm|センチ))?(?!\\d| ?[時分円年月日:~/-]))?";
const UNSAID = "(?<bare>\\d{1,4}(?:\\.\\d{1,3})?)(?! ?(?:[時分円年月日:~\\d/]|以内|hours?|min|am|pm|yen|階|台))";
const TAIL = "(?: ?(?:以上|以下|まで|くらい|ぐらい|程度|ほど)(?:の)?(?:ok|対応|可)?)?";

const FORWARD = NAMES.map(([name, japanese, english]) =>
  [
    name,
    new RegExp(
      `(?:最大)?(?:${japanese}|(?<![a-z])(?:${english})(?![a-z]))(?:が|は|も|の|of|is|:|=|,| |about|around|約|at least|over|under){0,3} ?(?:${FEET}|${METRIC}|${UNSAID})${TAIL}`,
      "giu",
    ),
  ] as const
);
const BACKWARD = ADJECTIVES.map(([name, words]) =>
  [name, new RegExp(`(?:${FEET}|${METRIC}) ?(?:${words})(?![a-z])`, "giu")] as const
);
/** 2.1mの車, van 2.1 m: no place is 2.1 m away, so a length without a named dimension is the height of the vehicle. */
const NAMELESS =
  /(?<![\d.])(?<n>[1-3]\.\d{1,2}) ?(?<u>m|メートル|met(?:er|re)s?)(?![a-z\d])(?! ?(?:以内|圏内|先|離れ|away|from|x|×))(?:以下)?の?/giu;

/** 4.7m × 1.8m × 1.5m, as in vehicle documents: length, width, height. */
const BOX =
  /(?<l>\d{1,4}(?:\.\d{1,2})?) ?(?:mm|cm|m)? ?[x×*] ?(?<w>\d{1,4}(?:\.\d{1,2})?) ?(?:mm|cm|m)? ?[x×*] ?(?<h>\d{1,4}(?:\.\d{1,2})?) ?(?<u>mm|cm|m)?(?![a-z\d])/giu;

function takeBoxes(scanner: Scanner): Measure[] {
  const boxes = scanner.take(BOX, ({ groups }) => {
    const values = [groups!["l"], groups!["w"], groups!["h"]].map((text) => Number(text));
    const unit = groups!["u"] ?? guess("length_m", values[0]!);
    const metres = values.map((value) => Number((value / (unit === "mm" ? 1000 : unit === "cm" ? 100 : 1)).toFixed(3)));
    return { metres };
  });
  return boxes.flatMap(({ metres, start, end }) =>
    (["length_m", "width_m", "height_m"] as const).map((name, index) => {
      const value = metres[index]!;
      const fits = value > 0 && value <= LIMITS[name];
      return { kind: "measure" as const, name, value: fits ? value : null, assumed: true, start, end };
    })
  );
}

/** The value in metres, tonnes, centimetres or millimetres, depending on the dimension. */
function convert(
  name: keyof Measures,
  groups: Record<string, string | undefined>,
): { value: number; assumed: boolean } {
  const { ft, n, u, cm, bare } = groups;
  const round = (value: number, digits: number) => Number(value.toFixed(digits));
  if (ft !== undefined) {
    const metres = Number(ft) * 0.3048 + Number(groups["in"] ?? 0) * 0.0254;
    return { value: name === "clearance_cm" ? Math.round(metres * 100) : round(metres, 2), assumed: false };
  }
  const number = Number(n ?? bare);
  const unit = u?.toLowerCase() ?? guess(name, number);
  const assumed = u === undefined;
  if (name === "weight_t") {
    return { value: /^(?:kg|キロ)/u.test(unit) ? round(number / 1000, 3) : number, assumed };
  }
  const metres = /^(?:mm|ミリ)/u.test(unit) ? number / 1000 : /^(?:cm|センチ)/u.test(unit) ? number / 100 : number;
  const whole = metres +
    (cm !== undefined && /^(?:m$|メ|met)/u.test(unit)
      ? Number(groups["cmu"] === undefined ? cm.padEnd(2, "0") : cm) / 100
      : 0);
  if (name === "clearance_cm") return { value: Math.round(whole * 100), assumed };
  if (name === "tire_width_mm") return { value: Math.round(whole * 1000), assumed };
  return { value: round(whole, 3), assumed };
}

/** No car is 20 m or 20 mm high: a number without a unit gets the unit that makes sense for a vehicle. */
function guess(name: keyof Measures, number: number): string {
  if (name === "weight_t") return number >= 100 ? "kg" : "t";
  if (name === "clearance_cm") return "cm";
  if (name === "tire_width_mm") return "mm";
  return number >= 1000 ? "mm" : number >= 20 ? "cm" : "m";
}

export function takeMeasures(scanner: Scanner): Measure[] {
  const reader = (name: keyof Measures, assumed = false) => (match: RegExpExecArray) => {
    const { value, assumed: unsaid } = convert(name, match.groups ?? {});
    const whole = name === "clearance_cm" || name === "tire_width_mm";
    const fits = Number.isFinite(value) && value <= LIMITS[name] &&
      (value > 0 || (name === "clearance_cm" && value === 0));
    return {
      kind: "measure" as const,
      name,
      value: fits ? (whole ? Math.round(value) : value) : null,
      assumed: assumed || unsaid,
    };
  };
  return [
    ...takeBoxes(scanner),
    ...FORWARD.flatMap(([name, pattern]) => scanner.take(pattern, reader(name))),
    ...BACKWARD.flatMap(([name, pattern]) => scanner.take(pattern, reader(name))),
    ...scanner.take(NAMELESS, reader("height_m", true)),
  ];
}
