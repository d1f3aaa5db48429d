/** Markdown as elements of the page. Markup in it stays text, and it brings no picture of another machine. */
import type { ComponentChildren } from "preact";
import MarkdownIt, { type Token } from "markdown-it";

const markdown = new MarkdownIt({ html: false, linkify: false }).disable("image");

/** Headings begin below that of the article. */
const TAGS: Readonly<Record<string, string>> = { h1: "h3", h2: "h3", h3: "h4", h4: "h5", h5: "h6", h6: "h6" };
/** What a text can be made of. */
const KNOWN = /^(p|h[1-6]|ul|ol|li|blockquote|em|strong|s|table|thead|tbody|tr|th|td|a)$/;

export function Markdown({ source }: { source: string }) {
  return <>{elementsOf(markdown.parse(source, {}))}</>;
}

/** The elements of tokens: one that opens has all until the one that closes it. */
function elementsOf(tokens: readonly Token[]): ComponentChildren[] {
  const open: { readonly token: Token | undefined; readonly children: ComponentChildren[] }[] = [
    { token: undefined, children: [] },
  ];
  for (const token of tokens) {
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === 0) open.at(-1)!.children.push(leafOf(token));
    else {
      const { token: opened, children } = open.pop()!;
      open.at(-1)!.children.push(elementOf(opened!, children));
    }
  }
  return open[0]!.children;
}

function elementOf(token: Token, children: ComponentChildren[]): ComponentChildren {
  if (token.hidden || !KNOWN.test(token.tag)) return children;
  if (token.tag === "a") {
    // markdown-it makes no link of an address with a script.
    return <a href={String(token.attrGet("href"))} target="_blank" rel="noopener noreferrer">{children}</a>;
  }
  // One of the elements that have children only.
  const Element = (TAGS[token.tag] ?? token.tag) as "p";
  return <Element>{children}</Element>;
}

function leafOf({ type, content, children }: Token): ComponentChildren {
  if (type === "inline") return elementsOf(children ?? []);
  if (type === "hardbreak") return <br />;
  if (type === "softbreak") return "\n";
  if (type === "hr") return <hr />;
  if (type === "code_inline") return <code>{content}</code>;
  if (type === "fence" || type === "code_block") {
    return (
      <pre>
        <code>{content}</code>
      </pre>
    );
  }
  return content;
}
