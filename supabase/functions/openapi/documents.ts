import type { ContractDocuments } from "../_shared/providers/contract_documents.ts";

/** Each is generated at its first request. The generators and the examples are loaded only then. */
export function contractDocuments(): ContractDocuments {
  return {
    openapi: once(async () => ({ ...(await import("./contract.ts")).contract() })),
    overlay: once(async () => ({ ...(await import("./contract.ts")).contractOverlay() })),
    asyncapi: once(async () => ({ ...(await import("./asyncapi.ts")).asyncApiDocument() })),
  };
}

type Generate = ContractDocuments[keyof ContractDocuments];

function once(generate: Generate): Generate {
  let document: ReturnType<Generate> | undefined;
  return () => document ??= generate();
}
