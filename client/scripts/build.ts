/**
 * Builds the package: one module and one declaration for each source file, and `<parking-map>` as one file for pages that
 * bundle nothing (`deno task client`).
 */
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { apiTypes } from "./types.ts";

const SOURCES = new URL("../src/", import.meta.url);
const DIST = new URL("../dist/", import.meta.url);

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  isolatedDeclarations: true,
  declaration: true,
  rewriteRelativeImportExtensions: true,
};

/** Writes the package's files to a folder, which is emptied first. */
export async function build(folder: URL = DIST): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  for await (const { name } of Deno.readDir(SOURCES)) {
    const isApi = name === "api.ts";
    const source = isApi ? await apiTypes({ descriptions: true }) : await Deno.readTextFile(new URL(name, SOURCES));
    const declaration = ts.transpileDeclaration(source, { fileName: name, compilerOptions, reportDiagnostics: true });
    for (const { messageText } of declaration.diagnostics ?? []) {
      throw new Error(`${name}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
    }
    const module = name.replace(/\.ts$/, ".js");
    const types = declaration.outputText.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"');
    await Deno.writeTextFile(new URL(name.replace(/\.ts$/, ".d.ts"), folder), types);
    if (isApi) continue;
    const { outputText } = ts.transpileModule(source, { fileName: name, compilerOptions });
    await Deno.writeTextFile(new URL(module, folder), outputText);
  }
  await bundleMap(fileURLToPath(new URL("parking-map.min.js", folder)));
}

/** Writes `<parking-map>` with all that it imports. The map library is not in it. */
async function bundleMap(file: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      `--config=${fileURLToPath(new URL("../deno.json", import.meta.url))}`,
      "--platform=browser",
      "--minify",
      `--output=${file}`,
      fileURLToPath(new URL("parking_map.ts", SOURCES)),
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`parking-map.min.js: ${new TextDecoder().decode(stderr)}`);
}

if (import.meta.main) {
  await build();
  console.log("wrote client/dist");
}
