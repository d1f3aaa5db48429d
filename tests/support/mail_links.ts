// The links of mails, followed as an app does that continues by redirects of the auth server.
import assert from "node:assert/strict";
import { followAddress, readMailLink } from "../../apps/web/src/mail_links.ts";

/** The address of the auth server that accepts the link of a mail. */
export function verifyAddress(apiUrl: string, link: string | undefined): string {
  assert.ok(link, "the mail has no link");
  const mailLink = readMailLink(new URLSearchParams(/#\/link\?(.*)$/.exec(link)?.[1]));
  assert.ok(mailLink, `the link of the mail has a part missing: ${link}`);
  return followAddress(apiUrl, mailLink);
}

export interface Mail {
  readonly code?: string;
  readonly link?: string;
}

/** The newest mail of a local platform to an address. */
export async function newestMail(apiUrl: string, to: string): Promise<Mail> {
  const response = await fetch(`${apiUrl}/_mail?${new URLSearchParams({ to })}`, {
    headers: { accept: "application/json" },
  });
  const [mail] = (await response.json()) as Mail[];
  assert.ok(mail, `no mail to ${to}`);
  return mail;
}
