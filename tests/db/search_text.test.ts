// The form in which texts are compared: what is written in several ways is one, and what differs stays different.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** Spellings of one text, by kind. */
const ONE: Readonly<Record<string, readonly string[]>> = {
  "width, case and spaces": ["Park 24", "ＰＡＲＫ　２４", "park24", "P a r k\u00a02\t4\u3000"],
  "hiragana and katakana": ["ぱーきんぐ", "パーキング", "ﾊﾟｰｷﾝｸﾞ"],
  "voiced marks that stand alone or combine": ["ガード", "カ゛ード", "カ\u3099ード", "ｶﾞｰﾄﾞ", "か゛ーど"],
  "dashes of every kind": [
    "1-2-3",
    ..."‐‑‒–—―−－﹣﹘⁃─━˗⁻".split("").map((dash) => `1${dash}2${dash}3`),
    "1ー2ー3",
    "１ｰ２ｰ３",
  ],
  "waves": ["9~17", "9〜17", "9～17", "9∼17"],
  "dots in words": ["ザ・パーク", "ザパーク", "ザ･パーク", "ザ パーク", "ザ‧パーク"],
  "characters that are not seen": [
    "葛城",
    "葛\u{e0100}城",
    "葛城\ufe0f",
    "\u200b葛\u2060城\ufeff",
    "葛\u00ad城",
    "\u202e葛城\u202c",
  ],
  "letters with accents": ["Zürich", "Zurich", "ZÜRICH", "Zu\u0308rich"],
  "more letters with accents": ["Genève Łódź Ñuñoa Ålborg", "geneve lodz nunoa alborg"],
  "letters that are two": ["Straße", "STRASSE", "Strasse", "STRAẞE"],
  "ligatures": ["Smørrebrød Æbeltoft Œuvre ﬁﬂ", "smorrebrod aebeltoft oeuvre fifl"],
  "letters of Turkish and Vietnamese": ["Iğdır İzmir Đà Nẵng", "IĞDIR izmir đà nẵng", "igdir izmir da nang"],
  "signs that are texts": ["第① Ⅲ №1 A＆B", "第1 III No1 A&B", "第１ⅲ№１ａ&ｂ"],
  "addresses": [
    "六本木6丁目10番1号",
    "六本木六丁目10番1号",
    "六本木６－１０－１",
    "六本木六丁目十番一号",
    "六本木6丁目10-1",
    "六本木 6 丁目 10 番地 1 号",
    "六本木6ー10ー1",
    "六本木6丁目10番地の1",
  ],
  "numbers in kanji on both sides": [
    "本町1-2-3",
    "本町一丁目二ー三",
    "本町一丁目二の三",
    "本町一－二－三",
    "本町一の二の三",
    "本町一之二之三",
    "本町1丁2番3号",
    "本町１‐２‐三",
    "本町1丁目2番3番地",
  ],
  "numbers of two digits in addresses": ["栄二十三丁目12", "栄23丁目12", "栄23-12", "栄 二十三丁目十二番"],
  "numbers of three digits and more": [
    "原1204-15",
    "原千二百四番地十五",
    "原一二〇四番地の一五",
    "原1204番地15",
    "原千二百四ノ十五",
  ],
  "numbers of lots alone": ["原120", "原120番地", "原百二十番地", "原一二〇番地"],
  "streets of Sapporo": ["北1条西20丁目", "北一条西二十丁目", "北１条西二〇丁目"],
  "parts of villages": ["和田町大字下平", "和田町下平"],
  "ツ and ノ between kanji": ["三ツ沢池の端", "三ッ沢池之端", "三つ沢池ノ端", "三っ沢池の端"],
  "companies": ["㈱パーク", "（株）パーク", "株式会社パーク", "㍿パーク", "株式會社 ﾊﾟｰｸ"],
  "companies of the other form": ["㈲パーク", "有限会社パーク"],
  "kana that are written no more": ["ゑびす", "ヱビス", "えびす"],
  "marks that repeat a kana": ["いすゞ", "いすず", "イスヾ", "ｲｽｽﾞ", "いすゝ\u3099"],
  "marks that repeat an unvoiced kana": ["こゝろのづゝき", "こころのづつき", "コヽロノヅヽキ"],
  "marks that repeat a kanji": ["佐々木代々木", "佐佐木代代木", "佐 々 木 代々木"],
  "sigma at the end of a word": ["ΣΊΓΜΑΣ", "σίγμας", "σίγμασ"],
  "letters of Arabic and Persian": ["مَوْقِف كتابي ١٢", "موقـف کتابی ۱۲", "موقف كتابى 12"],
  "vowel points": ["שָׁלוֹם", "שלום"],
  "fractions and quotation marks": ['½ "a"', "1/2 “a”", "１／２“ａ”"],
  "ヶ between kanji": ["関ヶ原", "関ケ原", "関が原", "関ガ原", "関ヵ原", "関ｹ原"],
  "old forms of kanji": ["髙﨑澤橋", "高崎沢橋"],
  "long vowels that are typed as dashes": ["タワーパーキング", "タワ－パ－キング", "タワ−パ‐キング", "たわ-ぱ-きんぐ"],
  "apostrophes": ["O'Hare", "O’Hare", "Oʼhare", "O‘HARE"],
  "numbers of deeds": ["本町3丁目2番1号", "本町参丁目弐番壱号", "本町三丁目2-1"],
  "old forms in names": ["澁谷驛濱町", "渋谷駅浜町"],
};

/** Texts that stay different. */
const OTHERS: readonly (readonly [string, string])[] = [
  ["麻布十番", "麻布10番"],
  ["参宮橋", "三宮橋"],
  ["パーク-2", "パーク2"],
  ["パーク-a", "パークa"],
  ["一番町", "1番町"],
  ["1-2号店", "1-2"],
  ["1-2番地館", "1-2館"],
  ["三番2号", "3番2号"],
  ["第二-1駐車場", "第2-1駐車場"],
  ["三ノ宮", "3ノ宮"],
  ["東九条西山王町", "東9条西山王町"],
  ["大字", ""],
  ["千番町", "1000番町"],
  ["ケーブル", "ガーブル"],
  ["市営カーパーク", "市営ガーパーク"],
  ["スーパー", "スパ"],
  ["か", "が"],
  ["いすゝ", "いすず"],
  ["々木", "木"],
  ["ゝ", "々"],
  ["はす", "ぱす"],
  ["六本木6丁目", "六本木60"],
  ["12-3", "1-23"],
  ["*", "."],
];

/** A keyword, and a text that has it. */
const FOUND: readonly (readonly [keyword: string, text: string])[] = [
  ["六本木6丁目", "東京都港区六本木6-10-1"],
  ["六本木六丁目", "東京都港区六本木６丁目１０番１号"],
  ["6丁目", "東京都港区六本木6-10-1"],
  ["6-10", "六本木六丁目十番一号"],
  ["6-10-1", "六本木ー6ー10ー1"],
  ["銀座四丁目", "銀座4丁目パーキング"],
  ["麻布十番", "港区麻布十番2丁目3番4号"],
  ["麻布十番2-3", "港区麻布十番2丁目3番4号"],
  ["カーパーク", "市営カーパーク"],
  ["ケーブル", "第一ケーブル前"],
  ["関ヶ", "関ケ原駅前"],
  ["下平12", "和田町大字下平12番地"],
  ["二十三番地", "大手二十三番地の四"],
  ["大手23", "大手二十三番地四"],
  ["第二", "第二-1駐車場"],
  ["東九条", "京都市南区東九条西山王町1"],
  ["geneve", "P+R Genève-Plage"],
  ["代々", "代々木公園前"],
  ["いすず", "いすゞ自動車前"],
];

async function textsOf(texts: readonly string[]): Promise<string[]> {
  const rows = await db.sql`
    select private.search_text(t.value) as text from unnest(${texts}::text[]) with ordinality as t (value, nth) order by t.nth`;
  return rows.map(({ text }) => text);
}

for (const [name, spellings] of Object.entries(ONE)) {
  Deno.test(`search text: one form for ${name}`, async () => {
    const [first, ...others] = await textsOf(spellings);
    assert.deepEqual(others, others.map(() => first));
    assert.deepEqual(await textsOf([first!]), [first], "the form of the form");
  });
}

Deno.test("search text: what differs stays different", async () => {
  for (const pair of OTHERS) {
    const [one, other] = await textsOf(pair);
    assert.notEqual(one, other, pair.join());
  }
});

Deno.test("search text: a keyword is in the texts that have it in another notation", async () => {
  for (const pair of FOUND) {
    const [keyword, text] = await textsOf(pair);
    assert.ok(text!.includes(keyword!), `${keyword} in ${text}`);
  }
});

Deno.test("search text: of nothing but invisible characters nothing is left, and of the longest text there is an end", async () => {
  assert.deepEqual(await textsOf(["\u200b\ufe0f \u3000\u2060", "・", "\u202e\u202c"]), ["", "", ""]);
  const [numbers, kanji] = await textsOf(["一丁目".repeat(150), "一の".repeat(249) + "一"]);
  assert.equal(numbers, "1-".repeat(150));
  assert.equal(kanji, "1-".repeat(249) + "1");
});
