// /_mail: the mails of the local platform, as pages for people and as JSON for tests.
import { type Html, html, page, raw } from "../gateway/page.ts";
import type { Mail, Mailbox } from "./mailbox.ts";

/** `GET /_mail?to=<address>` and `GET /_mail/<number>`; JSON when the request asks for it. */
export async function mailPage(mailbox: Mailbox, request: Request, url: URL): Promise<Response> {
  if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
  const wantsJson = request.headers.get("accept")?.includes("application/json") ?? false;
  const [, number] = url.pathname.match(/^\/_mail\/(\d+)$/) ?? [];
  if (number !== undefined) {
    const mail = mailbox.find(Number(number));
    if (mail === undefined) {
      return await page("No such mail", html`<p>Only the last 200 mails are kept.</p>`, NOT_FOUND);
    }
    return wantsJson ? json(mail) : await page(mail.subject, one(mail));
  }
  if (!/^\/_mail\/?$/.test(url.pathname)) return await page("No such page", html`<p>${TO_LIST}</p>`, NOT_FOUND);
  const mails = mailbox.list(url.searchParams.get("to") ?? undefined);
  return wantsJson ? json(mails) : await page("Mails", list(mails));
}

const NOT_FOUND = { status: 404 };
const TO_LIST = html`<a href="/_mail">All mails</a>`;

function list(mails: readonly Mail[]): Html {
  if (mails.length === 0) {
    return html`<p>No mail yet. Mails of the service appear here; nothing leaves this machine.</p>`;
  }
  return html`<ul>${mails.map(listed)}</ul>`;
}

function listed({ id, sentAt, to, subject, code }: Mail): Html {
  return html`<li><a href="/_mail/${id}">${subject}</a> <strong>${code}</strong> <small>To ${to}, ${
    time(sentAt)
  }</small></li>`;
}

/** HTML is that of a template, with escaped values. The policy of the page allows no script in it. */
function one({ sentAt, to, body, html: content }: Mail): Html {
  return html`<p>${TO_LIST}</p>
<p>To ${to}, ${time(sentAt)}</p>
${content === undefined ? html`<pre>${body}</pre>` : raw(content)}`;
}

function json(value: unknown): Response {
  return Response.json(value, { headers: { "cache-control": "no-store" } });
}

function time(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
