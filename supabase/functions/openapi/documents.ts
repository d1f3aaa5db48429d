import { Prepared } from "../_shared/http/prepared.ts";
import type { ContractDocuments } from "../_shared/providers/contract_documents.ts";
// Not imported at the first request: the CLI does not upload files of dynamic imports with attributes.
import asyncapi from "./documents/asyncapi.json" with { type: "json" };
import openapi from "./documents/openapi.json" with { type: "json" };
import overlay from "./documents/overlay.json" with { type: "json" };

/** A document as `deno task openapi` writes it: its text is sent as it is. */
export interface DocumentFile {
  readonly etag: string;
  readonly text: string;
}

/** The bytes of each are made at its first request. */
export function contractDocuments(): ContractDocuments {
  return { openapi: prepared(openapi), overlay: prepared(overlay), asyncapi: prepared(asyncapi) };
}

function prepared({ etag, text }: DocumentFile): () => Prepared {
  let document: Prepared | undefined;
  return () => document ??= new Prepared(new TextEncoder().encode(text), etag);
}
