// /_mail: the mails of the local platform, as pages for developers and as JSON for tests.
import type { Mail, Mailbox } from "./mailbox.ts";

const STYLE = "body{font:16px/1.5 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}" +
  "td{padding:.2rem 1rem .2rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere}";

/** Without CORS headers: mails hold codes, which pages of other origins must not read. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** `GET /_mail?to=<address>` and `GET /_mail/<number>`; JSON when the request asks for it. */
export function mailPage(mailbox: Mailbox, request: Request, url: URL): Response {
  if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
  const wantsJson = request.headers.get("accept")?.includes("application/json") ?? false;
  const [, number] = url.pathname.match(/^\/_mail\/(\d+)$/) ?? [];
  if (number !== undefined) {
    const mail = mailbox.find(Number(number));
    if (mail === undefined) return html(404, "No such mail", "<p>Only the last 200 mails are kept.</p>");
    return wantsJson ? json(mail) : html(200, mail.subject, one(mail));
  }
  if (!/^\/_mail\/?$/.test(url.pathname)) return html(404, "No such page", "");
  const mails = mailbox.list(url.searchParams.get("to") ?? undefined);
  return wantsJson ? json(mails) : html(200, "Mails", list(mails));
}

function list(mails: readonly Mail[]): string {
  if (mails.length === 0) return "<p>No mail yet. Mails of the auth server appear here.</p>";
  const rows = mails.map(({ id, sentAt, to, subject }) =>
    `<tr><td>${time(sentAt)}</td><td>${escaped(to)}</td><td><a href="/_mail/${id}">${escaped(subject)}</a></td></tr>`
  );
  return `<table>${rows.join("")}</table>`;
}

function one({ sentAt, to, body, link, code }: Mail): string {
  return `<p><a href="/_mail">All mails</a></p><p>To ${escaped(to)}, ${time(sentAt)}</p><pre>${escaped(body)}</pre>` +
    (link === undefined ? "" : `<p><a href="${escaped(link)}">Follow the link</a></p>`) +
    (code === undefined ? "" : `<p>Code: <strong>${escaped(code)}</strong></p>`);
}

function html(status: number, title: string, content: string): Response {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>` +
    `<style>${STYLE}</style></head><body><h1>${escaped(title)}</h1>${content}</body></html>`;
  return new Response(page, { status, headers: HEADERS });
}

function json(value: unknown): Response {
  return Response.json(value, { headers: { "cache-control": "no-store" } });
}

function time(date: Date): string {
  return date.toISOString().slice(0, 19).replace("T", " ");
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
