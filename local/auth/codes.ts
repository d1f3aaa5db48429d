// One-time codes and their mails. The database keeps a hash of the code and the address.
import { createHash, randomInt } from "node:crypto";
import type { AuthContext } from "./context.ts";
import { AuthError } from "./errors.ts";
import { PKCE_PREFIX } from "./pkce.ts";
import { redirectTo } from "./redirects.ts";
import type { Queries, UserRow } from "./users.ts";

export type LinkType = "signup" | "invite" | "recovery" | "magiclink" | "email_change";

interface Code {
  readonly code: string;
  /** The value in the link and in the database. */
  readonly hash: string;
}

/** Makes a code for this address. */
function newCode({ config }: AuthContext, email: string, isPkce = false): Code {
  const code = String(randomInt(10 ** config.otpLength)).padStart(config.otpLength, "0");
  return { code, hash: (isPkce ? PKCE_PREFIX : "") + hashOf(email, code) };
}

/** The hash that GoTrue uses. */
export function hashOf(email: string, code: string): string {
  return createHash("sha224").update(email + code).digest("hex");
}

export function isExpired({ config }: AuthContext, sentAt: Date | null): boolean {
  return sentAt === null || sentAt.getTime() + config.otpExpiry * 1000 < Date.now();
}

function linkFor(context: AuthContext, type: LinkType, hash: string, redirect: string | null): string {
  const link = new URL("/auth/v1/verify", context.publicUrl);
  link.searchParams.set("token", hash);
  link.searchParams.set("type", type);
  link.searchParams.set("redirect_to", redirectTo(redirect, context.config));
  return link.href;
}

/** Throws if a mail follows the last one of its kind too soon. */
function limitMails({ config }: AuthContext, lastSentAt: Date | null): void {
  const wait = (lastSentAt?.getTime() ?? 0) + config.maxFrequency * 1000 - Date.now();
  if (wait <= 0) return;
  throw new AuthError(
    429,
    "over_email_send_rate_limit",
    `For security purposes, you can only request this after ${Math.ceil(wait / 1000)} seconds.`,
  );
}

/** Subject and text of each mail, without the link and the code. */
const MAIL_TEXTS: Readonly<Record<LinkType, { subject: string; text: string }>> = {
  signup: { subject: "Confirm your email address", text: "Confirm this address to finish signing up" },
  invite: { subject: "You have been invited", text: "Accept the invitation" },
  recovery: { subject: "Reset your password", text: "Choose a new password" },
  magiclink: { subject: "Your sign-in link", text: "Sign in" },
  email_change: {
    subject: "Confirm your new email address",
    text: "Confirm the change of the address of your account",
  },
};

function sendLink(
  context: AuthContext,
  type: LinkType,
  to: string,
  { code, hash }: Code,
  redirect: string | null,
  text = MAIL_TEXTS[type].text,
): void {
  const link = linkFor(context, type, hash, redirect);
  const body = `${text}:\n\n${link}\n\nOr enter the code ${code}.`;
  context.mailbox.send({ to, subject: MAIL_TEXTS[type].subject, body, link, code });
}

/** Stores and mails a code that confirms the address. */
export async function sendConfirmation(
  context: AuthContext,
  sql: Queries,
  user: UserRow,
  options: { type?: "signup" | "invite"; isPkce?: boolean; redirect: string | null },
): Promise<void> {
  const { type = "signup", isPkce = false, redirect } = options;
  limitMails(context, user.confirmation_sent_at);
  const code = newCode(context, user.email!, isPkce);
  await sql`
    update auth.users set confirmation_token = ${code.hash}, confirmation_sent_at = now(),
      invited_at = case when ${type === "invite"} then now() else invited_at end
    where id = ${user.id}`;
  sendLink(context, type, user.email!, code, redirect);
}

/** Stores and mails a code to sign in with. */
export async function sendSignInCode(
  context: AuthContext,
  sql: Queries,
  user: UserRow,
  options: { type: "recovery" | "magiclink"; isPkce: boolean; redirect: string | null },
): Promise<void> {
  limitMails(context, user.recovery_sent_at);
  const code = newCode(context, user.email!, options.isPkce);
  await sql`update auth.users set recovery_token = ${code.hash}, recovery_sent_at = now() where id = ${user.id}`;
  sendLink(context, options.type, user.email!, code, options.redirect);
}

/** Stores and mails codes for a change of address: one to each address, or one to the new address only. */
export async function sendEmailChange(
  context: AuthContext,
  sql: Queries,
  user: UserRow,
  email: string,
  options: { isPkce: boolean; redirect: string | null },
): Promise<void> {
  limitMails(context, user.email_change_sent_at);
  const { isPkce, redirect } = options;
  const toNew = newCode(context, email, isPkce);
  const toCurrent = context.config.doubleConfirmChanges && user.email
    ? newCode(context, user.email, isPkce)
    : undefined;
  await sql`
    update auth.users
    set email_change = ${email}, email_change_token_new = ${toNew.hash}, email_change_sent_at = now(),
      email_change_token_current = ${toCurrent?.hash ?? ""}, email_change_confirm_status = 0
    where id = ${user.id}`;
  if (toCurrent !== undefined) {
    sendLink(
      context,
      "email_change",
      user.email!,
      toCurrent,
      redirect,
      `Confirm the change of your address to ${email}`,
    );
  }
  sendLink(context, "email_change", email, toNew, redirect);
}

/** Stores and mails a code that authorises a change of the password. */
export async function sendReauthentication(context: AuthContext, sql: Queries, user: UserRow): Promise<void> {
  limitMails(context, user.reauthentication_sent_at);
  const { code, hash } = newCode(context, user.email!);
  await sql`
    update auth.users set reauthentication_token = ${hash}, reauthentication_sent_at = now() where id = ${user.id}`;
  context.mailbox.send({
    to: user.email!,
    subject: "Confirm that it is you",
    body: `Enter the code ${code}.`,
    code,
  });
}
