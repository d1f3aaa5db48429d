/**
 * Words that change the meaning of those next to them, and that no recogniser read: negations, corrections, comparisons,
 * conditions, and words of the past. With such a word the result is never certain.
 */
import type { Point } from "./clocks.ts";
import { isInName } from "./fillers.ts";
import type { Finding } from "./notes.ts";
import { type Scanner, TAKEN } from "./scanner.ts";

const ENGLISH =
  /(?<![\p{L}'])(?:not(?! (?:sure|too far|far|really)(?![a-z]))|never|nor|(?:do|does|ca|wo|is|are|would|should)n'?t(?! (?:know|mind|care|matter|find|see|decide|want to walk))|cannot|without|except|excluding|unless|if(?! (?:possible|you|available|there|i can))|than|fewer|at least|or (?:more|longer|further|farther|later|earlier)|(?<=\uE000 ?)or(?= ?\uE000)|wait|scratch|correction|oops|nope|was(?! (?:wondering|looking|hoping|thinking|planning))|were|paid|cost|had|used to|usual(?:ly)?|normal(?:ly)?|twice|double|almost|nearly|soon|(?:before|after|prior|earl(?:y|ier)|ahead)(?! ?\uE000)|(?<=\uE000.{0,20})(?:actually|instead|rather|sorry|no))(?![\p{L}'])|[×÷]/giu;

const JAPANESE =
  /じゃな[いく](?!か|です)|ではな[いく](?!か|です)|でな[いく]|以外|除[くい]|未満|超え|だった|でした|前回|先日|いつも|普段|もうすぐ|そろそろ|まもなく|違う|ちがう|間違|訂正|もとい|撤回|どちらか|どっちか|(?:(?:停め|止め)(?:られ)?|駐車し|行か|使わ)な[いく]|割り勘|ずつ|(?<=\uE000)(?:おき|ごと|置き|毎)|それ(?:まで|以降)|その(?:前|後)|(?<=\uE000)(?:前(?!後)|の(?:料金|値段)|なら|だったら|倍|か(?=\uE000)|(?:に)?以上)/gu;

const EVENTS =
  "trains?|shinkansen|ferry|flights?|plane|bus|boat|ship|cruise|movie|film|show|concert|gig|game|match|play|musical|performance|kick-?off|curtain|doors?|meeting|appointment|reservation|booking|dinner|lunch|class|lecture|exam|interview|ceremony|shift";
const EVENT_BEFORE = new RegExp(
  `(?<![\\p{L}])(?:(?:${EVENTS})(?: (?:is|time|actually|only)){0,2}(?: at| by| on)?|(?:${EVENTS}|it|they|stores?|shops?|mall|museum|restaurant|office|place|sun|lot|garage|gates?)(?: (?:\\p{L}{1,12}ly|will|only)){0,2} (?:leav|depart|start|begin|open|clos|shut|end|finish|arriv|land|board|set|ris)(?:e?s|s?es|e)?(?: (?:at|by|on|from|until)){0,2}|it(?:'s| is)(?: (?:about|already|now|only))?) ?$|(?:新幹線|電車|列車|特急|フェリー|船|飛行機|便|フライト|バス|映画|上映|ライブ|公演|コンサート|舞台|試合|花火|[^\\p{L}]式|会議|面接|診察|予約|受付|営業(?:時間)?|日没|満潮|開演|上映)(?:時間|時刻)?(?:が|は|も|の|:)? ?$|(?:店|モール|施設|館|門|園)(?:が|は|も) ?$`,
  "iu",
);
const EVENT_AFTER = new RegExp(
  `^ ?(?:the )?(?:${EVENTS}|departure|opening|closing)(?![\\p{L}])|^(?:に|の|には)?(?:出航|出港|離陸|発車|開演|開場|開店|開館|閉店|閉館|閉園|閉門|キックオフ|プレイボール|発の|(?:から)?(?:始ま|はじま)|閉ま|しまる|終わ|開く|開き|の?(?:新幹線|電車|列車|特急|便|フェリー|船|バス|飛行機|フライト|映画|回(?![数転])|ライブ|公演|予約|約束))`,
  "iu",
);

/** Times that can be those of a train, a show or a shop instead of the stay: "my ferry leaves Friday 23:59", 開演18時. */
export function timesOfEvents(scanner: Scanner, points: readonly Point[]): Finding[] {
  const clause = (text: string) => text.replaceAll(TAKEN, "").split(/[.;,!?、。]/u);
  return points.filter((point) =>
    point.kind === "clock" &&
    (EVENT_BEFORE.test(clause(scanner.before(point.start, 60)).at(-1)!) ||
      EVENT_AFTER.test(clause(scanner.text.slice(point.end, point.end + 20))[0]!))
  ).map((point) => ({ text: scanner.slice(point), field: "text", value: null, reason: "of_event" }));
}

/** The words that are left, where no place has them in its name. */
export function tellingWords(scanner: Scanner): Finding[] {
  return [ENGLISH, JAPANESE].flatMap((pattern) => [...scanner.rest.matchAll(pattern)])
    .filter(({ index }) => !isInName(scanner.text, index))
    .map(([text]) => ({ text, field: "text", value: null, reason: "not_understood" }));
}
