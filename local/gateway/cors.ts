// CORS as Supabase's gateway has it, for every service except the functions.

const METHODS = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT";

export const ANY_ORIGIN = { "access-control-allow-origin": "*" };

/** The response to a preflight: every method, and the headers that the page requests. */
export function preflight(request: Request): Response {
  const requested = request.headers.get("access-control-request-headers");
  return new Response(null, {
    status: 200,
    headers: {
      ...ANY_ORIGIN,
      "access-control-allow-methods": METHODS,
      ...(requested === null ? {} : { "access-control-allow-headers": requested }),
      "access-control-max-age": "3600",
      "vary": "Access-Control-Request-Headers",
    },
  });
}
