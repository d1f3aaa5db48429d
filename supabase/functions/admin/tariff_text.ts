import type { z } from "zod";
import { route } from "../_shared/http/route.ts";
import { readTariff } from "../_shared/tariff_text/read.ts";
import { writeSign } from "../_shared/tariff_text/write.ts";
import type { TariffRule } from "../_shared/tariff_text/types.ts";
import { TariffReading, TariffText } from "./tariff_text.schema.ts";

type Stay = NonNullable<z.input<typeof TariffReading>["stays"]>[number];

type PricedStay = Omit<Stay, "today" | "next"> & Stay["today"];

/** The reply of api.admin_preview_standard_stays. */
interface Preview {
  readonly currency: string | null;
  readonly stays: readonly PricedStay[] | null;
}

export const readTariffText = route({
  method: "POST",
  path: "/admin/tariff-text",
  access: "admin",
  area: "lots",
  summary: "Read the text of a sign as pricing rules",
  description:
    "A grammar without a model reads the text. A number, a word or a condition that it does not understand is in " +
    "`unread`, and the text is not accepted. Nothing is stored: `PUT …/pricing-rules` stores the rules.",
  body: TariffText,
  reply: [200, TariffReading],
  errors: ["lot_not_found"],
  calls: "admin_preview_standard_stays",
  handle: async ({ db, body }) => {
    const { parking_lot_id } = body;
    const preview = (pricing_rules: readonly TariffRule[] | null) =>
      db.rpc<Preview>("admin_preview_standard_stays", { parking_lot_id: parking_lot_id ?? null, pricing_rules });
    // Without a lot this checks the area only.
    const today = await preview(null);
    const currency = body.currency ?? today.currency ?? "JPY";
    const reading = readTariff(body.text, { currency });
    const next = reading.is_accepted && today.stays !== null ? await preview(reading.rules) : null;
    return {
      ...reading,
      rules: [...reading.rules],
      parts: [...reading.parts],
      unread: [...reading.unread],
      text: reading.is_accepted ? writeSign(reading.rules, currency) : null,
      currency,
      stays: today.stays?.map(({ total_amount, reason, ...stay }, index) => ({
        ...stay,
        today: { total_amount, reason },
        next: next && feeOf(next.stays![index]!),
      })) ?? null,
    };
  },
});

const feeOf = ({ total_amount, reason }: PricedStay) => ({ total_amount, reason });
