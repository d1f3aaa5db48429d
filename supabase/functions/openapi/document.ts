import { route } from "../_shared/http/route.ts";
import { ContractDocument, OverlayDocument, RealtimeContractDocument } from "./contract.schema.ts";

const cache = { scope: "public", maxAge: 300, staleWhileRevalidate: 86_400 } as const;

export const readContract = route({
  method: "GET",
  path: "/openapi",
  access: "public",
  summary: "Get this contract",
  description:
    "The same document is `openapi.json` in the repository. `GET /v1/openapi/overlay` returns examples and the texts of " +
    "internal operations, `GET /v1/openapi/asyncapi` the contract of Realtime.",
  reply: [200, ContractDocument],
  errors: [],
  cache,
  uses: ["contract"],
  handle: ({ contract }) => contract.openapi(),
});

export const readContractOverlay = route({
  method: "GET",
  path: "/openapi/overlay",
  access: "public",
  summary: "Get the examples of this contract",
  description:
    "An OpenAPI Overlay. Applied to this contract, it adds an example of each request and response. It also adds the " +
    "descriptions of operations that no app uses, and the rate limit headers of successful responses.",
  reply: [200, OverlayDocument],
  errors: [],
  cache,
  uses: ["contract"],
  handle: ({ contract }) => contract.overlay(),
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
  uses: ["contract"],
  handle: ({ contract }) => contract.asyncapi(),
});
