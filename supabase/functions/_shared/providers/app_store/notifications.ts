/** App Store Server Notifications, version 2. */
import type { StoreStatement } from "../store.ts";
import { factsOf, isAutoRenewable, keptPayload, purchaseOf, statement, timeAt } from "./facts.ts";
import type { NotificationPayload, TransactionPayload } from "./payloads.ts";
import { type SignedData, SignedDataError } from "./signed_data.ts";

const ACTIVE = 1;
/** Types that refer to a transaction which is not necessarily the current one. They do not change a subscription. */
const ABOUT_A_TRANSACTION = ["CONSUMPTION_REQUEST", "REFUND_DECLINED"];

/**
 * The statement of a notification. Null if it is not about a subscription (TEST, summaries, tokens of external
 * purchases, refunds of an earlier period). Throws SignedDataError.
 */
export async function readNotification(signed: SignedData, signedPayload: string): Promise<StoreStatement | null> {
  const notification = await signed.notification(signedPayload);
  const { notificationType: type, notificationUUID: id, signedDate, data, environment } = notification;
  if (!type || !id || signedDate === undefined) throw new SignedDataError("malformed", "payload: a notification");
  if (!data?.signedTransactionInfo || ABOUT_A_TRANSACTION.includes(type)) return null;
  const transaction = purchaseOf(await signed.transaction(data.signedTransactionInfo, [environment]));
  const renewal = data.signedRenewalInfo ? await signed.renewal(data.signedRenewalInfo, [environment]) : null;
  if (renewal !== null && renewal.originalTransactionId !== transaction.originalTransactionId) {
    throw new SignedDataError("malformed", "payload: the infos are of different subscriptions");
  }
  const status = isAutoRenewable(transaction) ? data.status ?? null : null;
  if (isOfEarlierPeriod(transaction, status, signedDate)) return null;
  const signedFacts = { transaction, renewal, status, at: signedDate };
  return statement({
    event_id: `notification:${id}`,
    type,
    subtype: notification.subtype ?? null,
    occurred_at: timeAt(signedDate),
    facts: factsOf(signedFacts),
    payload: { notification: keptNotification(notification), ...keptPayload(signedFacts) },
    receipt_hash: null,
  });
}

/** The subscription is active because of another transaction: this one is expired or refunded. */
function isOfEarlierPeriod({ revocationDate, expiresDate }: TransactionPayload, status: number | null, at: number) {
  return status === ACTIVE && (revocationDate !== undefined || (expiresDate !== undefined && expiresDate <= at));
}

function keptNotification({ data, ...rest }: NotificationPayload): Record<string, unknown> {
  const { signedTransactionInfo: _, signedRenewalInfo: __, ...kept } = data ?? {};
  return { ...rest, data: kept };
}
