// Errors as PostgREST words them: {code, details, hint, message}, and the code in the header Proxy-Status.

export interface ErrorOptions {
  readonly details?: string | null;
  readonly hint?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export class RestError extends Error {
  readonly details: string | null;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(readonly status: number, readonly code: string, message: string, options: ErrorOptions = {}) {
    super(message);
    this.details = options.details ?? null;
    this.hint = options.hint ?? null;
    this.headers = options.headers ?? {};
  }
}

export const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit",
};

export function errorResponse({ status, code, message, details, hint, headers }: RestError): Response {
  return new Response(JSON.stringify({ code, details, hint, message }), {
    status,
    headers: {
      ...CORS,
      "content-type": "application/json; charset=utf-8",
      "proxy-status": `PostgREST; error=${code}`,
      ...headers,
    },
  });
}
