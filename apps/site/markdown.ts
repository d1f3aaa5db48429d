/** Markdown of the repository as HTML: anchors as GitHub makes them, links between pages, HTML in the text escaped. */
import { slug } from "github-slugger";
import MarkdownIt, { type Token } from "markdown-it";
import anchor from "markdown-it-anchor";

/** A heading with the text up to the next one. */
export interface Section {
  readonly level: number;
  readonly title: string;
  readonly anchor: string;
  readonly text: string;
}

export interface Page {
  readonly title: string;
  /** The Markdown, without the marks for generators. */
  readonly source: string;
  readonly sections: readonly Section[];
  readonly tokens: readonly Token[];
}

/** The address on the site of what a link of the page leads to. Undefined: the site has no page for it. */
export type Resolve = (href: string) => string | undefined;

const markdown = new MarkdownIt({ html: false })
  .use(anchor, { slugify: (text: string) => slug(text), tabIndex: false });

const { renderer } = markdown;
// Wide tables and lines of code scroll by themselves, also with the keyboard.
renderer.rules["table_open"] = () => '<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>\n';
renderer.rules["table_close"] = () => "</table></div>\n";
// The policy of the pages has no inline styles.
for (const cell of ["th_open", "td_open"]) {
  renderer.rules[cell] = ([...tokens], n, options, _environment, self) => {
    const token = tokens[n]!;
    const style = token.attrGet("style");
    if (style !== null) token.attrs = [["class", String(style).replace("text-align:", "")]];
    return self.renderToken(tokens, n, options);
  };
}
const fence = renderer.rules["fence"]!;
renderer.rules["fence"] = (...args) => fence(...args).replace(/^<pre/, '<pre tabindex="0"');

export function parse(text: string): Page {
  // Comments are marks for generators. They stand on lines of their own.
  const source = text.replaceAll(/^<!--.*-->$/gm, "");
  const tokens = markdown.parse(source, {});
  const sections = sectionsOf(tokens);
  return { title: sections[0]?.title ?? "", source, sections, tokens };
}

export function render({ tokens }: Page, resolve: Resolve): string {
  for (const { type, children } of tokens) {
    if (type !== "inline" || children === null) continue;
    const open: Token[] = [];
    for (const token of children) {
      if (token.type === "link_open") {
        const target = resolve(String(token.attrGet("href")));
        if (target === undefined) [token.tag, token.attrs] = ["span", null];
        else token.attrSet("href", target);
        open.push(token);
      } else if (token.type === "link_close") token.tag = open.pop()!.tag;
    }
  }
  return renderer.render([...tokens], markdown.options, {});
}

/** A link of Markdown, and code, whose brackets are no links. */
const LINK_OR_CODE =
  /^(`{3,}).*\n[^]*?^\1$|(`+)[^`][^]*?\2|(?<!!)\[((?:[^[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^()\s]+)\)/gm;

/** The Markdown of a page with the links of the site. A link to what the site does not have is its text. */
export function markdownOf({ source }: Page, resolve: Resolve): string {
  return source.replace(LINK_OR_CODE, (whole, _fence, _code, text: string | undefined, href: string) => {
    if (text === undefined) return whole;
    const target = resolve(href);
    return target === undefined ? text : `[${text}](${target})`;
  });
}

/** The text of a token of the kind `inline`, as a reader sees it. */
export function textOf({ children, content }: Token): string {
  if (children === null) return content;
  return children.map((child) => /break$/.test(child.type) ? " " : child.content).join("");
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const found: { level: number; title: string; anchor: string; text: string[] }[] = [];
  for (const [n, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const level = Number(token.tag.slice(1));
      found.push({ level, title: textOf(tokens[n + 1]!), anchor: String(token.attrGet("id")), text: [] });
    } else if (token.type === "fence") found.at(-1)?.text.push(token.content);
    else if (token.type === "inline" && tokens[n - 1]?.type !== "heading_open") found.at(-1)?.text.push(textOf(token));
  }
  return found.map((section) => ({ ...section, text: section.text.join("\n") }));
}
