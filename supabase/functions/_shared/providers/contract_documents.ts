import type { Prepared } from "../http/prepared.ts";

/** The documents of the contract. The function `openapi` passes them to its routes, which are a part of the contract. */
export interface ContractDocuments {
  /** What clients load, in OpenAPI 3.1. */
  openapi(): Prepared;
  /** Applied to it, the complete document: an OpenAPI Overlay 1.0. */
  overlay(): Prepared;
  /** The contract of Realtime, in AsyncAPI 3.0. */
  asyncapi(): Prepared;
}
