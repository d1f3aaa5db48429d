/**
 * Wishes that are not attributes: order, ease of entry, operators, on-street parking, and wishes without a condition.
 */
import { type Polarity, polarityOf } from "./negation.ts";
import type { Scanner, Span } from "./scanner.ts";

export type Wish =
  & Span
  & (
    | { readonly kind: "sort"; readonly sort: "distance" | "price" | "recommended"; readonly polarity: Polarity }
    /** "cheaper", "closer": compared with the previous query. */
    | { readonly kind: "refine"; readonly by: "price" | "distance" | "area" }
    /** No limit of the price: that of the previous query ends. */
    | { readonly kind: "any_price" }
    | { readonly kind: "easy"; readonly assumed: boolean; readonly polarity: Polarity }
    | { readonly kind: "operator"; readonly keyword: string; readonly polarity: Polarity }
    | { readonly kind: "street"; readonly polarity: Polarity }
    | { readonly kind: "unsupported"; readonly polarity: Polarity }
    | { readonly kind: "reset" }
  );

const REFINE_PRICE =
  /(?:もっと|もう(?:少し|ちょっと)|さらに|より|今より|これより)(?:も)? ?(?:安|やす)(?:い|く|め)(?:の|ところ|とこ|して)?|(?:a (?:bit|little) |even |something |much )?(?:cheaper|less expensive)(?! than)|lower price/giu;
const REFINE_DISTANCE =
  /(?:もっと|もう(?:少し|ちょっと)|さらに|より|今より|これより)(?:も)? ?(?:近|ちか)(?:い|く|め)(?:の|ところ|とこ|が|して)?|(?:a (?:bit|little) |even |something |much )?(?:closer|nearer)(?! to)/giu;
const REFINE_AREA =
  /(?:もっと|もう(?:少し|ちょっと)|さらに)?(?:検索)?(?:範囲|エリア|半径)を?(?:もっと|もう(?:少し|ちょっと)|さらに)?広げ(?:て|る|たい)?|(?:もっと|もう(?:少し|ちょっと))(?:広い(?:検索)?(?:範囲|エリア)|遠くて?も?)(?:で)?|(?:(?:a )?(?:wider|larger|bigger)|(?:widen|expand|extend|increase)(?: the)?) (?:search(?: area)?|area|radius|range)(?! to)|(?:further|farther) (?:away|out)|(?:もっと|a bit )?(?:farther|further) is (?:fine|ok(?:ay)?)/giu;
const ANY_PRICE =
  /(?:予算|料金|値段|金額|価格)(?:の上限)?(?:に?は|も|に)?(?:特に|とくに|あまり)?(?:気にし(?:ない|ません)|こだわ(?:らない|りません|りなし)|問わ(?:ない|ず)|問いません|いくらでも|上限(?:は|が)?な(?:し|い)|なし(?!で))|いくらでも(?:いい|良い|よい|ok|構わない)|(?<![a-z])(?:any price|(?:the )?(?:price|cost) (?:doesn'?t|does not) matter|no (?:price|budget) (?:limit|cap)|no limit on (?:the )?(?:price|budget)|money is no object|(?:regardless of|(?:don'?t|do not) care about) (?:the )?(?:price|cost))(?![a-z])/giu;
const RESET =
  /最初から(?:やり直し)?|やり直し(?:て)?|リセット(?:して)?|条件を?クリア|start over|from scratch|reset|new search/giu;

const SORT_PRICE =
  /(?:とにかく|できるだけ|なるべく|一番|1番|最も|出来るだけ|少しでも)? ?(?:安い順|(?:価格|料金|値段)順|(?<![高平])安(?:い|く|め|さ重視)(?:の|ところ|とこ|て(?=、|停))?(?!く)|(?<![しめきりみえちにびぎいけせれ])やすい(?=と|駐|順|の)|最安(?:値)?|格安|激安|お得な?|リーズナブルな?|コスパ(?:の|が)?(?:良|い)?い?)|(?:as )?(?:cheap(?:est|ly)?|inexpensive|lowest[- ]price|least expensive|affordable|good value|budget(?! ?(?:'s|is|of|:|\d|¥|for)))(?: as possible| option| place| one)?|by price/giu;
const SORT_DISTANCE =
  /(?:一番|1番|最も|できるだけ|なるべく|とにかく)(?:の)? ?(?:近い?く?|近場)(?:の|ところ|とこ)?|近い順|距離順|(?<![にの一-龠])(?<!(?<!い)から)近い(?:ところ|とこ|場所)(?:が|で)?|最短(?:距離)?|(?:the )?(?:closest|nearest)(?! station)(?: to| one| lot)?|as close as possible(?: to)?|by distance/giu;
const SORT_RECOMMENDED =
  /おすすめ(?:の|は|順)?|お勧め|オススメ|人気(?:の|な|順)?|(?:評価|評判|口コミ|点数)順|評価(?:の|が)?(?:高|良|い)い?|評判(?:の|が)?(?:良|い)い?|口コミ(?:の|が)?(?:良|い|高)い?|(?:highly|best|well|top)[ -]rated|recommended|recommendations?|(?:good|best) reviews?|best[- ]reviewed|popular|by rating/giu;

const EASY =
  /(?:停|止|駐|と|入|出|出し入れし|駐車し)(?:め|れ|車し|し)?やす(?:い|く|さ)(?:て|、)?|初心者(?:でも|向け|に優しい|マーク|なので|です)?(?:停めやすい|安心|ok)?|(?:運転|駐車|車庫入れ|バック)(?:が|は)?(?:苦手|下手|へた|不慣れ)(?:な|なの)?|ペーパードライバー|easy(?:[ -]to[ -](?:park|enter|get in(?:to)?|access))?(?: (?:parking|access|entry))?|(?:for |as )?(?:a )?beginners?|new driver|bad at parking|nervous driver|not good at parking/giu;
/** 停めにくいところは嫌, 狭いとこ苦手: the opposite is wanted. */
const HARD =
  /(?:(?:停|止|駐|と|入)(?:め|れ)(?:づら|にく|辛)い|(?<narrow>狭い))(?:駐車場|場所|ところ|とこ)?(?:は|が)? ?(?:嫌|いや(?!す)|イヤ|ng|避け|無理|苦手|勘弁|やめ|だめ|ダメ)(?:て|た)?(?:い|ください|ほしい)?|(?:not|nothing|no) (?:too )?(?:(?<narrow2>tight|narrow|cramped)|hard to park)(?: (?:ones?|spots?|spaces?|bays?|lots?))?/giu;
const EASY_BY_SIZE =
  /広(?:い|く|めの?|々とした)(?:て|、|駐車場|スペース)?(?:ゆったり)?|ゆったり(?:した|停)?|(?:spacious|wide (?:spaces?|spots?|bays?)|roomy|plenty of (?:room|space))/giu;

const OPERATORS =
  /(?:三井の?)?リパーク|(?<o>タイムズ|times)(?!スクエア| ?square|[a-z])|npc24h|名鉄協商|エコロパーク|ナビパーク|パラカ|(?<k>akippa|アキッパ|特p|軒先パーキング)/giu;
const STREET =
  /(?:路上|路駐|道路上|パーキング ?[・]?メーター|パーキング ?チケット|パーメーター)(?:の)?(?:駐車場?|パーキング)?|on[ -]street(?: parking)?|street parking|(?:parking )?meters?(?: parking)?|metered(?: parking)?|roadside(?: parking)?/giu;
const OFF_STREET = /off[ -]street/giu;

/** Wishes of users that the search has no condition for. */
const UNSUPPORTED = new RegExp(
  [
    "機械式?(?:駐車場?|立体|パーキング)?(?!工)|タワー(?:式|パーキング|型)|立体(?:駐車場?|式|パーキング)?(?!交差)|自走式?(?:立体|駐車場)?|平面(?:駐車場?|式|型)?|平置き|平地|ロック板(?:式)?|ゲート(?:式|付き)|フラップ(?:板|式)?|バレー(?:パーキング|サービス)",
    "出し入れ(?:が|は|も)?(?:自由|何度でも|可能?|でき(?:る)?|ok)(?:な)?|(?:何度でも|途中)(?:で)?(?:出し入れ|出庫|外出)(?:可能?|できる|ok|自由)?|再(?:入庫|入場|駐車)(?:可能?|できる|ok|自由|が)?(?:な)?|途中出庫",
    "クレジット(?:カード)?(?:が)?(?:使える|ok|可|払い|対応|決済)?|(?:(?:クレ)?カード|クレカ)(?:が)?(?:使え|払い|ok|可|決済|対応)(?:る)?|電子マネー(?:が)?(?:使える|ok|可|対応)?|suica(?:が)?(?:使える|ok|対応)?|paypay(?!ドーム)(?:が)?(?:使える|ok|対応)?|キャッシュレス(?:対応|決済)?|現金(?:のみ|払い|ok|しか(?:ない|使えない))?|後払い|先払い|qr(?:コード)?(?:決済)?(?:が)?(?:使える|ok|可|対応)?|領収書(?!は|を)(?:が)?(?:出る|もらえる)?",
    "車中泊(?:が|の)?(?:可能?|でき(?:る|て)?|ok|したい|する|可)?|トイレ(?:が)?(?:付き?|あり|ある)?|洗車(?:場|機)?(?:付き?|あり)?|照明|明るい(?:ところ|場所|とこ)?|女性専用|有人(?:管理)?|管理人(?:が|の)?(?:いる|常駐)?|係員|舗装|砂利|日陰|(?<![一-龠ァ-ヶー])(?:入り?口|出口|改札|エレベーター)(?:に|から|の)?(?:近(?:い|く)|すぐ|そば)(?:て|の)?|エレベーター(?:が)?(?:付き?|あり|ある)?|カーシェア(?:リング)?(?:が)?(?:あり|ある)?|[138]ナンバー(?:の)?|(?:バイク|二輪車?|オートバイ|原付)(?:は|が)?(?:不可|ng|禁止|お断り|以外)(?:の)?|ベビーカー(?:でも)?(?:ok)?",
    "(?:障(?:害|がい|碍)者|シニア|学生|会員)?割引(?:券|あり|がある|のある)?|サービス券|駐車券(?!(?:を|が)?(?:なく|無く|失く|紛失|落と|見つか))|クーポン",
    "(?<![a-z-])(?:(?:fully )?(?:mechanical|automated|automatic|robotic)(?: parking)?|(?:multi-?sto(?:rey|ry)|multi-?level)(?: (?:car park|garage|parking))?|stacker|(?:flat|surface|ground[ -]level|open[ -]air)(?: (?:lot|parking|car park))?|self[ -]park(?:ing)?|valet(?: parking)?|tower parking|elevator parking)(?![a-z])",
    "(?<![a-z-])(?:no (?:motor(?:cycle|bike)s|bikes|mopeds|scooters|trucks|lorries|buses|height (?:limit|restriction)s?)|re-?entry|in[- ]and[- ]out(?: privileges)?|in/out privileges|(?:accepts? |takes? |pay(?:ing)? (?:by|with) )?(?:credit |debit )?cards?|cash(?:less)?|contactless|apple pay|toilets?|restrooms?|bathrooms?|car ?wash|well[ -]lit|lighting|bright|attended|attendant|staffed|women[ -]only|discount(?:s|ed)?|coupons?|elevators?|shaded?|paved)(?![a-z])",
  ].join("|"),
  "giu",
);

/** A saving is no limit: 100円でも安いところ, 100 yen cheaper. */
const SAVING =
  /(?:たとえ|せめて|あと|もう)?\d{1,6} ?円(?:だけ)?(?:でも|は|ほど|くらい|ぐらい)?(?:、| )?(?:安い?(?:順|く|め|の|ところ|とこ|方)?(?:が|で)?|やすい(?:ところ|とこ|の)?|お得(?:な)?(?:ところ|とこ)?|浮かせたい)(?:ところ|とこ)?|(?:even |just |at least )?(?:¥ ?\d{1,6}|\d{1,6} ?(?:yen|jpy)) (?:cheaper|less)(?! than)/giu;

/** Runs before prices, so that the amount is no limit. */
export function takeSavings(scanner: Scanner): Wish[] {
  return scanner.take(SAVING, () => ({ kind: "refine" as const, by: "price" as const }));
}

export function takeWishes(scanner: Scanner): Wish[] {
  const sort = (sort: "distance" | "price" | "recommended") => (_: RegExpExecArray, span: Span) => ({
    kind: "sort" as const,
    sort,
    ...polarityOf(scanner, span),
  });
  return [
    ...scanner.take(RESET, () => ({ kind: "reset" as const })),
    ...scanner.take(REFINE_PRICE, () => ({ kind: "refine" as const, by: "price" as const })),
    ...scanner.take(REFINE_DISTANCE, () => ({ kind: "refine" as const, by: "distance" as const })),
    ...scanner.take(REFINE_AREA, () => ({ kind: "refine" as const, by: "area" as const })),
    ...scanner.take(ANY_PRICE, () => ({ kind: "any_price" as const })),
    ...scanner.take(OFF_STREET, () => ({ kind: "street" as const, polarity: "excluded" as const })),
    ...scanner.take(STREET, (_, span) => ({ kind: "street" as const, ...polarityOf(scanner, span) })),
    ...scanner.take(SORT_DISTANCE, sort("distance")),
    ...scanner.take(SORT_RECOMMENDED, sort("recommended")),
    ...scanner.take(OPERATORS, (match, span) => ({
      kind: "operator" as const,
      keyword: match[0].replace(/^三井の?/u, ""),
      ...polarityOf(scanner, span),
    })),
    ...scanner.take(HARD, ({ groups }) => ({
      kind: "easy" as const,
      assumed: (groups!["narrow"] ?? groups!["narrow2"]) !== undefined,
      polarity: "wanted" as const,
    })),
    ...scanner.take(EASY, (_, span) => ({ kind: "easy" as const, assumed: false, ...polarityOf(scanner, span) })),
    ...scanner.take(
      EASY_BY_SIZE,
      (_, span) => ({ kind: "easy" as const, assumed: true, ...polarityOf(scanner, span) }),
    ),
  ];
}

/** Runs before attributes. "in and out" and 出し入れ are unsupported only if 24時間 has not consumed them. */
export function takeUnsupported(scanner: Scanner): Wish[] {
  return scanner.take(UNSUPPORTED, (_, span) => ({ kind: "unsupported" as const, ...polarityOf(scanner, span) }));
}

/** Runs after all other recognisers of prices. */
export function takePriceOrder(scanner: Scanner): Wish[] {
  return scanner.take(
    SORT_PRICE,
    (_, span) => ({ kind: "sort" as const, sort: "price" as const, ...polarityOf(scanner, span) }),
  );
}
