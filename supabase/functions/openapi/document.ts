import { route } from "../_shared/http/route.ts";
import { ContractDocument } from "../_shared/schema/contract.ts";

/** Printed once, when it is first asked for; the generator is not loaded before. */
let printed: Promise<Record<string, unknown>> | undefined;

export const readContract = route({
  method: "GET",
  path: "/openapi",
  access: "public",
  summary: "Read this contract",
  reply: [200, ContractDocument],
  errors: [],
  cache: { scope: "public", maxAge: 300, staleWhileRevalidate: 86_400 },
  handle: () =>
    printed ??= import("./contract.ts").then(({ contract }) => ({
      ...contract(),
    })),
});
