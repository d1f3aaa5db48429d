// web/: the texts of both languages, where they stand, and how they are loaded.
import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";
import { texts as consoleEn } from "../../apps/web/src/texts/en/console.ts";
import { texts as pagesEn } from "../../apps/web/src/texts/en/pages.ts";
import { texts as consoleJa } from "../../apps/web/src/texts/ja/console.ts";
import { texts as pagesJa } from "../../apps/web/src/texts/ja/pages.ts";

const SOURCES = fileURLToPath(new URL("../../apps/web/src/", import.meta.url));
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

/** Every text with its path; a function is called with examples. */
function textsOf(tree: object, path = ""): [path: string, text: string][] {
  return Object.entries(tree).flatMap(([name, value]): [string, string][] => {
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof value === "string") return [[at, value]];
    if (typeof value === "function") return [[at, String(value("1", "2", "3"))]];
    return textsOf(value, at);
  });
}

for (const [name, en, ja] of [["pages", pagesEn, pagesJa], ["console", consoleEn, consoleJa]] as const) {
  Deno.test(`texts of ${name}: each English text has a Japanese one, and none is empty`, () => {
    const [english, japanese] = [textsOf(en), textsOf(ja)];
    assert.deepEqual(japanese.map(([path]) => path).sort(), english.map(([path]) => path).sort());
    assert.deepEqual([...english, ...japanese].filter(([, text]) => text.trim() === ""), []);
    assert.deepEqual(english.filter(([, text]) => JAPANESE.test(text)), []);
    assert.ok(english.length > 200);
  });
}

Deno.test("texts: Japanese is in texts/ja and in the name of the language only", async () => {
  const found: string[] = [];
  for (const path of (await files(SOURCES)).filter((path) => /\.tsx?$/.test(path))) {
    const name = relative(SOURCES, path);
    const code = (await Deno.readTextFile(path)).replace('ja: "日本語"', "");
    if (!name.startsWith(join("texts", "ja")) && JAPANESE.test(code)) found.push(name);
  }
  assert.deepEqual(found, []);
});

Deno.test("language: the pages change when all texts are there; the newest choice counts, and a failed one changes nothing", async () => {
  const stored = new Map([["language", "en"]]);
  const storage = { getItem: (key: string) => stored.get(key) ?? null, setItem: stored.set.bind(stored) };
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
  Object.assign(globalThis, { document: { documentElement: { lang: "" } } });
  const { chooseLanguage, language, loadCatalog } = await import("../../apps/web/src/language.ts");

  const japanese = Promise.withResolvers<{ title: string }>();
  let loads = 0;
  const select = await loadCatalog({
    en: () => Promise.resolve({ title: "Map" }),
    ja: () => (loads++, japanese.promise),
  });
  const title = select((texts) => texts.title);
  assert.deepEqual([language.value, title.value, loads], ["en", "Map", 0]);

  const first = chooseLanguage("ja");
  assert.equal(title.value, "Map");
  // A part that is opened meanwhile has the texts of the language that comes.
  let other: string[] = [];
  const opened = loadCatalog({
    en: () => Promise.resolve(other = [...other, "en"]),
    ja: () => Promise.resolve(other = [...other, "ja"]),
  });
  await chooseLanguage("en");
  japanese.resolve({ title: "地図" });
  await Promise.all([first, opened]);
  assert.deepEqual([language.value, title.value, [...new Set(other)]], ["en", "Map", ["en", "ja"]]);

  await chooseLanguage("ja");
  assert.deepEqual([language.value, title.value, loads], ["ja", "地図", 1]);
  assert.deepEqual([stored.get("language"), document.documentElement.lang], ["ja", "ja"]);

  await loadCatalog({ en: () => Promise.reject(new Error("offline")), ja: () => Promise.resolve({}) });
  await assert.rejects(chooseLanguage("en"), /offline/);
  assert.deepEqual([language.value, title.value], ["ja", "地図"]);
});
