// How the modules of the platform, the client and the tools depend on each other, and how large the platform may become.
import assert from "node:assert/strict";
import { join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const FOLDERS = ["client/src", "local", "tools"];
const STAND_INS = "local/standins/";
/** Lines of TypeScript and SQL in local/, without the stand-ins of other companies. */
const MAX_LINES = 10_700;

function filesUnder(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesUnder(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

const read = (path: string) => Deno.readTextFileSync(join(root, path));
const IMPORT = /^(?:import|export)\b[^;]*?\bfrom "(\.[^"]+)"|^import "(\.[^"]+)"/gm;
const modules = new Map(
  FOLDERS.flatMap(filesUnder).filter((path) => /\.tsx?$/.test(path)).map((path) => [
    path,
    [...read(path).matchAll(IMPORT)].map(([, from, only]) => normalize(join(path, "..", (from ?? only)!))),
  ]),
);

/** Each way from a module back to itself, once. */
function circles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) found.push([...way.slice(at), path].join(" > "));
    if (at >= 0 || done.has(path)) return;
    for (const next of modules.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of modules.keys()) visit(path, []);
  return found;
}

Deno.test("modules: no module of client/, local/ and tools/ depends on itself, also not for a type", () => {
  assert.ok(modules.get("client/src/client.ts")?.includes("client/src/types.ts"), "imports are read");
  assert.deepEqual(circles(), []);
});

Deno.test("modules: local/ imports no application, no client and no test", () => {
  const found = [...modules].filter(([path]) => path.startsWith("local/"))
    .flatMap(([path, imported]) =>
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
