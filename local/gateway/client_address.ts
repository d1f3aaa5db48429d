// The address of a client, as the edge of a hosted project sends it. The address headers of the client are dropped.

const ADDRESS_HEADERS = [
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
];

/** The headers, with the client's address in the two that hosted projects read. */
export function withClientAddress(headers: Headers, client: string): Headers {
  const result = new Headers(headers);
  for (const name of ADDRESS_HEADERS) result.delete(name);
  result.set("cf-connecting-ip", client);
  result.set("x-forwarded-for", client);
  return result;
}

/** The client's address: the other end of its connection, or the header of a trusted proxy. */
export function clientAddress(headers: Headers, connected: string, trustedHeader: string | undefined): string {
  const trusted = trustedHeader === undefined ? null : headers.get(trustedHeader);
  return trusted?.trim() || connected;
}
