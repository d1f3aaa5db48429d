/** What every list takes and answers beside its items. */
import { z } from "zod";
import { text } from "./values.ts";

export const Limit = z.int().min(1).max(100).default(20).meta({ description: "How many items at most" });

export const Cursor = z.string().min(1).max(4096).optional().meta({
  description: "`next_cursor` of the page before, with the same filters; any other is refused",
});

export const NextCursor = z.string().nullable().meta({ description: "Where the next page begins; null on the last" });

export const Total = z.int().min(0).optional().meta({ description: "How many there are in all, with `include=total`" });

export const IncludeTotal = z.array(z.enum(["total"])).optional().meta({
  description: "`total`: also count all",
  example: ["total"],
});

/** What a list of the console is searched for, in the fields that its description names; letter case makes no difference. */
export const SearchText = text(1, 100).optional();
