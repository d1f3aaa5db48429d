// The platform's own answers, in the envelope that the functions use.

/** `beside` is what Supabase itself says there, for clients that read that. */
export function refusal(
  status: number,
  code: string,
  message: string,
  headers: HeadersInit = {},
  beside: Readonly<Record<string, string>> = {},
): Response {
  const id = crypto.randomUUID();
  const body = { ...beside, error: { code, message, request_id: id } };
  return Response.json(body, { status, headers: { ...Object.fromEntries(new Headers(headers)), "x-request-id": id } });
}
