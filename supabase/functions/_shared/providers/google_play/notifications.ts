/** Real-time developer notifications: Pub/Sub pushes with a bearer token signed by Google. */
import { JOSEError, JWTExpired } from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import { z } from "zod";
import { KeySet } from "../../auth/key_set.ts";
import { bearerOf, expiredToken, invalidToken, missingToken } from "../../auth/token.ts";
import { ApiError } from "../../errors.ts";
import type { PlayNotificationsConfig } from "../../provider_settings.ts";
import type { StoreStatement } from "../store.ts";
import { sha256, withoutAccess } from "./purchases.ts";

interface Notice {
  /** Message id of Pub/Sub. Redelivery of a message keeps it. */
  readonly message_id: string;
  readonly event_time: string;
  /** `SUBSCRIPTION_RENEWED`. `SUBSCRIPTION_TYPE_<number>` for an unknown type. */
  readonly notification_type: string;
}

export interface PurchaseNotification extends Notice {
  readonly kind: "subscription" | "one_time" | "voided";
  readonly purchase_token: string;
  readonly subscription_key: string;
  /** Null if Google does not return it. */
  readonly product_id: string | null;
  /** voided: the refunded order. */
  readonly order_id: string | null;
}

/** Notifications without effect. Those of another app are `other` too. */
export interface EmptyNotification extends Notice {
  readonly kind: "test" | "other";
  readonly purchase_token: null;
  readonly product_id: null;
}

/** Distinguished by `purchase_token`. */
export type PlayNotification = PurchaseNotification | EmptyNotification;

/** Maximum clock difference to Google. */
const LEEWAY_SECONDS = 60;
const ISSUERS = ["https://accounts.google.com", "accounts.google.com"];

const SUBSCRIPTION_TYPES: Readonly<Record<number, string>> = {
  1: "SUBSCRIPTION_RECOVERED",
  2: "SUBSCRIPTION_RENEWED",
  3: "SUBSCRIPTION_CANCELED",
  4: "SUBSCRIPTION_PURCHASED",
  5: "SUBSCRIPTION_ON_HOLD",
  6: "SUBSCRIPTION_IN_GRACE_PERIOD",
  7: "SUBSCRIPTION_RESTARTED",
  8: "SUBSCRIPTION_PRICE_CHANGE_CONFIRMED",
  9: "SUBSCRIPTION_DEFERRED",
  10: "SUBSCRIPTION_PAUSED",
  11: "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED",
  12: "SUBSCRIPTION_REVOKED",
  13: "SUBSCRIPTION_EXPIRED",
  17: "SUBSCRIPTION_ITEMS_CHANGED",
  18: "SUBSCRIPTION_CANCELLATION_SCHEDULED",
  19: "SUBSCRIPTION_PRICE_CHANGE_UPDATED",
  20: "SUBSCRIPTION_PENDING_PURCHASE_CANCELED",
  22: "SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED",
};
const ONE_TIME_TYPES: Readonly<Record<number, string>> = {
  1: "ONE_TIME_PRODUCT_PURCHASED",
  2: "ONE_TIME_PRODUCT_CANCELED",
};
/** A partial refund of a quantity does not end access. */
const PARTIAL_REFUND = 2;

const Envelope = z.object({
  message: z.object({
    data: z.string().max(65_536),
    messageId: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  }),
});

const Token = z.string().regex(/^[\x21-\x7e]{1,1000}$/);
const DeveloperNotification = z.object({
  packageName: z.string(),
  eventTimeMillis: z.union([z.string().regex(/^\d{1,14}$/), z.int().min(0).max(99_999_999_999_999)]).transform((time) =>
    new Date(Number(time)).toISOString()
  ),
  subscriptionNotification: z.object({
    notificationType: z.int(),
    purchaseToken: Token,
    subscriptionId: z.string().optional(),
  }).optional(),
  oneTimeProductNotification: z.object({
    notificationType: z.int(),
    purchaseToken: Token,
    sku: z.string().optional(),
  }).optional(),
  voidedPurchaseNotification: z.object({
    purchaseToken: Token,
    orderId: z.string().optional(),
    refundType: z.int().optional(),
  }).optional(),
  testNotification: z.looseObject({}).optional(),
});
type DeveloperNotification = z.output<typeof DeveloperNotification>;

export class NotificationReader {
  readonly #config: PlayNotificationsConfig;
  readonly #packageName: string;
  readonly #keys: KeySet;

  constructor(config: PlayNotificationsConfig, packageName: string) {
    this.#config = config;
    this.#packageName = packageName;
    this.#keys = new KeySet(config.jwksUrl);
  }

  async read(authorization: string | null, body: unknown): Promise<PlayNotification> {
    if (authorization === null) throw missingToken();
    await this.#checkSender(bearerOf(authorization));
    const { message } = parsed(Envelope, body, []);
    const notification = parsed(DeveloperNotification, decoded(message.data), ["message", "data"]);
    const notice = { message_id: message.messageId, event_time: notification.eventTimeMillis };
    if (notification.packageName === this.#packageName) return await noticeOf(notification, notice);
    return { ...notice, ...nothing, kind: "other", notification_type: "OTHER_APP" };
  }

  async #checkSender(token: string): Promise<void> {
    const { audience, account } = this.#config;
    try {
      const { payload } = await jwtVerify(token, this.#keys.find, {
        algorithms: ["RS256"],
        issuer: ISSUERS,
        audience,
        requiredClaims: ["exp", "email"],
        clockTolerance: LEEWAY_SECONDS,
      });
      if (payload["email"] !== account || payload["email_verified"] !== true) throw invalidToken();
    } catch (error) {
      if (error instanceof JWTExpired) throw expiredToken();
      if (error instanceof JOSEError) throw invalidToken();
      throw error;
    }
  }
}

const nothing = { purchase_token: null, product_id: null } as const;

async function noticeOf(
  notification: DeveloperNotification,
  notice: Pick<Notice, "message_id" | "event_time">,
): Promise<PlayNotification> {
  const { subscriptionNotification, oneTimeProductNotification, voidedPurchaseNotification } = notification;
  if (subscriptionNotification) {
    const { notificationType, purchaseToken, subscriptionId } = subscriptionNotification;
    return {
      ...notice,
      ...await purchaseOf(purchaseToken, subscriptionId),
      kind: "subscription",
      notification_type: SUBSCRIPTION_TYPES[notificationType] ?? `SUBSCRIPTION_TYPE_${notificationType}`,
    };
  }
  if (oneTimeProductNotification) {
    const { notificationType, purchaseToken, sku } = oneTimeProductNotification;
    return {
      ...notice,
      ...await purchaseOf(purchaseToken, sku),
      kind: "one_time",
      notification_type: ONE_TIME_TYPES[notificationType] ?? `ONE_TIME_PRODUCT_TYPE_${notificationType}`,
    };
  }
  if (voidedPurchaseNotification) {
    const { purchaseToken, orderId, refundType } = voidedPurchaseNotification;
    const isPartial = refundType === PARTIAL_REFUND;
    return {
      ...notice,
      ...await purchaseOf(purchaseToken),
      kind: "voided",
      notification_type: isPartial ? "PURCHASE_PARTLY_REFUNDED" : "PURCHASE_VOIDED",
      order_id: orderId ?? null,
    };
  }
  return notification.testNotification
    ? { ...notice, ...nothing, kind: "test", notification_type: "TEST" }
    : { ...notice, ...nothing, kind: "other", notification_type: "OTHER" };
}

async function purchaseOf(purchase_token: string, product_id: string | null = null) {
  return { purchase_token, subscription_key: await sha256(purchase_token), product_id, order_id: null };
}

/**
 * The ledger entry of a notification: the state of its purchase, read after the notification arrived. Only a revocation
 * contains more than the purchase, which is then simply expired: it ends access at its own time, regardless of the
 * state read later.
 */
export function notifiedStatement(notification: PurchaseNotification, read: StoreStatement): StoreStatement {
  const { message_id, event_time, notification_type, order_id } = notification;
  const statement = {
    ...read,
    event_id: `notification:${message_id}`,
    type: notification_type,
    payload: { ...read.payload, notification: { message_id, event_time, type: notification_type, order_id } },
  };
  if (!revokes(notification, read)) return statement;
  const { facts } = read;
  const endsAt = facts.expires_at !== null && facts.expires_at < event_time ? facts.expires_at : event_time;
  return {
    ...statement,
    occurred_at: event_time,
    facts: { ...facts, ...withoutAccess, status: "revoked", access_ends_at: endsAt },
    needs_acknowledgement: false,
  };
}

/** A refund of an older order that does not end the subscription, if the subscription continues. */
function revokes({ notification_type, order_id }: PurchaseNotification, { facts, payload }: StoreStatement): boolean {
  if (notification_type === "SUBSCRIPTION_REVOKED") return true;
  if (notification_type !== "PURCHASE_VOIDED") return false;
  if (facts.access_ends_at === null || order_id === null) return true;
  return latestOrders(payload).includes(order_id);
}

function latestOrders(payload: StoreStatement["payload"]): unknown[] {
  const { items = [], product } = payload as {
    items?: { order_id: unknown }[];
    product?: { order_id: unknown };
  };
  return [...items, ...(product ? [product] : [])].map(({ order_id }) => order_id);
}

function decoded(data: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw unreadable("message.data", "Must be a base64-encoded JSON object.");
  }
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, within: readonly string[]): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw unreadable(
    [...within, ...issue?.path ?? []].join(".") || null,
    "Must be a Google Play notification from Pub/Sub.",
  );
}

function unreadable(param: string | null, message: string): ApiError {
  return ApiError.ofFields([{ param, code: "invalid", message }]);
}
