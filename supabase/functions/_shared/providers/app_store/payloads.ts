/** What the App Store signs, as far as it is used: fields that are not named here are dropped. Times are milliseconds. */
import { z } from "zod";

const text = z.string().optional();
const number = z.number().optional();

export const TransactionPayload = z.object({
  originalTransactionId: text,
  transactionId: text,
  webOrderLineItemId: text,
  bundleId: text,
  productId: text,
  subscriptionGroupIdentifier: text,
  purchaseDate: number,
  originalPurchaseDate: number,
  expiresDate: number,
  quantity: number,
  type: text,
  appAccountToken: text,
  inAppOwnershipType: text,
  signedDate: number,
  revocationReason: number,
  revocationDate: number,
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
  gracePeriodExpiresDate: number,
  offerType: number,
  offerIdentifier: text,
  signedDate: number,
  environment: text,
  recentSubscriptionStartDate: number,
  renewalDate: number,
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
  signedDate: number,
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
