import { ApiError, catalogue, type CatalogueEntry, type Code, codes, isCode } from "../_shared/errors.ts";
import { messageKey } from "../_shared/http/envelope.ts";
import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
import { ErrorPage, ErrorPageParams, ErrorPages } from "./contract.schema.ts";

const cache = { scope: "public", maxAge: 300, staleWhileRevalidate: 86_400 } as const;

export const listErrors = route({
  method: "GET",
  path: "/openapi/errors",
  access: "public",
  summary: "List all error codes",
  description: "Each code with its status code, its meaning and what to do.",
  reply: [200, ErrorPages],
  errors: [],
  cache,
  handle: ({ links }) => ({ items: codes.map((code) => pageOf(code, links)) }),
});

export const readError = route({
  method: "GET",
  path: "/openapi/errors/{code}",
  access: "public",
  summary: "Get the documentation of an error code",
  description: "The target of `error.doc_url`. Returns text, or JSON if `Accept` contains application/json.",
  params: ErrorPageParams,
  reply: [200, ErrorPage, asText],
  errors: ["not_found"],
  cache,
  handle: ({ params, links }) => {
    if (!isCode(params.code)) {
      throw new ApiError("not_found", {
        message: "This error code does not exist. The list of codes is at /v1/openapi/errors.",
        param: "code",
      });
    }
    return pageOf(params.code, links);
  },
});

function pageOf(code: Code, links: Links) {
  const { status, message, meaning, remedy }: CatalogueEntry = catalogue[code];
  return {
    code,
    status,
    message,
    message_key: messageKey(code),
    meaning,
    remedy,
    doc_url: links.errorPage(code),
  };
}

function asText({ code, status, message, meaning, remedy }: ReturnType<typeof pageOf>): string {
  return [
    `# ${code} (HTTP ${status})`,
    message,
    "## What it means",
    meaning,
    "## What to do",
    remedy,
    "",
  ].join("\n\n");
}
