/** Converts a notification to a mail, as text and as equivalent HTML. A pure function. */

export interface Text {
  readonly title: string;
  readonly body: string;
}

const FOOTERS = {
  ja:
    "このメールは、アプリの通知設定でメールがオンになっている方にお送りしています。設定はアプリでいつでも変更できます。",
  en:
    "You receive this e-mail because e-mail is turned on in the app's notification settings. You can change it there.",
};

export function compose(
  { title, body }: Text,
  lang: "ja" | "en",
): { readonly subject: string; readonly text: string; readonly html: string } {
  const footer = FOOTERS[lang];
  const html = [
    `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${escaped(title)}</title></head><body>`,
    `<h1 style="font-size:1.25em">${escaped(title)}</h1>`,
    `<p>${escaped(body).replaceAll("\n", "<br>")}</p>`,
    `<hr><p style="font-size:0.875em">${escaped(footer)}</p></body></html>`,
  ];
  return {
    subject: title.replace(/\s+/g, " ").trim(),
    text: `${title}\n\n${body}\n\n--\n${footer}\n`,
    html: html.join("\n"),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
