// The site that `deno task docs` writes: every page, links that lead somewhere, and nothing from another host.
import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";
import MiniSearch from "minisearch";
import { build } from "../../apps/site/build.ts";
import { addressOf } from "../../apps/site/pages.ts";
import JAPANESE_WORDS from "../../apps/site/japanese_words.json" with { type: "json" };
import { find, type Found, OPTIONS } from "../../apps/site/search_index.ts";
import { codes } from "../../supabase/functions/_shared/errors.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const folder = await Deno.makeTempDir();
const api = "https://project.supabase.test";
await build(join(folder, "site"), { api });
const files = new Map<string, string>();
for (const path of filesUnder(join(folder, "site"))) {
  files.set(path.slice(folder.length + "/site/".length), Deno.readTextFileSync(path));
}
await Deno.remove(folder, { recursive: true });
const pages = [...files].filter(([address]) => address.endsWith(".html"));

function filesUnder(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesUnder(join(folder, name)) : [join(folder, name)]
  );
}

const unescaped = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<[^>]*\\s${name}="([^"]*)"`, "g"))].map(([, value]) => unescaped(value!));
const anchors = new Map(pages.map(([address, html]) => [address, new Set(attributes(html, "id"))]));

/** Whether an address of the site, with its anchor, exists. */
function exists(address: string): boolean {
  const [path, anchor] = address.split("#") as [string, string?];
  if (anchor === undefined) return files.has(path);
  if (path !== "reference.html") return anchors.get(path)?.has(anchor) === true;
  return anchor === "content" || operations.has(anchor);
}

const contract = JSON.parse(files.get("contract/openapi.json")!) as {
  paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
};
const operations = new Set(
  Object.values(contract.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, tags }) => `tag/${tags[0]}/${operationId}`)
  ),
);

Deno.test("site: every page of docs/README.md is built, and the navigation of every page leads to it", () => {
  const listed = [...Deno.readTextFileSync(join(ROOT, "docs/README.md")).matchAll(/^\| \[([^\]]+)\]\(([^)#]+\.md)/gm)]
    .map(([, title, path]) => ({ title: title!, address: addressOf(normalize(join("docs", path!))) }));
  assert.ok(listed.length > 50, `${listed.length} pages`);
  assert.deepEqual(listed.filter(({ address }) => !files.has(address)), []);
  for (const [address, html] of pages.filter(([address]) => address !== "reference.html")) {
    const navigation = /<nav[\s\S]*<\/nav>/.exec(html)![0];
    const linked = new Set(
      attributes(navigation, "href").map((href) => normalize(join(dirname(address), href.split("#")[0]!))),
    );
    assert.deepEqual(listed.filter((page) => !linked.has(page.address) && page.address !== address), [], address);
  }
});

/** The text of a file whose name has the hash of its content. */
function hashed(name: string, extension: string): string {
  const found = [...files].filter(([address]) => new RegExp(`^${name}-[0-9a-f]{8}\\.${extension}$`).test(address));
  assert.equal(found.length, 1, name);
  return found[0]![1];
}

Deno.test("site: the navigation names the guides of app developers", () => {
  const names = [...files.get("index.html")!.matchAll(/<li><a [^>]*>([^<]*)<\/a>/g)].map(([, name]) => name);
  const expected = [
    "Getting started",
    "Authentication",
    "Errors",
    "Idempotency",
    "Pagination",
    "Rate limits",
    "Realtime",
    "Uploads",
    "Typed client",
    "Changelog",
    "Deployment",
  ];
  assert.deepEqual(expected.filter((name) => !names.includes(name)), []);
});

Deno.test("site: every link and every anchor leads to a page, a heading or an operation of the site", () => {
  const broken = pages.flatMap(([address, html]) =>
    [...attributes(html, "href"), ...attributes(html, "src")]
      .filter((href) => !/^(https?|mailto):/.test(href))
      .filter((href) => !exists(href.startsWith("#") ? address + href : normalize(join(dirname(address), href))))
      .map((href) => `${address}: ${href}`)
  );
  assert.deepEqual(broken, []);
  assert.ok(pages.length > 50 && attributes(files.get("clients/mobile.html")!, "href").length > 50);
});

/** The links of a text in Markdown, without those in code. */
const markdownLinks = (text: string) =>
  [...text.replaceAll(/^(`{3,})[^]*?^\1$|(`+)[^`][^]*?\2/gm, "").matchAll(/\]\(([^()\s]+)\)/g)].map(([, href]) =>
    href!
  );

Deno.test("site: every page is there as Markdown too, whose links lead to pages and anchors as Markdown", () => {
  const texts = [...files].filter(([address]) => /\.(md|txt)$/.test(address));
  const asMarkdown = pages.map(([address]) => address.replace(/html$/, "md")).filter((name) => name !== "reference.md");
  assert.deepEqual(texts.map(([address]) => address).toSorted(), [...asMarkdown, "llms.txt"].toSorted());
  for (const [address, html] of pages.filter(([address]) => address !== "reference.html")) {
    const [alternate] = /<link rel="alternate" type="text\/markdown" href="([^"]*)">/.exec(html)!.slice(1);
    assert.equal(normalize(join(dirname(address), alternate!)), address.replace(/html$/, "md"));
  }
  const broken = texts.flatMap(([address, text]) =>
    markdownLinks(text).filter((href) => !/^(https?|mailto):/.test(href))
      .filter((href) => {
        const [path, anchor] = (href.startsWith("#") ? address + href : normalize(join(dirname(address), href))).split(
          "#",
        );
        if (!files.has(path!)) return true;
        return anchor !== undefined && !exists(`${path!.replace(/md$/, "html")}#${anchor}`);
      })
      .map((href) => `${address}: ${href}`)
  );
  assert.deepEqual(broken, []);
  assert.ok(markdownLinks(files.get("clients/mobile.md")!).length > 10);
});

Deno.test("site: llms.txt has the name of the service, its purpose, and each page of the navigation with what it answers", () => {
  const text = files.get("llms.txt")!;
  assert.match(text, /^# Parking lot service\n\n> \S/);
  const listed = new Set(markdownLinks(text));
  const index = markdownLinks(files.get("index.md")!.split("\n").filter((line) => line.startsWith("| [")).join("\n"));
  assert.ok(index.length > 50);
  assert.deepEqual(index.filter((href) => !listed.has(href)), []);
  for (const line of text.split("\n").filter((line) => line.startsWith("- "))) {
    assert.match(line, /^- \[[^\]]+\]\(\S+\): \S/);
  }
});

Deno.test("site: nothing that a page loads is absolute or of another host, and no script or style is inline", () => {
  for (const [address, html] of pages) {
    const loaded = [...html.matchAll(/<(?:link|script|img|iframe|source)\b[^>]*\s(?:href|src)="([^"]*)"/g)]
      .map(([, value]) => value!);
    assert.ok(loaded.length >= 3, address);
    assert.deepEqual(loaded.filter((path) => !/^(\.\.\/)*\w[\w./-]*$/.test(path)), [], address);
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|<style|<[^>]*\s(style|on\w+)="/, address);
  }
  for (const name of ["frame", "style", "reference"]) {
    assert.doesNotMatch(hashed(name, "css"), /@import|url\(/, name);
  }
});

Deno.test("site: every page has its policy; only the reference allows inline styles and requests to the service", () => {
  for (const [address, html] of pages) {
    const policy = unescaped(/http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!);
    assert.match(policy, /default-src 'none'; script-src 'self'; /);
    const isReference = address === "reference.html";
    assert.equal(policy.includes("style-src 'self' 'unsafe-inline'"), isReference, address);
    assert.equal(policy.includes(`connect-src 'self' ${api}`), isReference, address);
  }
  assert.ok(attributes(files.get("reference.html")!, "data-api").includes(api));
});

Deno.test("site: a rule of the reference's frame is about the frame alone", () => {
  const loaded = attributes(files.get("reference.html")!, "href").filter((href) => href.endsWith(".css"));
  assert.deepEqual(loaded.map((href) => href.replace(/-\w{8}\./, ".")), ["frame.css", "reference.css"]);
  const rules = hashed("frame", "css").replaceAll(/\/\*[\s\S]*?\*\/|@media[^{]*\{/g, "")
    .matchAll(/([^{}]+)\{[^{}]*\}/g);
  const selectors = [...rules].flatMap(([, some]) => some!.trim().split(/,\s*(?![^(]*\))/));
  assert.ok(selectors.length > 20);
  const foreign = selectors.filter((one) => !/^(\.top|\.skip|:is\(\.skip, \.top \*\))(?![\w-])/.test(one));
  assert.deepEqual(foreign.filter((one) => ![":root", "body"].includes(one)), []);
});

Deno.test("site: only a build for a local platform offers the tokens of sample people", async () => {
  const people = /sample_people|id="person"/;
  for (const [address, text] of files) if (/\.(html|js)$/.test(address)) assert.doesNotMatch(text, people, address);
  const local = await Deno.makeTempDir();
  try {
    await build(join(local, "site"), { hasSamplePeople: true });
    assert.match(await Deno.readTextFile(join(local, "site", "reference.html")), people);
    const scripts = [...Deno.readDirSync(join(local, "site"))].map(({ name }) => name);
    assert.ok(scripts.some((name) => /^sample_people-[0-9a-f]{8}\.js$/.test(name)), scripts.join(" "));
  } finally {
    await Deno.remove(local, { recursive: true });
  }
});

Deno.test("site: every error code has a section, where its doc_url leads on the local platform", () => {
  assert.deepEqual(codes.filter((code) => !exists(`clients/errors.html#${code}`)), []);
});

Deno.test("site: the search finds sections and every operation, and each result exists", () => {
  const index = MiniSearch.loadJSON<Found>(files.get("search.json")!, OPTIONS);
  const ids = Object.values(JSON.parse(files.get("search.json")!).documentIds) as string[];
  assert.deepEqual(ids.filter((id) => !exists(id)), []);
  assert.deepEqual([...operations].filter((operation) => !ids.includes(`reference.html#${operation}`)), []);
  const first = (query: string) => index.search(query)[0]?.id;
  assert.equal(first("idempotency"), "clients/requests.html#idempotency");
  assert.equal(first("rate_limited"), "clients/errors.html#rate_limited");
  assert.equal(first("calculateFee"), "reference.html#tag/parking-lots/calculateFee");
});

Deno.test("site: every Japanese word of the data file leads to its page first or nearly so, and every page has words", () => {
  const index = MiniSearch.loadJSON<Found>(files.get("search.json")!, OPTIONS);
  const addresses = new Map(
    [...operations].map((operation) => [operation.split("/").at(-1)!, `reference.html#${operation}`] as const),
  );
  const pagesOf = new Map<string, string[]>();
  for (const [key, words] of Object.entries(JAPANESE_WORDS)) {
    const address = addresses.get(key) ?? key;
    assert.ok(exists(address), key);
    for (const word of words.split(" ")) pagesOf.set(word, [...pagesOf.get(word) ?? [], address]);
  }
  for (const [word, expected] of pagesOf) {
    const found = find(index, word).slice(0, 10).map(({ id }) => id);
    assert.ok(expected.some((address) => found.slice(0, 3).includes(address)), `${word}: ${found}`);
  }
  for (
    const [word, address] of [["料金", "domains/fees.html"], ["駐車", "domains/sessions.html"], [
      "認証",
      "clients/authentication.html",
    ]]
  ) {
    assert.ok(find(index, word!).slice(0, 3).some(({ id }) => id === address), word!);
  }
  // A part of a compound, and a compound of which no page has the whole.
  assert.ok(find(index, "駐車料金の計算").slice(0, 3).some(({ id }) => id === "domains/fees.html"));
  assert.deepEqual(find(index, "ほげほげ"), []);
  const without = pages.map(([address]) => address).filter((address) =>
    address !== "reference.html" && !(address in JAPANESE_WORDS)
  );
  assert.deepEqual(without, []);
});
