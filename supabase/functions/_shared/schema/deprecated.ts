import type { z } from "zod";
import { checkDeprecation, type Deprecation, deprecationText } from "../http/deprecation.ts";

/** A field or parameter that will be removed. The contract marks it; it works as before. */
export function deprecated<T extends z.ZodType>(schema: T, deprecation: Deprecation): T {
  const { description, id: _component, ...meta } = schema.meta() ?? {};
  checkDeprecation(description ?? "A field", deprecation);
  const text = deprecationText(deprecation);
  return schema.meta({ ...meta, description: description ? `${description} ${text}` : text, deprecated: true });
}
