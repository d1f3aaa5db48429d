import { type ApiError, type Code, codes } from "../errors.ts";
import { z } from "zod";

export const ErrorEnvelope = z.object({
  error: z.object({
    code: z.enum(codes).meta({ description: "Machine-readable code" }),
    message: z.string().meta({ description: "For developers and logs. Localise by `message_key`." }),
    message_key: z.string().meta({
      description: "Key of the message in a translation catalogue",
    }).optional(),
    request_id: z.string().meta({ description: "Request id, equal to the header `X-Request-Id`" }),
    param: z.string().nullable().meta({
      description: "The field with the error, as a dotted path if nested. Null if no single field is the cause.",
    }).optional(),
    doc_url: z.string().nullable().meta({ description: "Link to the documentation of the code" }).optional(),
    details: z.record(z.string(), z.unknown()).meta({
      description: "Additional data. For `validation_error`, `errors` lists every field error.",
    }).optional(),
  }),
}).meta({ id: "Error", description: "The body of every error response" });

export function envelope(error: ApiError, requestId: string, docUrl: string | null): z.infer<typeof ErrorEnvelope> {
  const { code, shown: { message, param, details } } = error;
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
