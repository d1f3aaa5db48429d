/** The Content-Security-Policy of the web application: its own files, the service and the base maps, nothing else. */
import type { Settings } from "./src/settings.ts";

export function contentSecurityPolicy(
  { api, baseMaps, layers, storageOrigins, streets }: Pick<
    Settings,
    "api" | "baseMaps" | "layers" | "storageOrigins" | "streets"
  >,
): string {
  const services = api === "" ? [] : [new URL(api).origin];
  // `'self'` covers the WebSocket of the same origin.
  const sockets = services.map((origin) => origin.replace(/^http/, "ws"));
  const addresses = [
    layers,
    streets?.url,
    ...baseMaps.flatMap(({ url, style, origins = [] }) => [url, style, ...origins]),
  ];
  // A path from the page is one of its own files.
  const tiles = [
    ...new Set(addresses.flatMap((address) => /^https?:/.test(address ?? "") ? new URL(address!).origin : [])),
  ];
  const policy: Record<string, readonly string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    // MapLibre reads tiles with fetch and draws them from blobs.
    "img-src": ["'self'", "data:", "blob:", ...services, ...storageOrigins, ...tiles],
    "connect-src": ["'self'", ...services, ...sockets, ...storageOrigins, ...tiles],
    "worker-src": ["'self'", "blob:"],
    "font-src": ["'self'"],
    "manifest-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
  };
  return Object.entries(policy).map(([name, sources]) => `${name} ${sources.join(" ")}`).join("; ");
}
