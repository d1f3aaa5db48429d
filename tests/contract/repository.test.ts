import assert from "node:assert/strict";
import { Environment, VERSION } from "../../supabase/functions/_shared/config.ts";
import { newestVersion } from "../../tools/release/rules.ts";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => Deno.readTextFileSync(join(root, path));
const imports = (path: string): Record<string, string> => JSON.parse(read(path)).imports;
const CLI = imports("imports.json")["supabase"]!.replace("npm:supabase@", "");

Deno.test("repository: every package is pinned exactly, and the functions use the versions that the tests use", () => {
  const everywhere = imports("imports.json");
  const functions = imports("supabase/functions/deno.json");
  for (const [name, specifier] of Object.entries({ ...everywhere, ...functions })) {
    // The project's own client, by the name that its package has.
    if (specifier.startsWith("./")) continue;
    assert.match(specifier, /^npm:\/?(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+(-[\w.]+)?(\/|\/[\w./-]+)?$/, name);
  }
  for (const [name, specifier] of Object.entries(functions)) assert.equal(everywhere[name], specifier, name);
});

Deno.test("repository: the service, the client and the changelog have the version of the newest release", () => {
  assert.equal(JSON.parse(read("client/package.json")).version, VERSION);
  assert.equal(newestVersion(read("CHANGELOG.md")) ?? VERSION, VERSION);
});

Deno.test("repository: the root has eight folders, and README.md describes each", () => {
  const ignored = new Set(read(".gitignore").split("\n"));
  const folders = [...Deno.readDirSync(root)]
    .filter(({ name, isDirectory }) => isDirectory && !name.startsWith(".") && !ignored.has(`${name}/`))
    .map(({ name }) => name).sort();
  assert.deepEqual(folders, ["apps", "client", "contract", "docs", "local", "supabase", "tests", "tools"]);
  const tree = read("README.md").split("\n## Repository\n")[1]!.split("\n## ")[0]!;
  const described = [...tree.matchAll(/^(\w+)\//gm)].map((match) => match[1]!);
  assert.deepEqual([...new Set(described)].sort(), folders);
});

Deno.test("config.toml: every function has a section, verifies tokens itself and names the import map", () => {
  const config = read("supabase/config.toml");
  const section = /^\[functions\.([\w-]+)\]\nverify_jwt = false\nimport_map = "\.\/functions\/deno\.json"$/gm;
  const named = [...config.matchAll(section)].map((match) => match[1]);
  const present = [...Deno.readDirSync(join(root, "supabase/functions"))]
    .filter((entry) => entry.isDirectory && !entry.name.startsWith("_")).map((entry) => entry.name);
  assert.deepEqual(named.toSorted(), present.toSorted());
});

/** The paths of the files in a folder and the folders below it. */
function pagesUnder(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? pagesUnder(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

Deno.test("repository: the pages name the pinned version of the Supabase CLI", () => {
  for (const page of ["README.md", ...pagesUnder("docs").filter((path) => path.endsWith(".md"))]) {
    const versions = [...read(page).matchAll(/npx -y supabase@(\d[\w.-]*)/g)].map((match) => match[1]);
    assert.ok(versions.every((version) => version === CLI), page);
  }
});

Deno.test("repository: the tasks, files and version of Deno in the pages exist", () => {
  const { tasks } = JSON.parse(read("deno.json"));
  const version = /^deno_version=(\S+)$/m.exec(read(".ci/run"))?.[1];
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "client/README.md",
    ...pagesUnder("docs"),
  ]
    .filter((path) => path.endsWith(".md"));
  for (const page of pages) {
    const text = read(page);
    for (const [, task] of text.matchAll(/(?:^|[\s`])task ([a-z][\w:-]*)/gm)) {
      assert.ok(task! in tasks, `${page}: task ${task}`);
    }
    for (const [, link] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      assert.ok(Deno.statSync(join(root, dirname(page), link!)), `${page}: ${link}`);
    }
    for (const [, named] of text.matchAll(/npx -y deno@(\d[\w.-]*)/g)) assert.equal(named, version, page);
  }
});

Deno.test("docs/operations/settings.md: every setting of the local platform and of the functions is in its tables", () => {
  const rows = read("docs/operations/settings.md").split("\n").filter((line) => line.startsWith("| `"));
  const documented = new Set(rows.flatMap((row) => row.split(" | ")[0]!.match(/\w+/g) ?? []));
  const sources = ["local/settings.ts", "supabase/config.toml"];
  const ofPlatform = sources.flatMap((source) =>
    read(source).match(/(?<=["(])[A-Z][A-Z0-9]*(_[A-Z0-9]+)+(?=[")])/g) ?? []
  );
  assert.ok(ofPlatform.includes("LOCAL_PORT") && ofPlatform.includes("SITE_URL"));
  const names = [...ofPlatform, ...Object.keys(Environment.shape)];
  assert.deepEqual(names.filter((name) => !documented.has(name)), []);
});

Deno.test("repository: supabase/functions/.env.example has each setting that an operator gives the functions, and no other", () => {
  const table = read("docs/operations/settings.md").split("\n## Functions\n")[1]!.split("\n## ")[0]!;
  const rows = table.split("\n").filter((line) => line.startsWith("| `") && line.split(" | ")[1]!.startsWith("secret"));
  const settings = rows.flatMap((row) => [...row.split(" | ")[0]!.matchAll(/`(\w+)`/g)].map((match) => match[1]!));
  const given = [...read("supabase/functions/.env.example").matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map((match) =>
    match[1]!
  );
  assert.deepEqual(given.toSorted(), settings.toSorted());
});

Deno.test("repository: hosted workflows call what .ci/run and the pages call, in the pinned versions", () => {
  const version = /^deno_version=(\S+)$/m.exec(read(".ci/run"))![1]!;
  assert.match(read(".github/workflows/check.yml"), /^ {6}- run: \.ci\/run$/m);
  assert.ok(read(".github/workflows/packages.yml").includes(`npx -y deno@${version} task outdated`));
  assert.ok(read(".github/workflows/long.yml").includes(`npx -y deno@${version} task test:long\n`));
  const containers = read(".github/workflows/containers.yml");
  const named = [...containers.matchAll(/npx -y (deno|supabase)@(\S+)/g)].map((match) => [match[1]!, match[2]!]);
  assert.deepEqual([...new Set(named.map((pair) => pair.join("@")))].sort(), [`deno@${version}`, `supabase@${CLI}`]);
});

Deno.test("repository: the workflow of deployments pins actions by commit, may only read, and calls the documented command", () => {
  const version = /^deno_version=(\S+)$/m.exec(read(".ci/run"))![1]!;
  const workflow = read(".github/workflows/deploy.yml");
  assert.match(workflow, /^permissions:\n {2}contents: read\n(?! )/m);
  assert.ok(workflow.includes(`npx -y deno@${version} task deploy --project "$PROJECT"`));
  // Every setting that a deployment needs has a line, or is one of the functions and comes by their file.
  const required = read("tools/release/deployment/settings.ts").match(/const REQUIRED[^{]*\{([^}]*)\}/)![1]!;
  const ofFunctions = read("supabase/functions/.env.example");
  for (const [, name] of required.matchAll(/^ {2}(\w+):/gm)) {
    assert.ok(new RegExp(`^ {6}${name}: |^# ${name}=`, "m").test(workflow + ofFunctions), String(name));
  }
});

Deno.test("repository: every action of a workflow is pinned by its commit", async () => {
  const folder = new URL("../../.github/workflows/", import.meta.url);
  const actions: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const workflow = await Deno.readTextFile(new URL(name, folder));
    actions.push(...[...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action!));
  }
  assert.ok(actions.length > 5);
  assert.deepEqual(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action)), []);
});
