/** The pages of the site: docs/README.md, which is the navigation, and every page that it leads to. */
import { dirname, join, normalize, relative } from "node:path/posix";
import type { Token } from "markdown-it";
import { type Page, parse, textOf } from "./markdown.ts";

export const INDEX = "docs/README.md";
/** Documents of the site that are no pages, for links that lead to them. */
export const DOCUMENTS: readonly string[] = ["contract/openapi.json", "contract/asyncapi.json"];

/** A group of the navigation: a table of the index whose first column is "Page". */
export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly title: string;
  readonly file: string;
  /** With its `#`; empty for the beginning of the page. */
  readonly anchor: string;
  /** What the page answers: the second column. */
  readonly answers: string;
}

/** Reads the index and follows the links from page to page. By file, as the repository has them. */
export async function readPages(root: string): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  const waiting = [INDEX];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (pages.has(file)) continue;
    const page = parse(await Deno.readTextFile(join(root, file)));
    pages.set(file, page);
    for (const href of links(page.tokens)) {
      const target = linked(file, href)?.file;
      if (target?.endsWith(".md")) waiting.push(target);
    }
  }
  return pages;
}

function* links(tokens: readonly Token[]): Generator<string> {
  for (const { children } of tokens) {
    for (const token of children ?? []) if (token.type === "link_open") yield String(token.attrGet("href"));
  }
}

/** The file and the anchor that a link of a page leads to. Undefined for an address of another site. */
export function linked(from: string, href: string): Pick<Entry, "file" | "anchor"> | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return undefined;
  const at = href.indexOf("#");
  const [path, anchor] = at < 0 ? [href, ""] : [href.slice(0, at), href.slice(at)];
  return { file: path === "" ? from : normalize(join(dirname(from), path)), anchor };
}

/** Where the site has a page: without `docs/`, and the README of a folder as its index. */
export function addressOf(file: string): string {
  const path = file.replace(/^docs\//, "").replace(/\.md$/, ".html");
  return file === "README.md" ? path : path.replace(/(^|\/)README\.html$/, "$1index.html");
}

/** Where the site has a file as Markdown, or a document as it is. */
export function markdownAddressOf(file: string): string {
  return addressOf(file).replace(/\.html$/, ".md");
}

/** The link from one address of the site to another. */
export function between(from: string, to: string): string {
  return relative(dirname(from), to);
}

export function navigationOf(index: Page): Group[] {
  const groups: Group[] = [];
  let title = "";
  let entries: Entry[] = [];
  for (const [n, token] of index.tokens.entries()) {
    const inline = index.tokens[n + 1];
    if (token.type === "heading_open") title = textOf(inline!);
    else if (token.type === "thead_open" && textOf(index.tokens[n + 3]!) === "Page") {
      groups.push({ title, entries: entries = [] });
    } else if (token.type === "table_close") entries = [];
    else if (token.type === "tr_open" && groups.at(-1)?.entries === entries) {
      const cell = index.tokens[n + 2];
      const link = cell?.children?.find(({ type }) => type === "link_open");
      const target = link && linked(INDEX, String(link.attrGet("href")));
      if (cell && target) entries.push({ title: textOf(cell), ...target, answers: textOf(index.tokens[n + 5]!) });
    }
  }
  return groups;
}
