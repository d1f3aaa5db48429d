/** Common parameters and fields of lists. */
import { z } from "zod";
import { sharedParameters } from "./parameters.ts";
import { Id, text } from "./values.ts";

export const Limit = z.int().min(1).max(100).default(20).meta({ description: "Maximum number of items" }).register(
  sharedParameters,
  { id: "Limit" },
);

export const Cursor = text(1, 4096).optional().meta({
  description: "`next_cursor` of the previous page, with the same filters. Any other value is rejected.",
}).register(sharedParameters, { id: "Cursor" });

export const NextCursor = z.string().nullable().meta({
  description: "Cursor of the next page. Null on the last page.",
});

export const Total = z.int().min(0).meta({
  id: "Total",
  description: "Total number of items. Only with `include=total`.",
}).optional();

/** Of a list that may have millions of items. */
export const TotalIsExact = z.boolean().meta({
  id: "TotalIsExact",
  description: "With `total`: false if there may be more than `total`. Counting stops at 10,000.",
}).optional();

export const IncludeTotal = z.array(z.enum(["total"])).optional().meta({
  description: "`total`: also return the total number",
  example: ["total"],
}).register(sharedParameters, { id: "Include" });

/** The query of every list. A list with filters spreads its shape. */
export const PageQuery = z.strictObject({ limit: Limit, cursor: Cursor, include: IncludeTotal });

/** One page of a list, with the component name `id`. `more` contains additional fields of the page. */
export function pageOf<Item extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  item: Item,
  id: string,
  more?: More,
) {
  return z.object({ items: z.array(item), next_cursor: NextCursor, total: Total, ...more as More }).meta({ id });
}

/** A page of a list that may have millions of items: its total is capped. */
export function cappedPageOf<Item extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  item: Item,
  id: string,
  more?: More,
) {
  return pageOf(item, id, { total_is_exact: TotalIsExact, ...more as More });
}

/** Filters common to several lists. */
export const IsActive = z.boolean().optional().meta({
  description: "`true`: only active ones. `false`: only inactive ones.",
}).register(sharedParameters, { id: "IsActive" });

export const OfParkingLot = Id.optional().meta({ description: "Only items of this parking lot" })
  .register(sharedParameters, { id: "OfParkingLot" });

/** Search text for a list of the console, in the fields of its description. Case is ignored. */
export const SearchText = text(1, 100).optional();
