// apps/web/: every text is read by a page.
import assert from "node:assert/strict";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";
import { texts as consoleTexts } from "../../apps/web/src/texts/en/console.ts";
import { texts as pageTexts } from "../../apps/web/src/texts/en/pages.ts";

const SOURCES = fileURLToPath(new URL("../../apps/web/src/", import.meta.url));

interface Source {
  readonly folder: string;
  /** Without comments. */
  readonly code: string;
}

const sources: Source[] = [];
for (const path of await files(SOURCES)) {
  const name = relative(SOURCES, path);
  if (!/\.tsx?$/.test(name) || name.startsWith("texts/")) continue;
  const code = (await Deno.readTextFile(path)).replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*/g, "");
  sources.push({ folder: dirname(name), code });
}

/** The code of a folder and of those in it. */
const codeOf = (folder: string) =>
  sources.filter((source) => `${source.folder}/`.startsWith(`${folder}/`)).map(({ code }) => code).join("\n");

const pathsOf = (tree: object): string[][] =>
  Object.entries(tree).flatMap(([name, value]) =>
    typeof value === "object" ? pathsOf(value).map((rest) => [name, ...rest]) : [[name]]
  );

/** Whether the code names the text, or reads one of its groups by a name that it computes or as a whole. */
function reads(code: string, rest: readonly string[]): boolean {
  const last = rest.at(-1)!;
  if (new RegExp(`(\\.|[{,]\\s*)${last}\\b`).test(code)) return true;
  return rest.slice(0, -1).some((group) => new RegExp(`(\\.|[{,]\\s*)${group}\\b(?!\\s*[.:])`).test(code));
}

for (const [catalog, texts] of Object.entries({ pageTexts, consoleTexts })) {
  Deno.test(`${catalog}: each text is read by a page`, () => {
    // `const text = pageTexts(({ map }) => map.results)` selects the group map.results, and its folder reads it.
    const selections = sources.flatMap(({ folder, code }) =>
      code.matchAll(new RegExp(`(export )?const (\\w+) = ${catalog}\\(\\s*\\((\\{?).+?\\) =>\\s*([\\w.]+)`, "g")).map(
        ([, isShared, name, brace, path]) => {
          const group = path!.split(".").slice(brace ? 0 : 1);
          // All of its texts, by names that are computed.
          const isWhole = new RegExp(`\\b(${name}\\.value|t)(\\[|\\)(?! =>)| as )`)
            .test(isShared ? codeOf(folder) : code);
          return { folder, group, isWhole };
        },
      ).toArray()
    );
    assert.ok(selections.length > 50);
    const dead = pathsOf(texts).filter((path) =>
      !selections.some(({ folder, group, isWhole }) => {
        const rest = path.slice(group.length);
        return group.every((name, at) => name === path[at]) &&
          (rest.length === 0 || isWhole || reads(codeOf(folder), rest));
      })
    );
    assert.deepEqual(dead.map((path) => path.join(".")), []);
  });
}
