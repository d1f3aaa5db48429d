// Names of files that change with their content, so that browsers and caches keep them without asking.
import { createHash } from "node:crypto";
import { extname, join } from "node:path";

/** A file with eight characters of its hash in the name, from here, from the bundler or from a build. */
const HASHED = /-[0-9a-zA-Z]{8}\.(js|css|json|geojson|pbf|pmtiles)$/;

/** A script or style sheet in the folder, as a page refers to it. */
const REFERENCE = /((?:src|href)="(?:\.\.\/)*)([\w-]+\.(?:js|css))"/g;

export function isHashed(name: string): boolean {
  return HASHED.test(name);
}

/** Renames the scripts and style sheets that the pages of a folder load, also in the pages. */
export async function hashNames(folder: string): Promise<void> {
  const pages = await pagesBelow(folder);
  const texts = await Promise.all(pages.map((page) => Deno.readTextFile(page)));
  const names = new Set(texts.flatMap((text) => [...text.matchAll(REFERENCE)].map(([, , name]) => name!)));
  const hashed = new Map<string, string>();
  for (const name of names) {
    if (isHashed(name)) {
      hashed.set(name, name);
      continue;
    }
    const hash = createHash("sha256").update(await Deno.readFile(join(folder, name))).digest("hex").slice(0, 8);
    const extension = extname(name);
    hashed.set(name, `${name.slice(0, -extension.length)}-${hash}${extension}`);
    await Deno.rename(join(folder, name), join(folder, hashed.get(name)!));
  }
  for (const [index, page] of pages.entries()) {
    const named = texts[index]!.replaceAll(
      REFERENCE,
      (_, start: string, name: string) => `${start}${hashed.get(name)}"`,
    );
    await Deno.writeTextFile(page, named);
  }
}

async function pagesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) found.push(...await pagesBelow(join(folder, name)));
    else if (name.endsWith(".html")) found.push(join(folder, name));
  }
  return found;
}
