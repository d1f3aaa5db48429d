/** Kinds of vehicles. To add words, edit a row. Japanese words match anywhere, English words match as whole words. */
import type { Scanner, Span } from "./scanner.ts";
import type { AttributeName } from "./types.ts";

export interface VehicleKind extends Span {
  readonly kind: "vehicle";
  /** A code of category `vehicle_type`. */
  readonly type: string;
  /** Attributes that a lot must have for this vehicle. */
  readonly needs: AttributeName | null;
  /** The words name a vehicle of this kind, but not the kind itself. */
  readonly assumed: boolean;
}

interface Row {
  readonly type: string;
  readonly ja: string;
  readonly en: string;
  readonly needs?: AttributeName;
  readonly assumed?: true;
}

const TAIL = "(?:車)?(?:専用|対応|でも?|も|が)?(?:可能?|ok|停め(?:られる|れる)|入る|入れる)?";

const ROWS: readonly Row[] = [
  {
    type: "motorcycle",
    needs: "motorcycle_ok",
    ja:
      `(?:\\d{2,4} ?cc(?:の|以上の)?)?(?:大型|中型|小型)?(?:自動)?(?:バイク|二輪|2輪|オートバイ|単車)${TAIL}|ハーレー`,
    en: "(?:big |large )?(?:motor(?:cycle|bike)s?|motor bike)|harley",
  },
  {
    type: "moped",
    needs: "motorcycle_ok",
    ja: `原付(?:バイク|き)?${TAIL}|スクーター|原チャ(?:リ)?`,
    en: "mopeds?|scooters?",
  },
  {
    type: "bicycle",
    ja: "自転車(?:置き場|置場|用|で)?|駐輪(?:場)?|チャリ(?:ンコ)?|ロードバイク|クロスバイク",
    en: "bicycles?|bikes?|cycle parking",
  },
  {
    type: "kei",
    ja:
      "軽自動車(?:ok|可|専用)?|軽四|軽トラ(?:ック)?|軽バン|軽ワゴン|軽カー|軽(?=で|の|が|です|車|な|、|。|しか|なら|一台|1台| |$|\\uE000)(?:車)?",
    en: "kei(?:[ -](?:car|truck|van))?",
  },
  {
    type: "kei",
    assumed: true,
    ja: "n-?box|タント(?=[がのでをに、 ]|$)|スペーシア|ワゴンr|ハスラー|ジムニー|ミラ(?:ココア|イース)",
    en: "jimny",
  },
  { type: "compact", ja: "コンパクト(?:カー|車)|小型車", en: "compact(?: car)?|small car|subcompact" },
  {
    type: "compact",
    assumed: true,
    ja: "ヤリス|フィット(?=[がのでに、 ]|$)|アクア(?=で|が停|、|$)|ノート(?=で|が停)",
    en: "mini cooper",
  },
  {
    type: "standard",
    ja: "普通(?:自動)?車|乗用車|セダン",
    en: "(?:standard|normal|regular|ordinary) car|sedan|saloon",
  },
  { type: "standard", assumed: true, ja: "プリウス|クラウン(?=で|が停|の車)", en: "prius" },
  {
    type: "large",
    needs: "oversized_ok",
    assumed: true,
    ja: "キャンピングカー|キャンパー|大きい車|大きな車|でかい車|デカい車|車が(?:大き|でか)(?:い|く)",
    en: "rvs?|camper(?: ?van)?s?|motor ?homes?|big car|large car|big vehicle",
  },
  {
    type: "high_roof",
    ja: `ハイルーフ(?:車)?${TAIL}|背の高い車|背高(?:車)?|車高(?:が|の)高い(?:車)?`,
    en: "high[ -]roof(?:ed)?(?: (?:car|van|vehicle))?|tall (?:van|car|vehicle|suv|roof)",
  },
  {
    type: "high_roof",
    assumed: true,
    ja:
      `(?:大型)?ミニバン${TAIL}|ワゴン車|ワンボックス(?:カー)?|1box|suv${TAIL}|アルファード|ヴェルファイア|ノア(?=[がのでに、 ]|$)|ヴォクシー|セレナ|ステップワゴン|ハイエース|エルグランド|オデッセイ|デリカ|ランクル|ランドクルーザー|(?<![ァ-ヶー])バン(?=で|が停|です|の駐|[ 、]|$)`,
    en: "mini-?vans?|suvs?|vans?|people carrier|alphard|hiace|land cruiser|4x4|jeep|station wagon",
  },
  {
    type: "bus",
    needs: "oversized_ok",
    ja: "(?:大型|観光|貸切|マイクロ|送迎)バス(?:の)?(?:ok|可|対応)?",
    en: "(?:tour |mini ?|coach |charter )bus(?:es)?|bus(?= parking)|coach(?:es)?",
  },
  {
    type: "truck",
    ja:
      "(?:\\d(?:\\.\\d)? ?(?:t|トン)(?:車)?の? ?)?トラック(?:の)?(?:駐車)?|(?:\\d(?:\\.\\d)? ?(?:t|トン)(?:車|ロング|ショート))|ダンプ(?:カー)?|トレーラー",
    en: "(?:\\d(?:\\.\\d)?[ -]?(?:tons?|t) )?(?:pick-?up )?trucks?|lorry|lorries|trailer",
  },
  {
    type: "large",
    needs: "oversized_ok",
    ja: "大型(?:乗用|自動)?車(?:両)?(?:でも?|も|が)?(?:可能?|ok|対応|停められる|駐車可)?|大型(?:ok|可)",
    en: "oversized? (?:car|vehicle|van)s?|large vehicles?(?: ok)?|full[- ]size (?:car|suv|truck)",
  },
];

const PATTERNS = ROWS.map((row) => ({
  row,
  pattern: new RegExp(
    `${row.ja}|(?<![a-z-])(?:my |our |an? )?(?:${row.en})(?![a-z])(?: (?:parking|friendly|ok|allowed))?`,
    "giu",
  ),
}));

export function takeVehicles(scanner: Scanner): VehicleKind[] {
  return PATTERNS.flatMap(({ row, pattern }) =>
    scanner.take(pattern, () => ({
      kind: "vehicle" as const,
      type: row.type,
      needs: row.needs ?? null,
      assumed: row.assumed === true,
    }))
  ).toSorted((a, b) => a.start - b.start);
}
