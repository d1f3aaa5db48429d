export interface Project {
  readonly api: string;
  readonly key: string;
}

const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The project that the page talks to: that of its settings, or the page's own origin. On the developer's own machine the
 * address may name another. Elsewhere it may not: a link could send a signed-in user's session to a stranger's project.
 */
export function projectOf(
  { api, key }: Project,
  { origin, hostname, search }: Pick<Location, "origin" | "hostname" | "search">,
): Project {
  const query = new URLSearchParams(OWN_MACHINE.test(hostname) ? search : "");
  return { api: query.get("api") ?? (api || origin), key: query.get("key") ?? key };
}
