// Builds the documentation into a folder for any static host (`deno task docs`): the pages of docs/README.md, the
// reference of the contract, and the search over both. The local platform serves the same at /docs/.
//
//   deno task docs [--api https://<project>.supabase.co] [--out <folder>]
//
// The local platform builds with --sample-people: the reference then offers their tokens.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import MiniSearch from "minisearch";
import JAPANESE_WORDS from "./japanese_words.json" with { type: "json" };
import { escaped, layout, REFERENCE } from "./layout.ts";
import { markdownOf, type Page, render } from "./markdown.ts";
import {
  addressOf,
  between,
  DOCUMENTS,
  type Group,
  INDEX,
  linked,
  markdownAddressOf,
  navigationOf,
  readPages,
} from "./pages.ts";
import { hashNames } from "../hashed_names.ts";
import { replaceFolder } from "../replace_folder.ts";
import { scalarBundle } from "./scalar.ts";
import { completeContract } from "../../supabase/functions/openapi/contract.ts";
import { type Found, OPTIONS } from "./search_index.ts";

const SITE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(SITE, "..", "..");

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
}

export interface SiteOptions {
  /** The service that the reference sends requests to; empty for that of the site. */
  readonly api?: string;
  /** Whether the service is a local platform, which has sample people with a known password. */
  readonly hasSamplePeople?: boolean;
}

/** Writes the site to a folder and removes what was there, unless it is there already. */
export function build(folder: string, { api = "", hasSamplePeople = false }: SiteOptions = {}): Promise<void> {
  return replaceFolder(folder, (next) => writeSite(next, { api, hasSamplePeople }));
}

async function writeSite(folder: string, { api, hasSamplePeople }: Required<SiteOptions>): Promise<void> {
  const write = async (address: string, text: string) => {
    await Deno.mkdir(dirname(join(folder, address)), { recursive: true });
    await Deno.writeTextFile(join(folder, address), text);
  };
  const pages = await readPages(ROOT);
  const groups = navigationOf(pages.get(INDEX)!);
  const contract = completeContract();
  for (const [file, page] of pages) {
    await write(addressOf(file), pageOf(file, page, pages, groups));
    await write(markdownAddressOf(file), markdownOf(page, resolverOf(file, pages, markdownAddressOf)));
  }
  await write("llms.txt", llmsText(contract.info, groups));
  await write(REFERENCE, reference(contract.info.title, groups, api, hasSamplePeople));
  await write("search.json", JSON.stringify(searchIndex([...sections(pages), ...operations(contract.paths)])));
  await write("complete.json", JSON.stringify(contract));
  for (const file of DOCUMENTS) await write(file, await Deno.readTextFile(join(ROOT, file)));
  for (const file of ["frame.css", "style.css", "reference.css"]) {
    await write(file, await Deno.readTextFile(join(SITE, file)));
  }
  await write("icon.svg", await Deno.readTextFile(join(ROOT, "apps", "web", "icon.svg")));
  await write("scalar.js", await scalarBundle(join(ROOT, ".local", "packages")));
  await bundle(folder, ["search.ts", "reference.ts", ...hasSamplePeople ? ["sample_people.ts"] : []]);
  await hashNames(folder);
}

/** What a link of a page leads to on the site, where pages have the addresses of `addressOf`. */
function resolverOf(from: string, pages: ReadonlyMap<string, Page>, addressOf: (file: string) => string) {
  return (href: string) => {
    const target = linked(from, href);
    if (target === undefined) return href;
    if (target.file === from && target.anchor !== "") return target.anchor;
    if (!pages.has(target.file) && !DOCUMENTS.includes(target.file)) return undefined;
    return between(addressOf(from), addressOf(target.file)) + target.anchor;
  };
}

/** The pages for programs that read text: https://llmstxt.org. */
function llmsText({ title, description }: { title: string; description: string }, groups: readonly Group[]): string {
  const [summary] = description.split("\n\n");
  const sections = groups.map(({ title, entries }) => {
    const lines = entries.map(({ title, file, anchor, answers }) =>
      `- [${title}](${markdownAddressOf(file)}${anchor}): ${answers}`
    );
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return [`# ${title}\n`, `> ${summary}\n`, "Every page of this site is also there as Markdown.\n", ...sections].join(
    "\n",
  );
}

function pageOf(file: string, page: Page, pages: ReadonlyMap<string, Page>, groups: readonly Group[]): string {
  const address = addressOf(file);
  const html = render(page, resolverOf(file, pages, addressOf));
  const content = `<main id="content" tabindex="-1">\n${html}</main>`;
  return layout({ address, title: page.title, groups, content, api: "", hasSamplePeople: false });
}

function reference(title: string, groups: readonly Group[], api: string, hasSamplePeople: boolean): string {
  const content = `<div id="content" tabindex="-1" data-api="${escaped(api)}"></div>`;
  return layout({ address: REFERENCE, title: `API reference of the ${title}`, groups, content, api, hasSamplePeople });
}

/** The Japanese words for a section, by its address, or for an operation, by its id. */
function japaneseWords(key: string): string {
  return (JAPANESE_WORDS as Record<string, string>)[key] ?? "";
}

function* sections(pages: ReadonlyMap<string, Page>): Generator<Found> {
  for (const [file, page] of pages) {
    for (const { level, title, anchor, text } of page.sections) {
      const id = addressOf(file) + (level === 1 ? "" : `#${anchor}`);
      yield { id, page: page.title, title, text, japanese: japaneseWords(id) };
    }
  }
}

function* operations(paths: Record<string, Record<string, Operation>>): Generator<Found> {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, tags, summary, description = "" }] of Object.entries(methods)) {
      yield {
        id: `${REFERENCE}#tag/${tags[0]}/${operationId}`,
        page: "API reference",
        title: `${method.toUpperCase()} ${path}: ${summary}`,
        text: `${operationId} ${description}`,
        japanese: japaneseWords(operationId),
      };
    }
  }
}

function searchIndex(found: readonly Found[]): MiniSearch<Found> {
  const index = new MiniSearch(OPTIONS);
  index.addAll(found);
  return index;
}

/** Bundles the scripts of the pages. */
async function bundle(folder: string, names: readonly string[]): Promise<void> {
  const scripts = names.map((name) => join(SITE, "browser", name));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      `--config=${join(SITE, "deno.json")}`,
      "--platform=browser",
      "--minify",
      `--outdir=${folder}`,
      ...scripts,
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`The scripts of the site could not be bundled:\n${new TextDecoder().decode(stderr)}`);
}

if (import.meta.main) {
  const { values: { api, out, "sample-people": hasSamplePeople } } = parseArgs({
    options: {
      api: { type: "string", default: "" },
      out: { type: "string", default: join(SITE, "dist") },
      "sample-people": { type: "boolean", default: false },
    },
  });
  await build(out, { api, hasSamplePeople });
  console.log(`wrote ${out}`);
}
