// A naive ledger: reads the statements of subscriptions in the order of the stores' clocks, one after another.
import type { StoreStatement, SubscriptionFacts } from "../../supabase/functions/_shared/providers/store.ts";

export interface Act {
  readonly type: "REVOKED" | "REINSTATED";
  readonly at: number;
}

export interface SubscriptionState {
  readonly status: string;
  readonly product: string | null;
  readonly started: number;
  readonly ended: number | null;
  readonly bought: number;
  /** Until when it gives premium, or gave it; null: it gave none. */
  readonly accessEnd: number | null;
  readonly autoRenews: boolean;
  readonly autoRenewStatus: boolean | null;
  readonly nextBilling: number | null;
  readonly isTrial: boolean;
  readonly needsAcknowledgement: boolean;
}

const moment = (time: string | null) => time === null ? null : time === "infinity" ? Infinity : Date.parse(time);
const givesAccess = (status: string) => status === "active" || status === "grace";

/** Every statement once. Of one that was read several times, what was read last. */
function unique(statements: readonly StoreStatement[]): StoreStatement[] {
  const all = new Map<string, StoreStatement>();
  for (const statement of statements) {
    const other = all.get(statement.event_id);
    if (!other || Date.parse(other.occurred_at) < Date.parse(statement.occurred_at)) {
      all.set(statement.event_id, statement);
    }
  }
  return [...all.values()];
}

/**
 * By the store's clock. At one moment a revocation comes last, before it what gives access longest; where that is the same,
 * what waits to be acknowledged.
 */
function inOrder(statements: readonly StoreStatement[]): StoreStatement[] {
  const end = ({ facts }: StoreStatement) => moment(facts.access_ends_at) ?? -Infinity;
  return statements.toSorted((a, b) =>
    Date.parse(a.occurred_at) - Date.parse(b.occurred_at) ||
    Number(a.facts.status === "revoked") - Number(b.facts.status === "revoked") ||
    (end(a) === end(b) ? Number(a.needs_acknowledgement) - Number(b.needs_acknowledgement) : end(a) - end(b))
  );
}

/** The state of a subscription after all these statements, in any order, and these acts in their order. */
export function naiveSubscription(
  all: readonly StoreStatement[],
  key: string,
  plans: readonly string[],
  acts: readonly Act[],
): SubscriptionState {
  let current: SubscriptionFacts | undefined;
  let [at, product, needsAcknowledgement] = [0, null as string | null, false];
  let revocation: { readonly end: number | null; readonly at: number } | undefined;
  for (const statement of inOrder(unique(all.filter(({ subscription_key }) => subscription_key === key)))) {
    const { facts } = statement;
    [current, at, needsAcknowledgement] = [facts, Date.parse(statement.occurred_at), statement.needs_acknowledgement];
    if (plans.includes(facts.product_id)) product = facts.product_id;
    if (facts.status === "revoked") revocation = { end: moment(facts.access_ends_at ?? facts.expires_at), at };
    if (givesAccess(facts.status) || statement.store === "ios_store" && facts.status !== "revoked") {
      revocation = undefined;
    }
  }
  if (current === undefined) throw new Error(`Nothing was said of ${key}`);

  const isRevoked = current.status === "revoked" || current.status === "expired" && revocation !== undefined;
  let status: string = isRevoked ? "revoked" : current.status;
  let accessEnd = moment(current.access_ends_at);
  if (status === "pending" || status === "unknown") accessEnd = null;
  else if (!givesAccess(status)) {
    const [end, said] = isRevoked ? [revocation!.end, revocation!.at] : [accessEnd ?? moment(current.expires_at), at];
    accessEnd = end === null ? null : Math.min(end, said);
  }

  let isOver = false;
  const endAt = (end: number) => {
    isOver = true;
    if (accessEnd !== null) accessEnd = Math.min(accessEnd, end);
  };
  const successors = new Set(
    all.filter(({ supersedes }) => supersedes === key).map(({ facts }) => Date.parse(facts.original_purchase_date)),
  );
  if (successors.size > 0) {
    endAt(Math.min(...successors));
    if (status !== "revoked") status = "expired";
  }
  const act = acts.at(-1);
  if (act?.type === "REVOKED") {
    endAt(act.at);
    status = "revoked";
  }
  const ends = [moment(current.expires_at), accessEnd].filter((end) => end !== null);
  const isEarly = (status === "expired" || status === "revoked") && ends.length > 0;
  return {
    status,
    product,
    started: Date.parse(current.started_at),
    ended: isEarly ? Math.min(...ends) : moment(current.expires_at),
    bought: Date.parse(current.original_purchase_date),
    accessEnd,
    autoRenews: current.auto_renewing && !isOver,
    autoRenewStatus: current.auto_renew_status,
    nextBilling: isOver ? null : moment(current.next_billing_date),
    isTrial: current.is_trial_period,
    needsAcknowledgement,
  };
}

/** Whose each subscription is: who is named at the purchase, else who claimed it last, else the user of what it replaced. */
export class NaiveUsers {
  readonly users = new Map<string, string | null>();
  readonly #replaced = new Map<string, string>();
  readonly #named: string | null;

  constructor(named: string | null) {
    this.#named = named;
  }

  record({ subscription_key, supersedes }: StoreStatement, purchaser: string | null): void {
    if (!this.users.has(subscription_key)) this.users.set(subscription_key, null);
    if (supersedes !== null) this.#replaced.set(subscription_key, supersedes);
    if (this.#named !== null) this.users.set(subscription_key, this.#named);
    if (purchaser === null) this.#passOn();
  }

  claim(key: string, user: string): void {
    if (this.#named === null) this.users.set(key, user);
    this.#passOn();
  }

  #passOn(): void {
    for (let isDone = false; !isDone;) {
      isDone = true;
      for (const [key, user] of this.users) {
        const former = this.users.get(this.#replaced.get(key) ?? "") ?? null;
        if (user !== null || former === null) continue;
        this.users.set(key, former);
        isDone = false;
      }
    }
  }
}
