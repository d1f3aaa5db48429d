// One-time codes and their mails. The database keeps a hash of the code and the address.
import { createHash, randomInt } from "node:crypto";
import type { AuthContext } from "./context.ts";
import { AuthError } from "./errors.ts";
import { PKCE_PREFIX } from "./pkce.ts";
import { redirectTo } from "./redirects.ts";
import { fill, firstLink, plainText, type TemplateName } from "./templates.ts";
import type { Queries, UserRow } from "./users.ts";

/** What `generate_link` returns beside the user: the code, its hash and the link that a mail would have. */
export interface GeneratedLink {
  readonly action_link: string;
  readonly email_otp: string;
  readonly hashed_token: string;
  readonly verification_type: string;
  readonly redirect_to: string;
}

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

/** The address at which the auth server itself accepts the code and redirects the browser. */
function confirmationUrl({ publicUrl }: AuthContext, type: LinkType, hash: string, redirect: string): string {
  const link = new URL("/auth/v1/verify", publicUrl);
  link.searchParams.set("token", hash);
  link.searchParams.set("type", type);
  link.searchParams.set("redirect_to", redirect);
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

/** The template of each link. */
const TEMPLATES: Readonly<Record<LinkType, TemplateName>> = {
  signup: "confirmation",
  invite: "invite",
  recovery: "recovery",
  magiclink: "magic_link",
  email_change: "email_change",
};

function sendLink(
  context: AuthContext,
  type: LinkType,
  user: UserRow,
  { code, hash }: Code,
  redirect: string | null,
  /** The addresses of a change. */
  change: { readonly NewEmail: string; readonly SendingTo: string } | undefined = undefined,
): void {
  const target = redirectTo(redirect, context.config);
  send(context, TEMPLATES[type], change?.SendingTo ?? user.email!, code, {
    Email: user.email!,
    TokenHash: hash,
    RedirectTo: target,
    ConfirmationURL: confirmationUrl(context, type, hash, target),
    ...change,
  });
}

function send(
  { config, mailbox }: AuthContext,
  name: TemplateName,
  to: string,
  code: string,
  others: Readonly<Record<string, string>>,
): void {
  const { subject, content } = config.templates[name];
  const values = { SiteURL: config.siteUrl, Token: code, ...others };
  const html = fill(content, values);
  const link = firstLink(html);
  mailbox.send({
    to,
    subject: fill(subject, values),
    html,
    body: plainText(html),
    code,
    ...(link === undefined ? {} : { link }),
  });
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
  sendLink(context, type, user, code, redirect);
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
  sendLink(context, options.type, user, code, options.redirect);
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
  const sendTo = (address: string, own: Code) =>
    sendLink(context, "email_change", user, own, redirect, { NewEmail: email, SendingTo: address });
  if (toCurrent !== undefined) sendTo(user.email!, toCurrent);
  sendTo(email, toNew);
}

/** Stores a code of this type and returns its link, which the service sends by itself. */
export async function generateLink(
  context: AuthContext,
  sql: Queries,
  user: UserRow,
  type: Exclude<LinkType, "email_change"> | "email_change_current" | "email_change_new",
  { newEmail = "", redirect }: { newEmail?: string; redirect: string | null },
): Promise<GeneratedLink> {
  const { code, hash } = newCode(context, type === "email_change_new" ? newEmail : user.email!);
  const now = new Date();
  const isChange = type === "email_change_current" || type === "email_change_new";
  const change = isChange
    ? {
      email_change: newEmail,
      email_change_sent_at: now,
      email_change_confirm_status: 0,
      [type === "email_change_new" ? "email_change_token_new" : "email_change_token_current"]: hash,
    }
    : type === "magiclink" || type === "recovery"
    ? { recovery_token: hash, recovery_sent_at: now }
    : { confirmation_token: hash, confirmation_sent_at: now, ...(type === "invite" ? { invited_at: now } : {}) };
  await sql`update auth.users set ${sql(change as never)} where id = ${user.id}`;
  const target = redirectTo(redirect, context.config);
  return {
    action_link: confirmationUrl(context, isChange ? "email_change" : type, hash, target),
    email_otp: code,
    hashed_token: hash,
    verification_type: type,
    redirect_to: target,
  };
}

/** Stores and mails a code that authorises a change of the password. */
export async function sendReauthentication(context: AuthContext, sql: Queries, user: UserRow): Promise<void> {
  limitMails(context, user.reauthentication_sent_at);
  const { code, hash } = newCode(context, user.email!);
  await sql`
    update auth.users set reauthentication_token = ${hash}, reauthentication_sent_at = now() where id = ${user.id}`;
  send(context, "reauthentication", user.email!, code, { Email: user.email! });
}
