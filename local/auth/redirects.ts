// The allowed targets of links in mails: the site, and the list in config.toml.

export interface RedirectRules {
  readonly siteUrl: string;
  /** Patterns: `*` is anything but `.` and `/`, `**` is anything, `?` is one character other than those two. */
  readonly redirectUrls: readonly string[];
}

/** The requested address if it is allowed, else the site's. */
export function redirectTo(requested: string | null | undefined, { siteUrl, redirectUrls }: RedirectRules): string {
  if (!requested || !URL.canParse(requested)) return siteUrl;
  const url = new URL(requested);
  // A browser resolves these to another host than they seem to name.
  if (/[\\\s]/.test(requested) || url.username !== "" || url.password !== "") return siteUrl;
  if (/^https?:$/.test(url.protocol) && url.hostname === new URL(siteUrl).hostname) return requested;
  const withoutFragment = requested.replace(/#.*$/, "");
  return redirectUrls.some((pattern) => globToPattern(pattern).test(withoutFragment)) ? requested : siteUrl;
}

function globToPattern(glob: string): RegExp {
  const source = glob.replaceAll(/\*\*|\*|\?|[\\^$.|+()[\]{}]/g, (sign) => {
    if (sign === "**") return ".*";
    if (sign === "*") return "[^./]*";
    return sign === "?" ? "[^./]" : `\\${sign}`;
  });
  return new RegExp(`^${source}$`);
}
