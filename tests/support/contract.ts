import { completeContract } from "../../supabase/functions/openapi/contract.ts";
import type { Reference } from "../../supabase/functions/openapi/generator.ts";

const document: Record<string, unknown> = completeContract();

/** What a reference of the contract points to; anything else is returned as it is. */
export function followed<T extends object>(value: T | Reference): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T;
  const place = value.$ref.slice("#/".length).split("/");
  return place.reduce((within, key) => within[key] as Record<string, unknown>, document) as T;
}
