/** The documents of the contract. The function `openapi` passes them to its routes, which are a part of the contract. */
export interface ContractDocuments {
  /** What clients load, in OpenAPI 3.1. */
  openapi(): Promise<Readonly<Record<string, unknown>>>;
  /** Applied to it, the complete document: an OpenAPI Overlay 1.0. */
  overlay(): Promise<Readonly<Record<string, unknown>>>;
  /** The contract of Realtime, in AsyncAPI 3.0. */
  asyncapi(): Promise<Readonly<Record<string, unknown>>>;
}
