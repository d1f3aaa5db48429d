// The local platform depends on no application, and has a limit of its size.
import assert from "node:assert/strict";
import { join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const STAND_INS = "local/standins/";
/** Lines of TypeScript and SQL in local/, without the stand-ins of other companies. */
const MAX_LINES = 10_690;

function filesUnder(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesUnder(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

const read = (path: string) => Deno.readTextFileSync(join(root, path));
const IMPORT = /^(?:import|export)\b[^;]*?\bfrom "(\.[^"]+)"|^import "(\.[^"]+)"/gm;
const modules = new Map(
  filesUnder("local").filter((path) => path.endsWith(".ts")).map((path) => [
    path,
    [...read(path).matchAll(IMPORT)].map(([, from, only]) => normalize(join(path, "..", (from ?? only)!))),
  ]),
);

Deno.test("local/: it imports no application, no client and no test", () => {
  assert.ok([...modules.values()].some((imported) => imported.includes("local/settings.ts")), "imports are read");
  const found = [...modules].flatMap(([path, imported]) =>
    imported.filter((one) => /^(apps|client|tests)\//.test(one)).map((one) => [path, one])
  );
  assert.deepEqual(found, []);
});

Deno.test(`local/: the platform without its stand-ins has at most ${MAX_LINES} lines`, () => {
  const counted = filesUnder("local").filter((path) => /\.(ts|sql)$/.test(path) && !path.startsWith(STAND_INS));
  const lines = counted.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);
  assert.ok(lines > 5_000, "files are counted");
  assert.ok(lines <= MAX_LINES, `${lines} lines: remove what the service does not use`);
});
