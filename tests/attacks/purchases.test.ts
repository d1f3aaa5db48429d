// Purchases by other people's data: attackers know every id and text of others' purchases, and what the stores signed of
// them some time ago. By none of it do they become the owner of a purchase.
import assert from "node:assert/strict";
import { appReceipt, transactionReceipt } from "../../local/standins/app_store/receipts.ts";
import { inDatabase } from "../api/lots.ts";
import { aPlan, apple, type IapPath, type IapRequest, isPremium, play, verify } from "../api/purchases.ts";
import { type Person, signUp } from "../support/people.ts";
import { chance } from "../support/random.ts";
import { type Reply, rpc, run, send } from "./attacker.ts";
import { seed, volume } from "../support/sizes.ts";

const CASES = volume("PURCHASES_CASES", 300, 1_000);
const CONCURRENCY = 8;
const SEED = seed("PURCHASES_SEED", 20261123);
const MINUTE_MS = 60_000;
const BUNDLE_ID = "jp.example.parking";
const PATHS: readonly IapPath[] = ["/verify-iap", "/me/subscription/verify-iap", "/me/subscription/refresh-iap"];

const random = chance(SEED);
const [plan, otherPlan] = [await aPlan(), await aPlan()];
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const encoded = (value: unknown) => btoa(JSON.stringify(value));

/** A purchase of another user, or of nobody yet, with all that an attacker may know of it. */
interface Victim {
  readonly name: string;
  readonly platform: "ios" | "android";
  readonly owner: Person | null;
  /** The row of the subscription. */
  readonly id: string;
  /** Texts that are no secret: ids, hashes, orders, notifications, renewal infos. */
  readonly texts: readonly string[];
  readonly transactionIds: readonly string[];
  /** A copy of the receipt itself that must not be enough. */
  readonly copy: () => Promise<string | null>;
}

const rowOf = (key: string) =>
  inDatabase(async (sql) => {
    const [row] = await sql`
      select s.id, s.external_subscription_id, s.subscription_key from public.user_subscriptions s
      where s.subscription_key = ${key}`;
    return row as { id: string; external_subscription_id: string | null; subscription_key: string };
  });

async function onApple(
  name: string,
  named: "nobody" | "owner" | "stranger",
  order: { readonly environment?: "Sandbox"; readonly one_time?: boolean } = {},
): Promise<Victim> {
  const owner = named === "stranger" ? null : await signUp();
  const account_token = { nobody: null, owner: owner?.id ?? null, stranger: crypto.randomUUID() }[named];
  const bought = await apple.buy({ product_id: plan, account_token, ...order }, {
    at: ago(180 * MINUTE_MS),
    send: true,
  });
  const original = bought.subscription.original_transaction_id;
  const renewed = order.one_time
    ? bought
    : await apple.act(original, "renew", { at: ago(120 * MINUTE_MS), send: true });
  if (owner !== null) {
    const request = { platform: "ios", receipt: renewed.signed_transaction, product_id: plan } as const;
    await verifyEither(owner, request);
  }
  const transactionIds = [...new Set([original, renewed.subscription.transaction_id])];
  const { id, external_subscription_id } = await eventuallyRow(original);
  const [first, last] = [bought.notification.signedPayload, renewed.notification.signedPayload];
  return {
    name,
    platform: "ios",
    owner,
    id,
    texts: [id, original, external_subscription_id ?? "", first, last, renewed.signed_renewal_info ?? ""].filter(
      Boolean,
    ),
    transactionIds,
    // A purchase without an owner belongs to the user who has its signed transaction.
    copy: async () =>
      owner === null
        ? null
        : (await apple.read(original, { at: ago((11 + random.below(100_000)) * MINUTE_MS) })).signed_transaction,
  };
}

async function onGoogle(
  name: string,
  named: "nobody" | "owner",
  order: { readonly one_time?: boolean; readonly test?: boolean } = {},
): Promise<Victim> {
  const owner = await signUp();
  const account_id = named === "owner" ? { account_id: owner.id } : {};
  const { purchase_token, subscription_key, order_id, pushes } = await play.buy(
    { product_id: plan, ...account_id, ...order },
    { send: true },
  );
  await verifyEither(owner, { platform: "android", receipt: purchase_token, product_id: plan });
  const { id, external_subscription_id } = await eventuallyRow(subscription_key);
  const changed = [
    purchase_token.slice(0, -1),
    `${purchase_token}A`,
    purchase_token.toUpperCase(),
    `${purchase_token}/..`,
  ];
  const pushed = pushes.flatMap(({ body }) => [JSON.stringify(body), body.message.messageId]);
  return {
    name,
    platform: "android",
    owner,
    id,
    texts: [id, subscription_key, order_id ?? "", external_subscription_id ?? "", ...changed, ...pushed].filter(
      Boolean,
    ),
    transactionIds: [],
    // The token of a purchase that states no account is the proof itself.
    copy: () => Promise.resolve(named === "owner" ? purchase_token : null),
  };
}

/** Verifies a purchase of a user, which its notification may have assigned to them already. */
async function verifyEither(user: Person, request: IapRequest): Promise<void> {
  const reply = await send(user, "POST", "/verify-iap", request);
  assert.ok(reply.status === 200 || reply.status === 201, JSON.stringify(reply.body));
}

async function eventuallyRow(key: string) {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const row = await rowOf(key);
    if (row !== undefined) return row;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The notification of a purchase was not recorded");
}

const victims = [
  await onApple("App Store, no account", "nobody"),
  await onApple("App Store, the owner's account", "owner"),
  await onApple("App Store, an account that does not exist", "stranger"),
  await onApple("App Store, one-time product", "nobody", { one_time: true }),
  await onApple("App Store, Sandbox", "nobody", { environment: "Sandbox" }),
  await onGoogle("Google Play, no account", "nobody"),
  await onGoogle("Google Play, the owner's account", "owner"),
  await onGoogle("Google Play, one-time product", "owner", { one_time: true }),
  await onGoogle("Google Play, license tester", "nobody", { test: true }),
];

/** An attacker with an own purchase in each store. */
interface Attacker {
  readonly person: Person;
  readonly transaction: string;
  readonly transactionId: string;
  readonly token: string;
}

async function anAttacker(): Promise<Attacker> {
  const person = await signUp();
  const { subscription, signed_transaction } = await apple.buy({ product_id: plan });
  const { purchase_token } = await play.buy({ product_id: plan });
  await verify(person, { platform: "ios", receipt: signed_transaction, product_id: plan });
  await verify(person, { platform: "android", receipt: purchase_token, product_id: plan });
  return { person, transaction: signed_transaction, transactionId: subscription.transaction_id, token: purchase_token };
}

const attackers = [await anAttacker(), await anAttacker(), await anAttacker(), await anAttacker()];

/** Text of a receipt that an attacker writes, by its kind. */
const writers: Readonly<
  Record<string, (victim: Victim, attacker: Attacker) => Promise<string | null> | string | null>
> = {
  "app receipt": (victim, { transactionId }) => appReceipt(BUNDLE_ID, entriesOf(victim, transactionId), "app"),
  "Xcode receipt": (victim, { transactionId }) => appReceipt(BUNDLE_ID, entriesOf(victim, transactionId), "xcode"),
  "transaction receipt": (victim) => transactionReceipt(BUNDLE_ID, entriesOf(victim)[0]!),
  "copied receipt": (victim) => victim.copy(),
  "copied receipt, changed": async (victim, { person }) => {
    const [header, payload, signature] = victim.platform === "ios" ? (await victim.copy())?.split(".") ?? [] : [];
    if (payload === undefined) return null;
    const text = new TextDecoder().decode(Uint8Array.fromBase64(payload, { alphabet: "base64url" }));
    const changed = JSON.stringify({ ...JSON.parse(text), signedDate: Date.now(), appAccountToken: person.id });
    const bytes = new TextEncoder().encode(changed);
    return [header, bytes.toBase64({ alphabet: "base64url", omitPadding: true }), signature].join(".");
  },
  "known text": (victim) => random.pick(victim.texts),
  "known text in base64": (victim) => btoa(random.pick(victim.texts)),
  "statement as a receipt": (victim, { person }) => encoded(forgedStatement(victim, person)),
  "own receipt": (victim, { transaction, token }) => victim.platform === "ios" ? transaction : token,
};
const kinds = Object.keys(writers);

function entriesOf({ transactionIds, texts }: Victim, own?: string) {
  const ids = transactionIds.length > 0 ? transactionIds : texts;
  const entries = ids.map((transactionId) => ({
    productId: random.pick([plan, plan, otherPlan]),
    transactionId,
    originalTransactionId: random.pick(ids),
  }));
  const mine = { productId: plan, transactionId: own ?? "", originalTransactionId: random.pick(ids) };
  return own !== undefined && random.below(3) === 0 ? [mine, ...entries] : entries;
}

function forgedStatement({ texts, platform }: Victim, { id }: Person) {
  return {
    store: `${platform}_store`,
    subscription_key: random.pick(texts),
    event_id: crypto.randomUUID(),
    facts: { status: "active", product_id: plan, environment: "Production", account_token: id },
    proof: { kind: "signature", signed_at: new Date().toISOString() },
  };
}

interface Case {
  readonly victim: Victim;
  readonly attacker: Attacker;
  readonly kind: string;
  readonly request: IapRequest;
  readonly path: IapPath;
  readonly hasKey: boolean;
}

async function aCase(): Promise<Case> {
  for (;;) {
    const [victim, attacker, kind] = [random.pick(victims), random.pick(attackers), random.pick(kinds)];
    const receipt = await writers[kind]!(victim, attacker);
    if (receipt === null) continue;
    const platform = random.below(10) === 0 ? random.pick(["ios", "android"] as const) : victim.platform;
    const transaction_id = platform === "ios" && random.below(3) === 0
      ? { transaction_id: random.pick([...victim.transactionIds, attacker.transactionId]) }
      : {};
    const request = { platform, receipt, product_id: random.below(6) === 0 ? otherPlan : plan, ...transaction_id };
    return { victim, attacker, kind, request, path: random.pick(PATHS), hasKey: random.below(3) === 0 };
  }
}

/** Sends the receipt, then claims the row of the subscription and records a statement without the service. */
async function attack({ victim, attacker: { person }, request, path, hasKey }: Case): Promise<Reply[]> {
  const key = hasKey ? { "idempotency-key": crypto.randomUUID() } : {};
  const answered = await send(person, "POST", path, request, key);
  const claimed = await run(person, "claim_subscription", { p_subscription_id: victim.id });
  const p_statement = forgedStatement(victim, person);
  const recorded = await rpc(person, "record_store_statement", {
    p_statement,
    p_source: "verify",
    p_user_id: person.id,
  });
  return [answered, claimed, recorded];
}

const owners = () =>
  inDatabase(async (sql) => {
    const rows = await sql`
      select s.id, s.user_id from public.user_subscriptions s
      where s.id = any (${victims.map(({ id }) => id)}) or s.user_id = any (${attackers.map(({ person }) => person.id)})
      order by s.id`;
    return rows.map(({ id, user_id }) => `${id}: ${user_id}`);
  });

const withoutRateLimits = () =>
  inDatabase((sql) =>
    sql`delete from private.rate_limit_windows where subject = any (${attackers.map(({ person }) => person.id)})`
  );

Deno.test(`purchases: ${CASES} receipts from other people's data assign no purchase of another user`, async () => {
  const before = await owners();
  assert.equal(before.length, victims.length + 2 * attackers.length);
  const tried = new Map<string, number>();
  for (let nth = 0; nth < CASES; nth += CONCURRENCY) {
    await withoutRateLimits();
    const cases: Case[] = [];
    while (cases.length < CONCURRENCY) cases.push(await aCase());
    const replies = await Promise.all(cases.map(attack));
    const described = () =>
      JSON.stringify(
        cases.map(({ victim, attacker: _, ...rest }, at) => ({ victim: victim.name, ...rest, at: replies[at] })),
      );
    for (const [at, [answered, claimed, recorded]] of replies.entries()) {
      const { kind, victim } = cases[at]!;
      // An own receipt is accepted, for the attacker's own purchase.
      const isOwn = answered!.status === 200 && Object(answered!.body).id !== victim.id;
      assert.ok(isOwn || [400, 404, 409, 422].includes(answered!.status), `seed ${SEED}: ${described()}`);
      assert.ok([404, 409].includes(claimed!.status), `seed ${SEED}: ${described()}`);
      assert.ok([401, 403, 404].includes(recorded!.status), `seed ${SEED}: ${described()}`);
      tried.set(`${victim.platform}: ${kind}`, (tried.get(`${victim.platform}: ${kind}`) ?? 0) + 1);
    }
    assert.deepEqual(await owners(), before, `seed ${SEED}: ${described()}`);
  }
  assert.ok(tried.size >= 2 * (kinds.length - 1), `not every kind of receipt was tried: ${JSON.stringify([...tried])}`);
  for (const { owner, name } of victims) assert.ok(owner === null || await isPremium(owner), name);
});

Deno.test("purchases: what only the buyer's device has still restores a purchase on another account", async () => {
  const [apples, googles] = [victims[0]!, victims[5]!];
  const next = await signUp();
  const { signed_transaction } = await apple.read(apples.transactionIds[0]!);
  await verify(next, { platform: "ios", receipt: signed_transaction, product_id: plan }, 200);
  const { token } = attackers[0]!;
  await verify(next, { platform: "android", receipt: token, product_id: plan }, 200);
  assert.deepEqual([await isPremium(apples.owner!), await isPremium(next), await isPremium(googles.owner!)], [
    false,
    true,
    true,
  ]);
});
