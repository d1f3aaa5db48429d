// Plain words: finds sentences that are too long and words that another word says better, in pages, the schema, the contract
// and the names of tests.
//
//   deno task prose [files]     prints what it finds; without files in all pages, the schema and openapi.json
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { completeContract } from "../../supabase/functions/openapi/contract.ts";
import { schemaFiles, writtenMigrations } from "../release/schema.ts";
import { DENIED } from "./denied_words.ts";

export const MAX_WORDS = 35;
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Finding {
  /** The line of a page, or the JSON pointer of a text in the contract. */
  readonly place: string;
  readonly message: string;
}

/** A text with the line it begins at: a paragraph, a list item, a heading or a cell. */
interface Block {
  readonly line: number;
  readonly text: string;
}

/** The prose of a Markdown text. Code blocks, comments and the delimiter rows of tables are left out. */
function blocks(markdown: string): Block[] {
  const found: Block[] = [];
  let open: { line: number; lines: string[] } | undefined;
  const close = () => {
    if (open) found.push({ line: open.line, text: open.lines.join(" ") });
    open = undefined;
  };
  const withoutComments = markdown.replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ""));
  let fence: string | undefined;
  for (const [n, line] of withoutComments.split("\n").entries()) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (fence !== undefined || mark !== undefined) {
      close();
      if (fence === undefined) fence = mark;
      else if (fence === mark) fence = undefined;
    } else if (/^\s*\|/.test(line)) {
      close();
      if (!/^[\s|:-]+$/.test(line)) {
        found.push(...line.split(/(?<!\\)\|/).map((text) => ({ line: n + 1, text })));
      }
    } else if (line.trim() === "") close();
    else {
      if (/^\s*([-*+]|\d+\.)\s|^#/.test(line)) close();
      open ??= { line: n + 1, lines: [] };
      open.lines.push(line.replace(/^\s*(>|[-*+]|\d+\.|#+)\s+/, ""));
      if (line.startsWith("#")) close();
    }
  }
  close();
  return found;
}

/** The sentences of a block, without its marks. A piece of code, an address or the text of a link is one or more words. */
function sentences(text: string): string[] {
  const plain = text
    .replaceAll(/(`+)(?:(?!\1).)+\1/g, "X")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<?\bhttps?:\/\/[^\s>)]+>?/g, "X")
    .replaceAll(/\b[\w./-]+\.(md|ts|sql|json|toml|yml)\b/g, "X")
    .replaceAll(/\*\*|__|(?<=\s|^)[*_]|[*_](?=\W|$)/g, "")
    .replaceAll(/\b(e\.g|i\.e|etc|cf|vs)\./g, "$1")
    .replaceAll(/\s+/g, " ");
  return plain.split(/(?<=[.!?]["”’)]?)\s+(?=\S)/).map((sentence) => sentence.trim()).filter((one) => one !== "");
}

function inBlock(text: string): string[] {
  return sentences(text).flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const beginning = sentence.split(/\s+/).slice(0, 8).join(" ");
    return [
      ...(words > MAX_WORDS ? [`a sentence of ${words} words (at most ${MAX_WORDS}): ${beginning} …`] : []),
      ...DENIED.flatMap(({ pattern, instead }) => {
        const [word] = pattern.exec(sentence) ?? [];
        if (word === undefined) return [];
        const visible = word.length > 40 ? `${word.slice(0, 40)} …` : word;
        return [`“${visible}”: write ${instead} (${beginning} …)`];
      }),
    ];
  });
}

/** The findings of a Markdown page. */
export function inMarkdown(page: string): Finding[] {
  return blocks(page).flatMap(({ line, text }) => inBlock(text).map((message) => ({ place: String(line), message })));
}

const TEXTS = new Set(["summary", "description", "message"]);
const SAMPLES = new Set(["value", "example", "default", "const", "enum"]);

/** The findings of an OpenAPI document: every `summary`, `description` and `message`, each text once. */
export function inContract(contract: unknown): Finding[] {
  const seen = new Set<string>();
  const walk = (value: unknown, pointer: string, sample: boolean): Finding[] => {
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([key, inner]) => {
      const place = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (typeof inner !== "string") return walk(inner, place, sample || SAMPLES.has(key));
      // In a sample only the message of an error is ours; other texts are a user's.
      if (!TEXTS.has(key) || (sample && key !== "message") || seen.has(inner)) return [];
      seen.add(inner);
      return inMarkdown(inner).map(({ message }) => ({ place, message }));
    });
  };
  return walk(contract, "", false);
}

/** A text in quotes of SQL: of a comment on an object, or of an error message. */
const TEXT_OF_SQL = /^comment on [^']*?\bis\s+'((?:[^']|'')*)';$|'([A-Z](?:[^'\n]|'')* (?:[^'\n]|'')*\.)'/gm;

/** The name of a new object or job. */
const NAME_IN_SQL =
  /^create (?:or replace )?(?:function|table|view|type|trigger|policy) (?:\w+\.)?(\w+)|cron\.schedule\('(\w+)'/gm;

/** The findings of a file of SQL: its names, comments, the comments on objects, and error messages. Lists of an interface may be long. */
export function inSql(sql: string): Finding[] {
  const lineOf = (index: number) => sql.slice(0, index).split("\n").length;
  const found: Block[] = [];
  for (const { index, 0: block } of sql.matchAll(/(?:^[ \t]*--(?: .*)?\n)+|(?<=\S) -- .*$/gm)) {
    const paragraphs = block.replaceAll(/^[ \t]*-- ?/gm, "").split(/\n(?=\n|[*] |Interface\b|(?:api|POST|GET)[ .])/);
    let line = lineOf(index);
    for (const paragraph of paragraphs) {
      if (!/^\n*Interface\b/.test(paragraph)) found.push({ line, text: paragraph });
      line += paragraph.split("\n").length;
    }
  }
  const code = sql.replaceAll(/--.*$/gm, (comment) => " ".repeat(comment.length));
  for (const { index, 1: comment, 2: message } of code.matchAll(TEXT_OF_SQL)) {
    found.push({ line: lineOf(index), text: (comment ?? message!).replaceAll("''", "'") });
  }
  for (const { index, 1: object, 2: job } of code.matchAll(NAME_IN_SQL)) {
    found.push({ line: lineOf(index), text: (object ?? job!).replaceAll("_", " ") });
  }
  return found.flatMap(({ line, text }) =>
    inBlock(withoutJson(text)).map((message) => ({ place: String(line), message }))
  );
}

const TEST_NAME = /\b(?:Deno\.test(?:\.\w+)?|\.step)\(\s*(?:\{\s*name:\s*)?(["`])((?:(?!\1)[^\\]|\\.)*)\1/g;

/** The findings of a file of tests: their names. */
export function inTests(text: string): Finding[] {
  return [...text.matchAll(TEST_NAME)].flatMap(({ index, 2: name }) =>
    inBlock(name!.replaceAll(/\$\{[^}]*\}/g, "X"))
      .map((message) => ({ place: String(text.slice(0, index).split("\n").length), message }))
  );
}

/** A text whose objects, arrays and lists of error codes are one word each. */
function withoutJson(text: string): string {
  let plain = text.replaceAll(/Errors: [a-z_, ]+\./g, "");
  for (let before = ""; before !== plain;) {
    before = plain;
    plain = plain.replaceAll(/\{[^{}]*\}|\[[^[\]]*\]/g, "X");
  }
  return plain;
}

/** The findings of a file of the repository. */
export function inFile(path: string): Finding[] {
  const text = Deno.readTextFileSync(join(ROOT, path));
  if (path.endsWith(".sql")) return inSql(text);
  if (path.endsWith(".ts")) return inTests(text);
  // With the texts of its overlay, which is not a file.
  if (path === "contract/openapi.json") return inContract(completeContract());
  return path.endsWith(".json") ? inContract(JSON.parse(text)) : inMarkdown(text);
}

function filesUnder(folder: string, ending: string): string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? name === "node_modules" ? [] : filesUnder(`${folder}/${name}`, ending)
      : name.endsWith(ending)
      ? [`${folder}/${name}`]
      : []
  ).sort();
}

/** All files that are held to plain words. */
export function proseFiles(): string[] {
  return [
    ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "client/README.md", "contract/openapi.json"],
    ...filesUnder("docs", ".md"),
    ...filesUnder("tests", ".test.ts"),
    ...schemaFiles().map(({ path }) => `supabase/schemas/${path}`),
    ...writtenMigrations().map(({ path }) => `supabase/migrations/${path}`),
  ];
}

if (import.meta.main) {
  const paths = Deno.args.map((path) => relative(ROOT, join(Deno.cwd(), path)));
  let total = 0;
  for (const path of paths.length > 0 ? paths : proseFiles()) {
    const findings = inFile(path);
    total += findings.length;
    for (const { place, message } of findings) console.log(`${path}:${place}: ${message}`);
  }
  console.log(`${total} found`);
  if (total > 0) Deno.exit(1);
}
