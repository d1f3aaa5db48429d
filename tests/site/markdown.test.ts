// apps/site/markdown.ts: Markdown becomes HTML with GitHub's anchors, and nothing of a page is executed.
import assert from "node:assert/strict";
import { parse, render } from "../../apps/site/markdown.ts";

const html = (text: string) => render(parse(text), (href) => href.startsWith("gone") ? undefined : href);

Deno.test("markdown: HTML in a page is shown as text, and comments of generators are left out", () => {
  const page = "<script>alert(1)</script>\n\nA <img src=x onerror=alert(1)> and `<b>`.\n\n<!-- routes -->\n\nEnd";
  assert.equal(
    html(page),
    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n" +
      "<p>A &lt;img src=x onerror=alert(1)&gt; and <code>&lt;b&gt;</code>.</p>\n<p>End</p>\n",
  );
});

Deno.test("markdown: a link with a script is no link", () => {
  assert.equal(html("[x](javascript:alert(1))"), "<p>[x](javascript:alert(1))</p>\n");
});

Deno.test("markdown: headings have the anchors of GitHub, repeated ones a number", () => {
  const { sections } = parse(
    "# `task dev`: ports & keys\n\n## Add an *endpoint*\n\nText\n\n## rate_limited\n\n## Text\n\n## Text\n",
  );
  assert.deepEqual(sections.map(({ anchor }) => anchor), [
    "task-dev-ports--keys",
    "add-an-endpoint",
    "rate_limited",
    "text",
    "text-1",
  ]);
  assert.deepEqual(sections.map(({ title, text }) => [title, text]).slice(0, 2), [
    ["task dev: ports & keys", ""],
    ["Add an endpoint", "Text"],
  ]);
});

Deno.test("markdown: a link without a page on the site is its text", () => {
  assert.equal(
    html("[`a`](gone.ts) and [b](b.html#c)"),
    '<p><span><code>a</code></span> and <a href="b.html#c">b</a></p>\n',
  );
});

Deno.test("markdown: tables and code can be scrolled with the keyboard, and have no inline style", () => {
  const text = html("| a | b |\n| --: | - |\n| 1 | 2 |\n\n```sh\nls\n```\n");
  assert.match(text, /<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>/);
  assert.match(text, /<pre tabindex="0"><code class="language-sh">ls\n<\/code><\/pre>/);
  assert.match(text, /<th class="right">a<\/th>/);
  assert.doesNotMatch(text, / style=/);
});
