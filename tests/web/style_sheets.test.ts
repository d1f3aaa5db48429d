// apps/web/: colours stand in the tokens, and each class and custom property of the style sheets is used.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";

const WEB = fileURLToPath(new URL("../../apps/web/", import.meta.url));
/** The colours of the page, and those of each theme. */
const TOKENS = ["styles/tokens.css", "styles/themes.css"];
const COLOR = /#[\da-f]{3,8}(?![\w-])|\b(rgba?|hsla?|hwb|oklch|oklab|lch|lab|light-dark)\(|:[^;{]*\b(white|black)\b/gi;

const withoutComments = (code: string) => code.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*/gm, "");

const sheets = new Map<string, string>();
const modules = new Map<string, string>();
for (const folder of ["src", "styles"]) {
  for (const path of await files(`${WEB}${folder}`)) {
    const name = relative(WEB, path);
    const kept = name.endsWith(".css")
      ? sheets
      : /\.tsx?$/.test(name) && !name.startsWith("src/texts/")
      ? modules
      : null;
    kept?.set(name, withoutComments(await Deno.readTextFile(path)));
  }
}
const styles = [...sheets.values()].join("\n");
/** Every literal string: attributes, and what functions get and return. */
const strings = [...modules.values(), await Deno.readTextFile(`${WEB}index.html`)]
  .flatMap((code) => code.match(/"[^"\n]*"|`[^`]*`/g) ?? []).join("\n");

/** Whether a string has the name as a word, or its beginning before a value that is computed. */
const isNamed = (name: string) =>
  new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(strings) ||
  name.split("-").some((_, at, parts) => at > 0 && strings.includes(`${parts.slice(0, at).join("-")}-\${`));

Deno.test("style sheets: a colour is in the tokens and themes only", () => {
  const found = [...sheets, ...modules].filter(([name]) => !TOKENS.includes(name))
    .flatMap(([name, code]) => (code.match(COLOR) ?? []).map((color) => `${name}: ${color}`));
  assert.deepEqual(found, []);
});

Deno.test("style sheets: each class is given to an element", () => {
  const selectors = styles.replaceAll(/\{[^{}]*\}/g, "{}");
  const classes = new Set(selectors.matchAll(/\.([a-z][\w-]*)/g).map(([, name]) => name!));
  assert.ok(classes.size > 200);
  assert.deepEqual([...classes].filter((name) => !name.startsWith("maplibregl-") && !isNamed(name)), []);
});

Deno.test("style sheets: each custom property has a reader", () => {
  const properties = new Set(styles.matchAll(/--([\w-]+)\s*:/g).map(([, name]) => name!));
  assert.ok(properties.size > 50);
  const isRead = (name: string) => `${styles}${strings}`.includes(`var(--${name}`) || isNamed(name);
  assert.deepEqual([...properties].filter((name) => !isRead(name)), []);
});
