import { type ApiError, type Code, codes } from "../errors.ts";
import { z } from "zod";

export const ErrorEnvelope = z.object({
  error: z.object({
    code: z.enum(codes).meta({ description: "Machine-readable code" }),
    message: z.string().meta({ description: "For developers and logs; localize by message_key" }),
    message_key: z.string().meta({
      description: "Key of the message in a catalogue of translations",
    }).optional(),
    request_id: z.string().meta({ description: "Identifies the request; the same as X-Request-Id" }),
    param: z.string().nullable().meta({
      description: "The offending field, nested ones as a dotted path; null when it is none in particular",
    }).optional(),
    doc_url: z.string().nullable().meta({ description: "Documentation of the code" }).optional(),
    details: z.record(z.string(), z.unknown()).meta({
      description: "More, where there is more to say. `errors` lists every field error of a validation_error.",
    }).optional(),
  }),
}).meta({ id: "Error", description: "What every error response contains" });

export function envelope(refusal: ApiError, requestId: string, docUrl: string | null): z.infer<typeof ErrorEnvelope> {
  const { code, shown: { message, param, details } } = refusal;
  return {
    error: {
      code,
      message,
      message_key: messageKey(code),
      request_id: requestId,
      param,
      doc_url: docUrl,
      ...(details ? { details } : {}),
    },
  };
}

export function messageKey(code: Code): string {
  return `error.${code}`;
}
