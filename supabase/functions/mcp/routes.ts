/** The one route of the Model Context Protocol. The protocol describes its messages itself, so the contract does not. */
import { createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import { BODY_LIMIT } from "../_shared/http/input.ts";
import { route, routesOf } from "../_shared/http/route.ts";
import { serverFor } from "./server.ts";

/** A new server for each request, in the process of the function: no session is kept, and no stream stays open. */
const protocol = createMcpHandler(({ requestInfo }) => serverFor(requestInfo!), {
  maxRequestBodySize: BODY_LIMIT,
  maxSubscriptions: 0,
  responseMode: "json",
});

export const serveAssistants = route({
  method: "POST",
  path: "/mcp",
  access: "optional",
  summary: "Model Context Protocol",
  description: "Tools and resources for assistants, over Streamable HTTP without sessions.",
  reply: [200, z.unknown()],
  errors: [],
  serve: (request, requestId) => {
    const headers = new Headers(request.headers);
    // The log lines of the operations have it as the id of their client.
    headers.set("x-request-id", requestId);
    return protocol.fetch(new Request(request, { headers }));
  },
});

export const routes = routesOf({ serveAssistants });
