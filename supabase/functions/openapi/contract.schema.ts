import { z } from "zod";
import { codes } from "../_shared/errors.ts";

export const ContractDocument = z.record(z.string(), z.unknown()).meta({
  id: "ContractDocument",
  description: "An OpenAPI 3.1 document",
});

export const OverlayDocument = z.record(z.string(), z.unknown()).meta({
  id: "OverlayDocument",
  description: "An OpenAPI Overlay 1.0 document",
});

export const RealtimeContractDocument = z.record(z.string(), z.unknown()).meta({
  id: "RealtimeContractDocument",
  description: "An AsyncAPI 3.0 document",
});

export const ErrorPageParams = z.strictObject({
  code: z.string().meta({ description: "An error code", example: "validation_error" }),
});

export const ErrorPage = z.object({
  code: z.enum(codes),
  status: z.int(),
  message: z.string(),
  message_key: z.string(),
  meaning: z.string(),
  remedy: z.string(),
  doc_url: z.string(),
}).meta({ id: "ErrorPage", description: "Meaning of an error code, and how to resolve it" });

export const ErrorPages = z.object({ items: z.array(ErrorPage) }).meta({ id: "ErrorPages" });
