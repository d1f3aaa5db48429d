import { route } from "../_shared/http/route.ts";
import { ContractDocument, RealtimeContractDocument } from "./contract.schema.ts";

/** Generated at the first request. The generators and the examples are loaded only then. */
let document: Promise<Record<string, unknown>> | undefined;
let realtimeDocument: Promise<Record<string, unknown>> | undefined;

const cache = { scope: "public", maxAge: 300, staleWhileRevalidate: 86_400 } as const;

export const readContract = route({
  method: "GET",
  path: "/openapi",
  access: "public",
  summary: "Get this contract",
  description:
    "The same document is `openapi.json` in the repository. `GET /v1/openapi/asyncapi` returns the contract of Realtime.",
  reply: [200, ContractDocument],
  errors: [],
  cache,
  handle: () =>
    document ??= import("./contract.ts").then(({ contract }) => ({
      ...contract(),
    })),
});

export const readRealtimeContract = route({
  method: "GET",
  path: "/openapi/asyncapi",
  access: "public",
  summary: "Get the contract of Realtime",
  description:
    "The channels, messages and rows of the WebSocket. The same document is `asyncapi.json` in the repository.",
  reply: [200, RealtimeContractDocument],
  errors: [],
  cache,
  handle: () =>
    realtimeDocument ??= import("./asyncapi.ts").then(({ asyncApiDocument }) => ({
      ...asyncApiDocument(),
    })),
});
