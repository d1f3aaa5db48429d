import { route } from "../_shared/http/route.ts";
import { ContractDocument } from "./contract.schema.ts";

/** Generated at the first request. The generator is loaded only then. */
let document: Promise<Record<string, unknown>> | undefined;

export const readContract = route({
  method: "GET",
  path: "/openapi",
  access: "public",
  summary: "Get this contract",
  reply: [200, ContractDocument],
  errors: [],
  cache: { scope: "public", maxAge: 300, staleWhileRevalidate: 86_400 },
  handle: () =>
    document ??= import("./contract.ts").then(({ contract }) => ({
      ...contract(),
    })),
});
