// The address of a client, as the edge of a hosted project sends it. The address headers of the client are dropped.

const ADDRESS_HEADERS = new Set([
  "cf-connecting-ip",
  "cf-connecting-ipv6",
  "cf-pseudo-ipv4",
  "client-ip",
  "fastly-client-ip",
  "fly-client-ip",
  "forwarded",
  "true-client-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-forwarded",
  "x-forwarded-by",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-original-forwarded-for",
  "x-real-ip",
]);

/** The headers, with the client's address in the two that hosted projects read. As a list, which costs less than Headers. */
export function withClientAddress(headers: Headers, client: string): [name: string, value: string][] {
  const kept = [...headers].filter(([name]) => !ADDRESS_HEADERS.has(name));
  return [...kept, ["cf-connecting-ip", client], ["x-forwarded-for", client]];
}

/** The client's address: the other end of its connection, or the header of a trusted proxy. */
export function clientAddress(headers: Headers, connected: string, trustedHeader: string | undefined): string {
  const trusted = trustedHeader === undefined ? null : headers.get(trustedHeader);
  return trusted?.trim() || connected;
}
