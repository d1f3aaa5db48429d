/** The frame of a page: header with search, navigation, content. */
import { addressOf, between, type Group } from "./pages.ts";
import { contentSecurityPolicy } from "./security_policy.ts";

export const REFERENCE = "reference.html";
const NAME = "Parking lot service";

export interface Frame {
  readonly address: string;
  readonly title: string;
  readonly groups: readonly Group[];
  readonly content: string;
  /** The address of the service for requests of the reference; empty for that of the site. */
  readonly api: string;
  /** Whether the reference offers the tokens of the sample people, whom only a local platform has. */
  readonly hasSamplePeople: boolean;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export function layout({ address, title, groups, content, api, hasSamplePeople }: Frame): string {
  const to = (target: string) => escaped(between(address, target));
  const isReference = address === REFERENCE;
  const current = (target: string) => target === address ? ' aria-current="page"' : "";
  const scripts = [
    `<script type="module" src="${to("search.js")}"></script>`,
    ...isReference
      ? [
        `<script src="${to("scalar.js")}" defer></script>`,
        `<script type="module" src="${to("reference.js")}"></script>`,
        ...hasSamplePeople ? [`<script type="module" src="${to("sample_people.js")}"></script>`] : [],
      ]
      : [],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(contentSecurityPolicy(address, api))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)} · ${NAME}</title>
<link rel="icon" href="${to("icon.svg")}">
${isReference ? "" : `<link rel="alternate" type="text/markdown" href="${to(address.replace(/html$/, "md"))}">`}
<link rel="stylesheet" href="${to("frame.css")}">
<link rel="stylesheet" href="${to(isReference ? "reference.css" : "style.css")}">
${scripts.join("\n")}
</head>
<body${isReference ? ' class="reference"' : ""}>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="name" href="${to("index.html")}">Documentation</a>
${isReference ? "" : `<button type="button" popovertarget="pages">Pages</button>`}
<a href="${to(REFERENCE)}"${current(REFERENCE)}>API reference</a>
${
    isReference && hasSamplePeople
      ? `<select id="person" aria-label="Token of a sample person" hidden><option value="">No token</option></select>`
      : ""
  }
<search hidden>
<label for="words">Search</label>
<input id="words" type="search" autocomplete="off" spellcheck="false" aria-describedby="count">
<p id="count" role="status"></p>
<ul id="results" hidden></ul>
</search>
</header>
${isReference ? "" : navigation(groups, address, to, current)}
${content}
</body>
</html>
`;
}

function navigation(
  groups: readonly Group[],
  address: string,
  to: (target: string) => string,
  current: (target: string) => string,
): string {
  const items = groups.map(({ title, entries }) => {
    const links = entries.map((entry) => {
      const target = addressOf(entry.file);
      const href = target === address && entry.anchor !== ""
        ? escaped(entry.anchor)
        : to(target) + escaped(entry.anchor);
      return `<li><a href="${href}"${entry.anchor === "" ? current(target) : ""}>${escaped(entry.title)}</a></li>`;
    });
    return `<h2>${escaped(title)}</h2>\n<ul>\n${links.join("\n")}\n</ul>`;
  });
  return `<nav id="pages" popover aria-label="Pages">\n${items.join("\n")}\n</nav>`;
}
