// What /control/app-store takes: one action a request.
import { z } from "zod";

const Id = z.string().regex(/^\d+$/);
/** When it happens, by the store's clock; now, without it. */
const at = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)).optional();
/** Sends the notification to the service, or to this address; its body is in the reply either way. */
const send = z.union([z.boolean(), z.url()]).optional();
const event = { original_transaction_id: Id, at, send };
const product_id = z.string().min(1);

const Answer = z.strictObject({
  status: z.int().optional(),
  /** Of the Server API, in its usual body. */
  error_code: z.int().optional(),
  body: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  delay_ms: z.int().min(0).optional(),
  /** The connection breaks off in the middle of the answer. */
  drop: z.boolean().optional(),
  times: z.int().min(1).optional(),
});
export type Answer = z.output<typeof Answer>;

export const Control = z.discriminatedUnion("action", [
  z.strictObject({
    action: z.literal("buy"),
    product_id,
    environment: z.enum(["Production", "Sandbox"]).optional(),
    account_token: z.uuid().nullish(),
    /** 30 days, without it. */
    period_seconds: z.int().min(1).optional(),
    trial: z.boolean().optional(),
    one_time: z.boolean().optional(),
    at,
    send,
  }),
  z.strictObject({ action: z.literal("renew"), ...event }),
  z.strictObject({
    action: z.literal("fail"),
    grace: z.boolean().optional(),
    grace_seconds: z.int().min(1).optional(),
    ...event,
  }),
  z.strictObject({ action: z.literal("end_grace"), ...event }),
  z.strictObject({ action: z.literal("recover"), ...event }),
  z.strictObject({ action: z.literal("cancel"), ...event }),
  z.strictObject({ action: z.literal("enable"), ...event }),
  z.strictObject({ action: z.literal("upgrade"), product_id, ...event }),
  z.strictObject({ action: z.literal("downgrade"), product_id, ...event }),
  z.strictObject({ action: z.literal("refund"), ...event }),
  z.strictObject({ action: z.literal("reverse_refund"), ...event }),
  z.strictObject({ action: z.literal("expire"), ...event }),
  z.strictObject({ action: z.literal("resubscribe"), product_id, ...event }),
  z.strictObject({ action: z.literal("age"), original_transaction_id: Id, seconds: z.int().min(1) }),
  z.strictObject({ action: z.literal("read"), original_transaction_id: Id, transaction_id: Id.optional(), at }),
  z.strictObject({ action: z.literal("receipts"), original_transaction_id: Id }),
  z.strictObject({ action: z.literal("test_notification"), at, send }),
  /** Signs any payload as the store would. */
  z.strictObject({ action: z.literal("sign"), payload: z.record(z.string(), z.unknown()) }),
  /** The next answers of the Server API to questions about a transaction; without one, to all. */
  z.strictObject({ action: z.literal("script"), transaction_id: Id.optional(), answers: z.array(Answer) }),
]);
export type Control = z.output<typeof Control>;
/** What happens to a purchase that is there. */
export type LifeEvent = Exclude<
  Extract<Control, { original_transaction_id: string }>,
  { action: "age" | "read" | "receipts" }
>;
