/** Converts English number words to digits if the neighbouring words make them numbers: "two hours", "until nine". */

const SMALL: Readonly<Record<string, number>> = Object.fromEntries(
  ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
    "eighteen nineteen").split(" ").map((word, value) => [word, value]),
);
const TENS: Readonly<Record<string, number>> = Object.fromEntries(
  "twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, index) => [word, (index + 2) * 10]),
);
const SCALES: Readonly<Record<string, number>> = { hundred: 100, thousand: 1000, grand: 1000 };

const COUNTED =
  /^[ -]?(?:yen|jpy|hours?|hrs?|minutes?|mins?|o'?clock|am|pm|a\.m|p\.m|nights?|days?|weeks?|months?|met(?:er|re)s?|m|km|kilomet(?:er|re)s?|feet|foot|ft|miles?|dollars?|tons?|tonnes?|thirty|fifteen|forty)(?![a-z])/i;
const COUNTING =
  /(?:^|[^a-z])(?:from|to|at|until|till|by|past|between|and|half|before|after|around|about|in|for|under|of|tonight|budget|is|[:~-]) ?$/i;
/** "and with", "one of": words that only look like numbers. */
const CLOCK_END =
  /^ ?(?:[,.!?;~-]|$|to |until |till |and |tomorrow|tonight|today|this |on |in |near |at |around |for |please|by )/i;

/** "five to nine pm": the first hour of a range. */
const RANGE_START = new RegExp(
  `^ (?:to|till?|until) (?:\\d{1,2}|${Object.keys(SMALL).join("|")})(?: ?[ap]m|:\\d{2})(?![a-z])`,
  "i",
);
/** "until five Kyoto station": a name follows. */
const NAME_AFTER = /^ (?!Chome|Guys)[A-Z][a-z]/;

function valueOf(word: string): number | undefined {
  return SMALL[word] ?? TENS[word] ?? SCALES[word];
}

/** "two thousand five hundred" → 2500. "half past nine" keeps its half. */
function sum(words: readonly string[]): number {
  let total = 0, section = 0;
  for (const word of words) {
    const scale = SCALES[word];
    if (scale === undefined) section += valueOf(word)!;
    else if (scale === 100) section = Math.max(1, section) * 100;
    else {
      total += Math.max(1, section) * scale;
      section = 0;
    }
  }
  return total + section;
}

const WORD = /[a-z]{1,12}/gi;

const MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december";
const ORDINALS =
  ("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth " +
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth").split(" ");
/** "the first of December" and "December first". */
const ORDINAL = new RegExp(
  `(?<![a-z])(${ORDINALS.join("|")})(?= of (?:${MONTHS}))|(?<=(?:${MONTHS}) (?:the )?)(${ORDINALS.join("|")})(?![a-z])`,
  "gi",
);

export function englishNumbers(original: string): string {
  const text = original.replace(ORDINAL, (word) => `${ORDINALS.indexOf(word.toLowerCase()) + 1}th`)
    .replace(/(?<![a-z])an? (?=(?:hundred|thousand|grand)(?![a-z]))/gi, "one ");
  const words = [...text.matchAll(WORD)];
  const pieces: string[] = [];
  let from = 0;
  for (let index = 0; index < words.length; index++) {
    const first = words[index]!;
    if (valueOf(first[0].toLowerCase()) === undefined) continue;
    let last = index;
    while (last + 1 < words.length && last - index < 6 && joins(text, words, last)) last++;
    const end = words[last]!.index + words[last]![0].length;
    const run = words.slice(index, last + 1).map((match) => match[0].toLowerCase());
    index = last;
    const before = text.slice(Math.max(0, first.index - 10), first.index);
    const after = text.slice(end, end + 16);
    // "five thirty"
    const half = /^ (thirty|fifteen|forty[- ]five)(?![a-z])/i.exec(after);
    const hour = valueOf(run[0]!)!;
    if (run.length === 1 && half !== null && hour >= 1 && hour <= 12) {
      const minutes = { t: "30", f: half[1]!.length > 7 ? "45" : "15" }[half[1]![0]!.toLowerCase()];
      pieces.push(text.slice(from, first.index), `${hour}:${minutes}`);
      from = end + half[0].length;
      index += half[1]!.length > 7 && half[1]!.includes(" ") ? 2 : 1;
      continue;
    }
    const isHour = run.length === 1 && hour >= 1 && hour <= 12;
    const isEnd = CLOCK_END.test(after) || isHour && /^[a-z]/.test(first[0]) && NAME_AFTER.test(after);
    const counts = run.length > 1 || COUNTED.test(after) || (COUNTING.test(before) && isEnd) ||
      (isHour && RANGE_START.test(after));
    if (!counts || (run.length === 1 && SCALES[run[0]!] !== undefined)) continue;
    pieces.push(text.slice(from, first.index), String(sum(run)));
    from = end;
  }
  return pieces.join("") + text.slice(from);
}

/**
 * "two thousand" and "twenty-five" are one number. "nine five" is two numbers. "nine thirty" is a time, so two numbers.
 */
function joins(text: string, words: readonly RegExpExecArray[], last: number): boolean {
  const here = words[last]!, next = words[last + 1]!;
  const gap = text.slice(here.index + here[0].length, next.index);
  const left = here[0].toLowerCase(), right = next[0].toLowerCase();
  if ((gap !== " " && gap !== "-") || valueOf(right) === undefined) return false;
  if (SCALES[right] !== undefined || SCALES[left] !== undefined) return true;
  return TENS[left] !== undefined && (SMALL[right] ?? 10) < 10;
}
