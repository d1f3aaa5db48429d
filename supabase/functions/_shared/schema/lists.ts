/** Common parameters and fields of lists. */
import { z } from "zod";
import { text } from "./values.ts";

export const Limit = z.int().min(1).max(100).default(20).meta({ description: "Maximum number of items" });

export const Cursor = z.string().min(1).max(4096).optional().meta({
  description: "`next_cursor` of the previous page, with the same filters. Any other value is rejected.",
});

export const NextCursor = z.string().nullable().meta({
  description: "Cursor of the next page. Null on the last page.",
});

export const Total = z.int().min(0).optional().meta({
  description: "Total number of items. Only with `include=total`.",
});

export const IncludeTotal = z.array(z.enum(["total"])).optional().meta({
  description: "`total`: also return the total number",
  example: ["total"],
});

/** Search text for a list of the console, in the fields of its description. Case is ignored. */
export const SearchText = text(1, 100).optional();
