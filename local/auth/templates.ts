// The mail templates of supabase/config.toml, as the hosted auth server fills them (Go's html/template): a value is
// escaped for its place. The local platform supports `{{ .Name }}`, and no other action of that language.
import { join } from "node:path";
import { ROOT } from "../settings.ts";

export const TEMPLATE_NAMES = [
  "confirmation",
  "invite",
  "magic_link",
  "recovery",
  "email_change",
  "reauthentication",
] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

export interface MailTemplate {
  readonly subject: string;
  /** HTML. */
  readonly content: string;
}

const COMMON = ["SiteURL", "Email", "Token"] as const;
const OF_LINKS = [...COMMON, "ConfirmationURL", "TokenHash", "RedirectTo"] as const;
/** The values that the hosted auth server gives to each template. */
const VARIABLES: Readonly<Record<TemplateName, readonly string[]>> = {
  confirmation: OF_LINKS,
  invite: OF_LINKS,
  magic_link: OF_LINKS,
  recovery: OF_LINKS,
  email_change: [...OF_LINKS, "NewEmail", "SendingTo"],
  reauthentication: COMMON,
};

const ACTION = /\{\{(.*?)\}\}/gs;
const VARIABLE = /^ \.(\w+) $/;

/** Reads and checks one template. The path is relative to the repository, as for the CLI. */
export async function readTemplate(
  name: TemplateName,
  { subject, content_path: path }: { readonly subject: string; readonly content_path: string },
): Promise<MailTemplate> {
  const content = await Deno.readTextFile(join(ROOT, path));
  for (const [file, text] of [["subject", subject], [path, content]] as const) {
    for (const [action, inner] of text.matchAll(ACTION)) {
      const variable = VARIABLE.exec(inner!)?.[1];
      if (variable === undefined) {
        throw new Error(`${file} of the mail ${name}: the local platform supports {{ .Name }} only, not ${action}.`);
      }
      if (!VARIABLES[name].includes(variable)) {
        throw new Error(`${file} of the mail ${name} uses ${action}. It has: ${VARIABLES[name].join(", ")}.`);
      }
    }
  }
  return { subject, content };
}

/** Fills a template. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(ACTION, (_, inner: string, at: number) => {
    const value = values[VARIABLE.exec(inner)![1]!]!;
    // The part of an attribute before the action; undefined between elements.
    const attribute = /="([^"<>]*)$/.exec(template.slice(0, at))?.[1];
    if (attribute === undefined) return escapeHtml(value);
    if (/[?#]/.test(attribute)) return escapeUrl(value);
    // Go's own word for an address that it does not write into a link.
    return attribute === "" && !/^(https?|mailto):/i.test(value) ? "#ZgotmplZ" : escapeHtml(value);
  });
}

/** The address of the first link of a mail. */
export function firstLink(html: string): string | undefined {
  const [, address] = /<a href="([^"]*)"/.exec(html) ?? [];
  return address === undefined ? undefined : unescapeHtml(address);
}

/** The mail as text, with the addresses of its links. */
export function plainText(html: string): string {
  return unescapeHtml(html.replaceAll(/<a href="([^"]*)">([^<]*)<\/a>/g, "$2: $1").replaceAll(/<[^>]*>/g, "")).trim();
}

function escapeUrl(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const UNESCAPED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const ESCAPED = Object.fromEntries(Object.entries(UNESCAPED).map(([name, sign]) => [sign, `&${name};`]));

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => UNESCAPED[name]!);
}

function escapeHtml(value: string): string {
  return value.replaceAll(/[&<>"']/g, (sign) => ESCAPED[sign]!);
}
