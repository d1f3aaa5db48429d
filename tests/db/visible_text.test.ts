// What others see of a text: control characters, marks of direction and fillers go; what belongs to a script stays.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { sqlstate } from "../support/database_errors.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

async function trimmed(text: string): Promise<string | null> {
  const [row] = await db.sql`select private.trimmed(${text}) as text`;
  return row!["text"];
}

const KEPT = [
  "駐車 太郎",
  "a b",
  "two\nlines\tand a tab",
  "Łódź, Zürich",
  "ﾊﾟｰｷﾝｸﾞ",
  "👨\u200d👩\u200d👧\u200d👦",
  "👩🏽\u200d🚒",
  "❤\ufe0f\u200d🔥",
  "1\ufe0f\u20e3",
  "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  "葛\u{e0100}城",
  "\ufa19田", // the kanji of a name, which NFC would replace
  "می\u200cخواهم",
  "क्\u200dष",
  "അവന്\u200d", // a joiner that ends a word
  "র\u200c্যাব",
  "ශ්\u200dරී",
  "ᠪᠠᠢ\u180eᠨ\u180eᠠ",
  "ᠮᠣᠩ\u180bᠭᠣᠯ",
  "שָׁלוֹם",
  "مُحَمَّد",
  "น้ำ ปั๊ม",
  "Tiếng Việt, ã\u0324\u0301b",
  "🇯🇵🇨🇭",
  "👁\ufe0f\u200d🗨\ufe0f",
  "🐦\u200d⬛",
  "🙂\u200d↔\ufe0f",
  "☎\ufe0e",
  "品川\ue000", // a letter of the user's own font
  "…“x”",
];

/** What was sent, and what is stored. */
const CHANGED: Readonly<Record<string, string | null>> = {
  " a ": "a",
  "\u3000駐車\u00a0": "駐車",
  "運営\u202egnp.exe": "運営gnp.exe",
  "運\u200d営": "運営",
  "ad\u00admin": "admin",
  "a\u200bd\u2060m\ufeffin": "admin",
  "\u2067מנהל\u2069": "מנהל",
  "a\u0007b\u001bc\u0085d": "abcd",
  "a\r\nb\rc\u2028d": "a\nb\nc\nd",
  "か\u3099": "が",
  "e\u0301": "é",
  "\u1112\u1161\u11ab\u1100\u116e\u11a8": "한국",
  "\ufa19e\u0301": "\ufa19é",
  "x\u{e0041}\u{e0042}": "x",
  "🏴\u{e0041}\u{e0042}\u{e0043}\u{e0044}": "🏴",
  [`🏴${"\u{e0061}".repeat(50)}`]: "🏴",
  "\ufe0fa": "a",
  "admin\ufe0f": "admin",
  "あ\ufe00": "あ",
  [`葛${"\u{e0100}\u{e0110}".repeat(9)}`]: "葛\u{e0100}",
  [`❤${"\ufe0f".repeat(9)}`]: "❤\ufe0f",
  [`❤${"\ufe0f\u200d".repeat(9)}🔥`]: "❤\ufe0f\u200d🔥",
  "می\u200c\u200cخواهم": "می\u200cخواهم",
  "👨\u200d\u200d\u200d👩": "👨\u200d👩",
  "👨\u200d": "👨",
  "a\u180eb": "ab",
  "\u{1d173}a\u{1bca0}b\ufdd0c": "abc",
  [`管${"\u0489\u0336\u20e0".repeat(20)}理`]: "管\u0489\u0336\u20e0\u0489理",
  [`a${"\u0316".repeat(40)}b`]: "a\u0316\u0316\u0316\u0316b",
  [`ก${"\u0e47".repeat(40)}`]: "ก\u0e47\u0e47\u0e47\u0e47",
  "": null,
  "\u3000 \n": null,
  "\u200b": null,
  "\u202e\u202c": null,
  "\u2800": null,
  "\u3164": null,
  "\u2800 \u2800": null,
  "\u115f\uffa0": null,
  "\u0301\u1ab0\u20dd": null,
  "\u05b0\u064b\u0e31": null,
  "\u180b": null,
  "\u{13430}": null,
  "\uffff": null,
  "\u200d\ufe0f": null,
};

Deno.test("texts: what belongs to a text stays as it was written", async () => {
  for (const text of KEPT) assert.equal(await trimmed(text), text);
});

Deno.test("texts: invisible characters are removed, and nothing is left of nothing but that", async () => {
  for (const [text, shown] of Object.entries(CHANGED)) {
    assert.equal(await trimmed(text), shown, JSON.stringify(text));
    if (shown !== null) assert.equal(await trimmed(shown), shown);
  }
});

Deno.test("names: by every entry point a name is on one line and can be seen", async () => {
  const id = crypto.randomUUID();
  const metadata = JSON.stringify({ display_name: "\u202eadmin\n2" });
  await db.sql`
    insert into auth.users (id, email, raw_user_meta_data) values (${id}, ${`${id}@example.test`}, ${metadata}::text::jsonb)`;
  const nameOf = async () =>
    (await db.sql`select display_name from public.app_users where id = ${id}`)[0]!["display_name"];
  assert.equal(await nameOf(), "admin 2");
  await db.sql`update public.app_users set display_name = ${" a\u200b\n\nb "} where id = ${id}`;
  assert.equal(await nameOf(), "a b");
  assert.equal(
    await sqlstate(db.sql`update public.app_users set display_name = ${"\u2800"} where id = ${id}`),
    "23514",
  );
  assert.equal(await nameOf(), "a b");
  await db.sql`update public.app_users set display_name = null where id = ${id}`;
  assert.equal(await nameOf(), null);
});
