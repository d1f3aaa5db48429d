/** Every `details.reason` of an error response, for the page of errors. Tests compare the list with what raises them. */
import type { Code } from "../_shared/errors.ts";

export interface Reason {
  readonly codes: readonly Code[];
  /** What it means, and what to do. */
  readonly meaning: string;
}

const conflict = (meaning: string): Reason => ({ codes: ["conflict"], meaning });
const forbidden = (meaning: string): Reason => ({ codes: ["forbidden"], meaning });
const invalid = (meaning: string): Reason => ({ codes: ["validation_error"], meaning });
const feeUnknown = (meaning: string): Reason => ({ codes: ["fee_unknown"], meaning });
const unauthorized = (meaning: string): Reason => ({ codes: ["unauthorized"], meaning });

export const reasons: Readonly<Record<string, Reason>> = {
  account_not_active: conflict("The app user is suspended or withdrawn."),
  already_exists: conflict("Another resource has this value of a unique field. Use another value."),
  already_owned: conflict("The user has this theme."),
  already_reviewed: conflict("The caller has a review of this lot. Edit that review."),
  already_revoked: conflict("The subscription is revoked."),
  being_invited: conflict("The invitation of this address is being sent. Retry in a few seconds."),
  belongs_to_another_account: conflict("The purchase was made for another account. Sign in to that account."),
  changed_meanwhile: conflict("The entry was changed after it was read. Read it again, then decide."),
  default_required: conflict("One vehicle must be the default. Make another one the default."),
  email_exists: conflict("The address has an account."),
  exists: conflict("The resource exists. Change it instead."),
  export_not_recorded: conflict("Record an export first (`admin_export_user`)."),
  external_id_taken: conflict("Another lot has this `external_id` of the source. Change that lot."),
  fixed_list: conflict("The codes of this list cannot be changed."),
  in_use: conflict("Other resources refer to it. Deactivate it instead."),
  invitation_replaced: conflict("Another request has invited this address since. Send the invitation again."),
  is_administrator: conflict("The account belongs to an active administrator. Suspend the administrator first."),
  key_in_use: conflict("A request with this `Idempotency-Key` runs. Send the same request again."),
  key_reused_with_different_body: conflict(
    "Another request had this `Idempotency-Key` or `client_request_id`. Use a new one.",
  ),
  last_administrator: conflict("The last active administrator with the area `admins`. Give the area to another first."),
  limit_reached: conflict("The list is full; `details.limit` has its length. Delete an entry first."),
  mfa_required: forbidden(
    "Administrators need a session with a second factor (`aal2`). Enroll one, or enter a code of the authenticator app.",
  ),
  no_rate: feeUnknown("A part of the stay has no price: `details.from` to `details.until`."),
  no_rules: feeUnknown("The lot has no pricing rules."),
  not_configured: {
    codes: ["service_unavailable"],
    meaning: "This environment has no settings for the provider, for example the store.",
  },
  not_counted: forbidden("An expensive read at the Data API. Call it through `api.read_counted`."),
  not_revoked: conflict("The subscription is not revoked."),
  only_totals: feeUnknown(
    "The lot publishes only what other stays cost. The fee is from `details.at_least` to `details.at_most`.",
  ),
  outcome_unknown: {
    codes: ["server_error"],
    meaning: "It is unknown whether the request was carried out. Retry with the same `Idempotency-Key`.",
  },
  own_account: forbidden("Administrators cannot do this to their own account."),
  own_area: forbidden(
    "Administrators cannot give themselves an area, nor remove the area `admins` from themselves.",
  ),
  own_entry: forbidden("Administrators cannot decide on their own entries."),
  period_too_large: invalid("The report would read more than 200,000 daily counts. Use a shorter period, or none."),
  premium_required: forbidden("For premium members only. Show the subscriptions."),
  pricing_group_in_use: conflict("The group has rules. Delete the rules first."),
  queue_gone: conflict("The queue of the message does not exist any more. Discard the message."),
  reply_too_large: conflict("The response is too large for an `Idempotency-Key`. Send the request without a key."),
  retired: conflict("The lot has another value now. Read it again."),
  schema_differs: {
    codes: ["service_unavailable"],
    meaning: "The database does not have the migrations of the release: `missing`, `changed` and `unknown` name them.",
  },
  search_attribute: conflict("The tag is an attribute of searches and must stay active."),
  session_cancelled: conflict("The session is cancelled."),
  session_ended: conflict("The session has ended."),
  signature_required: conflict(
    "The receipt has no signature, and the purchase is not the caller's. Send the signed transaction of StoreKit 2.",
  ),
  signature_too_old: conflict(
    "Another account uses the purchase, and the receipt was signed more than 10 minutes ago. Restore purchases in the " +
      "store (`AppStore.sync`), then send the new signed transaction.",
  ),
  status_not_reachable: conflict("`details.allowed` lists the next states of `details.status`."),
  testers_only: forbidden("A purchase of the Sandbox, and the caller is not one of the testers in the settings."),
  token_expired: unauthorized("Refresh the session."),
  token_invalid: unauthorized("The token is not valid for this project. Sign in."),
  token_missing: unauthorized("Sign in."),
  too_far: invalid("The position is too far from the sponsor; `details.allowed_m` is the limit."),
  too_inaccurate: invalid("The position is not accurate enough; `details.allowed_m` is the limit."),
  too_late: conflict("The time for this has passed. A session can be cancelled for five minutes."),
  too_many_clusters: invalid("Use a smaller box or a lower zoom."),
  too_many_keys: conflict("The user has the maximum of AI keys. Delete one first."),
  too_many_lots: invalid("Use a smaller box or more conditions."),
  too_many_messages: conflict("The ticket is full. Open another one."),
  too_many_replies: conflict("The `Idempotency-Key` has 10 responses already. Use a new key for each request."),
  too_many_stored_bytes: conflict("The files would exceed `details.max_bytes`. Delete some, then retry."),
  too_many_unattached_uploads: conflict("Use or wait for earlier uploads; `details` has the limits."),
  too_much_to_price: invalid("The search would price a stay at too many lots. Use a smaller area or a shorter stay."),
  upload_not_usable: invalid(
    "The file is missing or not what was declared: upload it again. A file that is no picture needs a new upload.",
  ),
  vehicle_type_not_priced: feeUnknown("The lot has no price for this vehicle type."),
  was_published: conflict("The article was published. Withdraw it instead."),
  was_shown: conflict("It was shown to users. Deactivate it instead."),
};
