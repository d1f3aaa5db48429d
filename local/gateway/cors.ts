// What Supabase's gateway does for web pages of other origins, ahead of every service but the functions.

const METHODS = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT";

export const ANY_ORIGIN = { "access-control-allow-origin": "*" };

/** Answers a preflight: every method, and the headers that the page asks for. */
export function preflight(request: Request): Response {
  const asked = request.headers.get("access-control-request-headers");
  return new Response(null, {
    status: 200,
    headers: {
      ...ANY_ORIGIN,
      "access-control-allow-methods": METHODS,
      ...(asked === null ? {} : { "access-control-allow-headers": asked }),
      "access-control-max-age": "3600",
      "vary": "Access-Control-Request-Headers",
    },
  });
}
