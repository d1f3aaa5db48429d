import { z } from "zod";
import { sharedParameters } from "./parameters.ts";

export const Lang = z.enum(["ja", "en"]).meta({ id: "Lang" });

/** The language that a request chooses. */
export const LangQuery = Lang.default("ja").meta({ description: "Language of the texts in the response" })
  .register(sharedParameters, { id: "Lang" });

export const CodesQuery = z.strictObject({
  lang: LangQuery,
});

const CodeRow = z.object({
  category_id: z.string().meta({ examples: ["vehicle_type"] }),
  code: z.string().meta({ examples: ["standard"] }),
  display_label: z.string().meta({ examples: ["普通車"] }),
  lang: Lang,
  sort_order: z.int(),
  metadata: z.looseObject({
    color: z.string().nullable().meta({ examples: ["#1565c0"] }),
    logo_url: z.string().nullable(),
    url: z.string().nullable(),
  }).nullable(),
}).meta({ id: "CodeRow", description: "One code of a category, with its label" });

export const Codes = z.object({
  items: z.array(CodeRow),
  lang: Lang,
}).meta({ id: "CodesResponse", description: "All codes, ordered by category, sort_order and code" });
