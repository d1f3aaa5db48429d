// The address of a client, as the edge in front of a hosted project tells it. What a client says of itself is dropped.

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

/** These headers with the client's address in the two that hosted projects read. */
export function withClientAddress(headers: Headers, client: string): Headers {
  const told = new Headers(headers);
  for (const name of ADDRESS_HEADERS) told.delete(name);
  told.set("cf-connecting-ip", client);
  told.set("x-forwarded-for", client);
  return told;
}

/** Where a request comes from: the other end of its connection, or what a trusted proxy on this machine says. */
export function clientAddress(headers: Headers, connected: string, trustedHeader: string | undefined): string {
  const told = trustedHeader === undefined ? null : headers.get(trustedHeader);
  return told?.trim() || connected;
}
