import { z } from "zod";
import { CurrencyCode, Id, text } from "../_shared/schema/values.ts";
import { MAX_TEXT, REASONS } from "../_shared/tariff_text/types.ts";
import { PricingRuleInput } from "./parking_lot_sets.schema.ts";

export const TariffText = z.strictObject({
  text: text(1, MAX_TEXT).meta({
    description: "The text of a sign or a web page: Japanese, English, German or French",
    examples: ["8:00-20:00 30分200円 20:00-8:00 60分100円 最大料金 駐車後24時間 1,200円(繰り返し可)"],
  }),
  currency: CurrencyCode.optional().meta({
    description: "Currency of the amounts. Default: that of the lot, else JPY.",
    examples: ["JPY"],
  }),
  parking_lot_id: Id.optional().meta({
    description: "The lot whose fees of today are compared. Without it `stays` is null.",
  }),
}).meta({ id: "TariffText" });

const Offset = z.int().min(0).max(2 * MAX_TEXT);
const stretch = {
  from: Offset.meta({ description: "Offset in `text`, in UTF-16 units" }),
  to: Offset.meta({ description: "The offset after the last unit" }),
};

const StayFee = z.object({
  total_amount: z.int().min(0).nullable().meta({ description: "In minor units of `currency`. Null if it is unknown." }),
  reason: z.string().nullable().meta({
    description: "`details.reason` of `fee_unknown`, if it is unknown",
    examples: ["no_rules"],
  }),
}).meta({ id: "StandardStayFee" });

export const TariffReading = z.object({
  is_accepted: z.boolean().meta({
    description: "Everything in the text was understood. Only then the rules may be stored.",
  }),
  rules: z.array(PricingRuleInput).meta({
    description: "The rules that were read, in the format of `PUT …/pricing-rules`",
  }),
  parts: z.array(z.object({
    rule: z.int().min(0).meta({ description: "Index in `rules`" }),
    ...stretch,
  })).meta({ description: "The stretches of the text that each rule comes from" }),
  unread: z.array(z.object({ ...stretch, reason: z.enum(REASONS) })).meta({
    description: "What was not understood, with the reason (docs/domains/tariff_text.md)",
  }),
  text: z.object({
    ja: z.string(),
    en: z.string(),
  }).nullable().meta({ description: "The sign written again from the rules. Null if the text is not accepted." }),
  max_parking_duration_min: z.int().min(1).nullable().meta({
    description: "The longest stay that the text allows, in minutes. No rule comes from it.",
  }),
  currency: z.string().meta({ examples: ["JPY"] }),
  stays: z.array(z.object({
    name: z.enum([
      "hour",
      "three_hours",
      "day",
      "night",
      "day_and_night",
      "saturday",
      "sunday_night",
      "holiday",
    ]),
    entry_at: z.iso.datetime({ offset: true }),
    exit_at: z.iso.datetime({ offset: true }),
    today: StayFee.meta({ description: "By the stored rules of the lot" }),
    next: StayFee.nullable().meta({ description: "By the rules of the text. Null if the text is not accepted." }),
  })).nullable().meta({ description: "Eight stays with both fees. Null without `parking_lot_id`." }),
}).meta({ id: "TariffReading" });
