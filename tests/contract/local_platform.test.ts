// Folders import in one direction: tests from tools, tools from the local platform. The local platform has a limit of its size.
import assert from "node:assert/strict";
import { join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const STAND_INS = "local/standins/";
/** Lines of TypeScript and SQL in local/, without the stand-ins of other companies. */
const MAX_LINES = 10_690;

function filesUnder(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) =>
    name === "node_modules" ? [] : isDirectory ? filesUnder(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

const read = (path: string) => Deno.readTextFileSync(join(root, path));
const IMPORT = /^(?:import|export)\b[^;]*?\bfrom "(\.[^"]+)"|\bimport\(?\s?"(\.[^"]+)"/gm;

/** What the modules of a folder import. */
function importsOf(folder: string): (readonly [path: string, imported: string])[] {
  return filesUnder(folder).filter((path) => path.endsWith(".ts")).flatMap((path) =>
    [...read(path).matchAll(IMPORT)].map(([, from, only]) =>
      [path, normalize(join(path, "..", (from ?? only)!))] as const
    )
  );
}

/** The folders that a folder must not import. */
const ABOVE = { local: /^(apps|client|tests)\//, tools: /^tests\// };

for (const [folder, above] of Object.entries(ABOVE)) {
  Deno.test(`${folder}/: it imports nothing of ${above.source.match(/\w+/g)!.join(", ")}`, () => {
    const imports = importsOf(folder);
    assert.ok(imports.some(([, imported]) => imported === "local/settings.ts"), "imports are read");
    assert.deepEqual(imports.filter(([, imported]) => above.test(imported)), []);
  });
}

Deno.test(`local/: the platform without its stand-ins has at most ${MAX_LINES} lines`, () => {
  const counted = filesUnder("local").filter((path) => /\.(ts|sql)$/.test(path) && !path.startsWith(STAND_INS));
  const lines = counted.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);
  assert.ok(lines > 5_000, "files are counted");
  assert.ok(lines <= MAX_LINES, `${lines} lines: remove what the service does not use`);
});
