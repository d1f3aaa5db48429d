/** Packs the client as npm does, and checks what a user of the package gets. */
import { join } from "node:path";
import ts from "typescript";
import { folderOf } from "../packages/installed.ts";
import { Refusal } from "./rules.ts";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** How editors and bundlers of the package's users find its types. */
const RESOLUTIONS: Readonly<Record<string, ts.CompilerOptions>> = {
  node16: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
};

const PROGRAM = `import { createParkingClient } from "parking-lot-client";
const client = createParkingClient({ url: "http://127.0.0.1:54321" });
const { data } = await client.GET("/v1/parking-lots/{id}", { params: { path: { id: "" } } });
export const name: string | null = data.name;
// @ts-expect-error there is no such field: the types are read
export const missing = data.colour;
`;

/** Packs a built package into a folder. Returns the path of the tarball; throws a `Refusal` if its content is wrong. */
export async function pack(source: string, destination: string): Promise<string> {
  await Deno.mkdir(destination, { recursive: true });
  const { success, stdout, stderr } = await new Deno.Command("npm", {
    args: ["pack", "--json", "--ignore-scripts", `--pack-destination=${destination}`],
    cwd: source,
  }).output();
  if (!success) throw new Refusal(`npm pack failed:\n${new TextDecoder().decode(stderr)}`);
  const [packed] = JSON.parse(new TextDecoder().decode(stdout)) as Packed[];
  const files = packed!.files.map(({ path }) => path).sort();
  const problems = [...await fileProblems(source, files), ...await typeProblems(source, files)];
  if (problems.length > 0) throw new Refusal(`The package of the client is wrong:\n  ${problems.join("\n  ")}`);
  return join(destination, packed!.filename);
}

/** What is missing, and what no user of the package can run. */
export async function fileProblems(source: string, files: readonly string[]): Promise<string[]> {
  const missing = ["package.json", "README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"].filter((name) =>
    !files.includes(name)
  );
  const foreign = files.filter((name) =>
    !/^(package\.json|README\.md|LICENSE|dist\/(\w+(\.d\.ts|\.js)|[\w-]+\.min\.js))$/.test(name)
  );
  const problems = [
    ...missing.map((name) => `${name} is missing`),
    ...foreign.map((name) => `${name} does not belong there`),
  ];
  for (const name of files.filter((name) => name.endsWith(".js"))) {
    if (/\bDeno\b|["']node:|\.ts["']/.test(await Deno.readTextFile(join(source, name)))) {
      problems.push(`${name} needs Deno or Node`);
    }
  }
  const { license, dependencies = {} } = JSON.parse(await Deno.readTextFile(join(source, "package.json")));
  if (typeof license !== "string") problems.push("package.json has no license");
  for (const [name, version] of Object.entries(dependencies)) {
    if (!/^\d/.test(String(version))) problems.push(`package.json: ${name} has no exact version`);
  }
  return problems;
}

/** The errors of a program that uses the packed files, in each way of resolving modules. */
export async function typeProblems(source: string, files: readonly string[]): Promise<string[]> {
  const folder = await Deno.makeTempDir();
  try {
    const own = join(folder, "node_modules", "parking-lot-client");
    for (const name of files) {
      await Deno.mkdir(join(own, name, ".."), { recursive: true });
      await Deno.copyFile(join(source, name), join(own, name));
    }
    const library = await folderOf("openapi-fetch", import.meta.resolve("openapi-fetch"));
    await Deno.symlink(library, join(folder, "node_modules", "openapi-fetch"));
    await Deno.writeTextFile(join(folder, "package.json"), '{ "type": "module" }');
    const program = join(folder, "main.ts");
    await Deno.writeTextFile(program, PROGRAM);
    const libraries = new Map<string, ts.SourceFile | undefined>();
    return Object.entries(RESOLUTIONS).flatMap(([name, resolution]) => {
      const options: ts.CompilerOptions = {
        ...resolution,
        target: ts.ScriptTarget.ES2022,
        lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts"],
        strict: true,
        skipDefaultLibCheck: true, // the package's own declarations are checked
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        types: [],
        noEmit: true,
      };
      const host = withLibraries(ts.createCompilerHost(options), libraries);
      return ts.getPreEmitDiagnostics(ts.createProgram([program], options, host)).map(({ file, messageText }) =>
        `${name}: ${file?.fileName.replace(`${folder}/`, "") ?? ""} ${
          ts.flattenDiagnosticMessageText(messageText, " ")
        }`
      );
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** TypeScript's own declarations are the same for all programs, so each is read once. */
function withLibraries(host: ts.CompilerHost, read: Map<string, ts.SourceFile | undefined>): ts.CompilerHost {
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...options) => {
    if (!/\/lib\.[\w.]+\.d\.ts$/.test(name)) return getSourceFile(name, ...options);
    if (!read.has(name)) read.set(name, getSourceFile(name, ...options));
    return read.get(name);
  };
  return host;
}
