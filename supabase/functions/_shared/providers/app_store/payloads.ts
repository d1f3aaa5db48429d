/** Payloads signed by the App Store. Only used fields are listed, all others are dropped. Times are in milliseconds. */
import { z } from "zod";

const text = z.string().optional();
const number = z.number().optional();
/** A time that RFC 3339 can represent. */
const time = z.int().min(0).max(Date.parse("9999-12-31T23:59:59.999Z")).optional();

export const TransactionPayload = z.object({
  originalTransactionId: text,
  transactionId: text,
  webOrderLineItemId: text,
  bundleId: text,
  productId: text,
  subscriptionGroupIdentifier: text,
  purchaseDate: time,
  originalPurchaseDate: time,
  expiresDate: time,
  quantity: number,
  type: text,
  appAccountToken: text,
  inAppOwnershipType: text,
  signedDate: time,
  revocationReason: number,
  revocationDate: time,
  isUpgraded: z.boolean().optional(),
  offerType: number,
  offerIdentifier: text,
  environment: text,
  storefront: text,
  storefrontId: text,
  transactionReason: text,
  currency: text,
  price: number,
  offerDiscountType: text,
  appTransactionId: text,
  offerPeriod: text,
  revocationType: text,
  revocationPercentage: number,
});
export type TransactionPayload = z.output<typeof TransactionPayload>;

export const RenewalPayload = z.object({
  expirationIntent: number,
  originalTransactionId: text,
  autoRenewProductId: text,
  productId: text,
  autoRenewStatus: number,
  isInBillingRetryPeriod: z.boolean().optional(),
  priceIncreaseStatus: number,
  gracePeriodExpiresDate: time,
  offerType: number,
  offerIdentifier: text,
  signedDate: time,
  environment: text,
  recentSubscriptionStartDate: time,
  renewalDate: time,
  currency: text,
  renewalPrice: number,
  offerDiscountType: text,
  eligibleWinBackOfferIds: z.array(z.string()).optional(),
  appAccountToken: text,
  appTransactionId: text,
  offerPeriod: text,
});
export type RenewalPayload = z.output<typeof RenewalPayload>;

const App = { appAppleId: number, bundleId: text, environment: text };

export const NotificationPayload = z.object({
  notificationType: text,
  subtype: text,
  notificationUUID: text,
  version: text,
  signedDate: time,
  data: z.object({
    ...App,
    bundleVersion: text,
    signedTransactionInfo: text,
    signedRenewalInfo: text,
    status: number,
    consumptionRequestReason: text,
  }).optional(),
  summary: z.object(App).optional(),
  externalPurchaseToken: z.object({ externalPurchaseId: text, appAppleId: number, bundleId: text }).optional(),
  appData: z.object(App).optional(),
});
export type NotificationPayload = z.output<typeof NotificationPayload>;
