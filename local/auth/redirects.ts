// Where a link of a mail may lead: to the site, or to what the list in config.toml allows.

export interface RedirectRules {
  readonly siteUrl: string;
  /** Patterns: `*` is anything but `.` and `/`, `**` is anything, `?` is one character other than those two. */
  readonly redirectUrls: readonly string[];
}

/** The address that was asked for if it is allowed, else the site's. */
export function redirectTo(asked: string | null | undefined, { siteUrl, redirectUrls }: RedirectRules): string {
  if (!asked || !URL.canParse(asked)) return siteUrl;
  const url = new URL(asked);
  // A browser reads these as no address of the host that they seem to name.
  if (/[\\\s]/.test(asked) || url.username !== "" || url.password !== "") return siteUrl;
  if (/^https?:$/.test(url.protocol) && url.hostname === new URL(siteUrl).hostname) return asked;
  const withoutFragment = asked.replace(/#.*$/, "");
  return redirectUrls.some((pattern) => globToPattern(pattern).test(withoutFragment)) ? asked : siteUrl;
}

function globToPattern(glob: string): RegExp {
  const source = glob.replaceAll(/\*\*|\*|\?|[\\^$.|+()[\]{}]/g, (sign) => {
    if (sign === "**") return ".*";
    if (sign === "*") return "[^./]*";
    return sign === "?" ? "[^./]" : `\\${sign}`;
  });
  return new RegExp(`^${source}$`);
}
