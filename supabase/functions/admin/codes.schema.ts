import { z } from "zod";
import { pageOf, PageQuery, SearchText } from "../_shared/schema/lists.ts";
import { Color, text, Timestamp, WebAddress } from "../_shared/schema/values.ts";

const CategoryId = text(1, 100).meta({
  description: "The list (category) of the code",
  examples: ["structure"],
});

export const AdminCode = z.object({
  category_id: CategoryId,
  code: z.string().meta({ examples: ["multi_storey"] }),
  labels: z.record(z.string(), z.string()).meta({
    description: "Labels by language",
    examples: [{ ja: "立体", en: "Multi-storey" }],
  }),
  metadata: z.looseObject({
    color: z.string().nullable().meta({ examples: ["#1565c0"] }),
    logo_url: z.string().nullable(),
    url: z.string().nullable(),
  }).nullable(),
  sort_order: z.int(),
  is_active: z.boolean().meta({ description: "False: no longer offered. Existing rows may still use it." }),
  is_open: z.boolean().meta({ description: "Whether codes can be added to this list and withdrawn from it" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminCode", description: "A code with its labels in every language" });

export const AdminCodes = pageOf(AdminCode, "AdminCodes");

export const AdminCodesQuery = z.strictObject({
  category_id: CategoryId.optional(),
  is_active: z.boolean().optional().meta({
    description: "`true`: only codes that are offered. `false`: only codes that are not.",
  }),
  q: SearchText.meta({ description: "Only codes whose code or label contains this text" }),
  ...PageQuery.shape,
});

export const AdminCodeParams = z.strictObject({
  category_id: CategoryId,
  code: text(1, 100).meta({ description: "The code", examples: ["multi_storey"] }),
});

export const CodeChanges = z.strictObject({
  labels: z.strictObject({ ja: text(1, 100), en: text(1, 100) }),
  metadata: z.strictObject({
    color: Color.nullable().optional(),
    logo_url: WebAddress.nullable().optional(),
    url: WebAddress.nullable().optional(),
  }).nullable().meta({ description: "Replaces the whole metadata object" }),
  sort_order: z.int32(),
  is_active: z.boolean().meta({ description: "Can change only in a list with `is_open`" }),
}).partial().meta({ id: "CodeChanges" });

export const NewCode = CodeChanges.required({ labels: true }).extend({
  category_id: CategoryId,
  code: z.string().regex(
    /^[A-Za-z0-9][A-Za-z0-9_.]{0,99}$/,
    "Must begin with a letter or digit and have at most 100 letters, digits, dots and underscores.",
  ).meta({ examples: ["barge"] }),
}).meta({ id: "NewCode" });
