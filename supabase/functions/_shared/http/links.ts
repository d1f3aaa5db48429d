import type { Config } from "../config.ts";
import { ConfigError } from "../environment.ts";
import type { Code } from "../errors.ts";

/** Addresses that depend on the environment, so that no handler has to read it. */
export interface Links {
  /** Public address of a stored asset; null when there is none. */
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

/** A service without its configuration still answers, without an address to point to. */
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
