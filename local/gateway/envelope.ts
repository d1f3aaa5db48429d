// The platform's own answers, in the envelope that the functions use.

export function refusal(status: number, code: string, message: string, headers: HeadersInit = {}): Response {
  const id = crypto.randomUUID();
  const body = { error: { code, message, request_id: id } };
  return Response.json(body, { status, headers: { ...Object.fromEntries(new Headers(headers)), "x-request-id": id } });
}
