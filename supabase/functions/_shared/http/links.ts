import type { Config } from "../config.ts";
import { ConfigError } from "../environment.ts";
import type { Code } from "../errors.ts";

/** URLs that depend on the configuration. */
export interface Links {
  /** Public URL of a stored asset. Null without an asset. */
  asset(storageKey: string | null): string | null;
  /** The documentation page of an error code. */
  errorPage(code: Code): string;
}

export function linksOf(config: () => Config): Links {
  return {
    asset: (storageKey) => storageKey === null ? null : `${config().cdnUrl}/${encodedPath(storageKey)}`,
    errorPage: (code) => `${config().baseUrl}/v1/openapi/errors/${code}`,
  };
}

/** Without a valid configuration errors have no `doc_url`. */
export function docUrl(code: Code, links: Links): string | null {
  try {
    return links.errorPage(code);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
