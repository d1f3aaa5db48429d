// apps/web/: the themes that a user can choose. Each keeps the contrast of texts, in the light and in the dark.
import assert from "node:assert/strict";
import { themeNameOf, THEMES } from "../../apps/web/src/theme_names.ts";

const read = (name: string) => Deno.readTextFile(new URL(`../../apps/web/styles/${name}`, import.meta.url));
const [TOKENS, CSS] = await Promise.all([read("tokens.css"), read("themes.css")]);

type Colors = Readonly<Record<string, string>>;

/** The colours of a block of a style sheet, for a light or a dark screen. */
function colors(block: string, isDark: boolean): Colors {
  const found = [...block.matchAll(/--([\w-]+):\s*(?:light-dark\((#\w{6}),\s*(#\w{6})\)|(#\w{6}))/g)];
  return Object.fromEntries(found.map(([, name, light, dark, both]) => [name, (both ?? (isDark ? dark : light))!]));
}

const blockOf = (css: string, selector: string) => css.split(selector)[1]!.split("}")[0]!;

/** By WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

for (const theme of [undefined, ...THEMES]) {
  Deno.test(`theme ${theme ?? "standard"}: texts have a contrast of 4.5 on every ground`, () => {
    const own = theme === undefined ? "" : blockOf(CSS, `[data-theme="${theme}"]`);
    // A theme that is always dark has the dark colours on every screen.
    for (const isDark of own.includes("color-scheme: dark") ? [true] : [false, true]) {
      const all = { ...colors(blockOf(TOKENS, ":root {"), isDark), ...colors(own, isDark) };
      const pairs = [
        ["on-brand", "brand"],
        ...["ink", "ink-2", "brand", "stop", "fine", "warn"].flatMap((text) =>
          ["ground", "surface", "tint"].map((ground) => [text, ground])
        ),
      ] as [string, string][];
      for (const [text, ground] of pairs) {
        const ratio = contrast(all[text]!, all[ground]!);
        assert.ok(ratio >= 4.5, `${text} on ${ground}, ${isDark ? "dark" : "light"}: ${ratio.toFixed(2)}`);
      }
    }
  });
}

Deno.test("themes: the sample of the standard theme has its colours", () => {
  for (const isDark of [false, true]) {
    const standard = colors(blockOf(TOKENS, ":root {"), isDark);
    for (const [name, color] of Object.entries(colors(blockOf(CSS, `[data-sample="standard"]`), isDark))) {
      assert.equal(color, standard[name], name);
    }
  }
});

Deno.test("themes: those of the project have their colours, and one of an operator the same ones everywhere", () => {
  assert.equal(themeNameOf({ id: "1", name: "スタンダード" }), undefined);
  assert.equal(themeNameOf({ id: "1", name: "桜" }), "blossom");
  const ids = Array.from({ length: 50 }, (_, index) => `00000000-0000-4000-8000-0000000000${index + 10}`);
  const chosen = new Set(ids.map((id) => themeNameOf({ id, name: "Own" })));
  assert.deepEqual([...chosen].sort(), THEMES.filter((name) => name !== "night").toSorted());
});
