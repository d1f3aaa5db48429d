// Purchases of androidpublisher v3, as strict as the original, and the real-time developer notifications that Pub/Sub pushes.
//
//   GET  /control/google-play?purchase_token=…
//            {resource, reads, acknowledgements, refused_acknowledgements, pushes}
//   POST /control/google-play {action, purchase_token?, send?, …}
//            → {purchase_token, subscription_key, order_id, pushes: [{body, authorization, status?}]}: what Pub/Sub pushes
//              because of it; with `send` it is sent to the service, or to that address, and `status` is the answer.
//   Actions: buy {product_id, base_plan_id?, offer_id?, account_id?, one_time?, prepaid?, test?, pending?, period_seconds?},
//            complete, cancel, restart, renew, fail {grace_seconds?}, hold, recover, pause {seconds?}, resume, expire, revoke,
//            refund, void {partial?}, replace (as buy), forget, age {seconds}, push {data?, claims?}, script {answers},
//            revoke_tokens.
//   script   answers: [{on?: read | acknowledge, times?, status, body?, headers?, html?, delay_ms?, drop?}]: the first that
//            matches answers in the interface's place; for one purchase, or without purchase_token for all.
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { SignJWT } from "jose/jwt/sign";
import { z } from "zod";
import type { GoogleAccounts } from "./google.ts";
import {
  Impossible,
  type Notification,
  OneTimePurchase,
  type Purchase,
  Subscription,
} from "./google_play_purchases.ts";

const SCOPES = ["https://www.googleapis.com/auth/androidpublisher"];
const PURCHASES = /^\/androidpublisher\/v3\/applications\/([^/]+)\/purchases\/(.+)$/;
const KEY_ID = "stand-in-pubsub";
const NOTIFIER = "pubsub@stand-in.iam.gserviceaccount.example";

const Order = {
  product_id: z.string().min(1),
  base_plan_id: z.string().optional(),
  offer_id: z.string().optional(),
  account_id: z.string().optional(),
  one_time: z.boolean().optional(),
  prepaid: z.boolean().optional(),
  test: z.boolean().optional(),
  pending: z.boolean().optional(),
  period_seconds: z.number().positive().optional(),
};
const Answer = z.strictObject({
  on: z.enum(["read", "acknowledge"]).optional(),
  times: z.int().min(1).optional(),
  status: z.int().min(200).max(599),
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  html: z.boolean().optional(),
  delay_ms: z.int().min(0).optional(),
  drop: z.boolean().optional(),
});
type Answer = z.output<typeof Answer>;

/** To the service, or to this address. */
const send = z.union([z.boolean(), z.url()]).optional();
const of = { purchase_token: z.string(), send };
const Action = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("buy"), send, ...Order }),
  z.strictObject({ action: z.literal("replace"), ...of, ...Order }),
  z.strictObject({ action: z.enum(["complete", "cancel", "refund", "forget"]), ...of }),
  z.strictObject({
    action: z.enum(["restart", "renew", "hold", "recover", "resume", "expire", "revoke"]),
    ...of,
  }),
  z.strictObject({ action: z.literal("fail"), ...of, grace_seconds: z.number().min(0).optional() }),
  z.strictObject({ action: z.literal("pause"), ...of, seconds: z.number().positive().optional() }),
  z.strictObject({ action: z.literal("void"), ...of, partial: z.boolean().optional() }),
  z.strictObject({ action: z.literal("age"), ...of, seconds: z.number().positive() }),
  z.strictObject({
    action: z.literal("push"),
    send,
    data: z.unknown().optional(),
    claims: z.record(z.string(), z.unknown()).optional(),
  }),
  z.strictObject({ action: z.literal("script"), purchase_token: z.string().optional(), answers: z.array(Answer) }),
  z.strictObject({ action: z.literal("revoke_tokens") }),
]);
type Action = z.output<typeof Action>;
type Happening = Exclude<Action, { action: "buy" | "push" | "script" | "revoke_tokens" }>;

interface Push {
  readonly body: unknown;
  readonly authorization: string;
  readonly status?: number;
}

/** Where the interface, and this path of it, has an answer of its own. */
interface Script {
  readonly answer: Answer;
  readonly token: string | undefined;
  left: number;
}

export class GooglePlay {
  static readonly PACKAGE = "com.example.parking";
  static readonly AUDIENCE = "https://parking.example/store-notifications/google-play";
  static readonly NOTIFIER = NOTIFIER;
  readonly #accounts: GoogleAccounts;
  #keys: ReturnType<typeof generateKeyPair> | undefined;
  readonly #notificationsUrl: string | undefined;
  readonly #purchases = new Map<string, Purchase>();
  readonly #pushes = new Map<string, unknown[]>();
  #scripts: Script[] = [];

  /** `notificationsUrl`: where the service takes notifications. */
  constructor(accounts: GoogleAccounts, notificationsUrl?: string) {
    this.#accounts = accounts;
    this.#notificationsUrl = notificationsUrl;
  }

  /** The keys of notifications. They are made when they are first needed: that takes a second of a processor. */
  #notificationKeys(): ReturnType<typeof generateKeyPair> {
    return this.#keys ??= generateKeyPair("RS256");
  }

  /** Google's public keys (JWKS). */
  async certificates(): Promise<Response> {
    const key = await exportJWK((await this.#notificationKeys()).publicKey);
    return Response.json({ keys: [{ ...key, kid: KEY_ID, alg: "RS256", use: "sig" }] });
  }

  async handle(request: Request, path: string): Promise<Response> {
    const access = this.#accounts.accepts(request, SCOPES);
    if (access === "unauthenticated") {
      return failure(401, "authError", "Invalid Credentials", { domain: "global", status: "UNAUTHENTICATED" });
    }
    if (access === "forbidden") {
      const message = "Request had insufficient authentication scopes.";
      return failure(403, "insufficientPermissions", message, { domain: "global", status: "PERMISSION_DENIED" });
    }
    const [, name = "", rest = ""] = PURCHASES.exec(path) ?? [];
    const body = await request.text();
    if (decodeURIComponent(name) !== GooglePlay.PACKAGE) {
      return failure(404, "applicationNotFound", `Package not found: ${decodeURIComponent(name)}.`);
    }
    const parts = rest.split("/").map((part) => decodeURIComponent(part.replace(/:acknowledge$/, "")));
    const isAcknowledge = /:acknowledge$/.test(rest);
    const token = parts.at(-1)!;
    const scripted = await this.#scripted(token, isAcknowledge ? "acknowledge" : "read");
    if (scripted) return scripted;
    if (isAcknowledge && request.method === "POST") return this.#acknowledge(parts, body);
    if (request.method === "GET" && !isAcknowledge) return this.#get(parts);
    return failure(404, "notFound", "Not Found", { domain: "global" });
  }

  #get(parts: readonly string[]): Response {
    const [kind, productId] = parts;
    const token = parts.at(-1)!;
    const isSubscription = kind === "subscriptionsv2" && parts[1] === "tokens" && parts.length === 3;
    const isProduct = kind === "products" && parts[2] === "tokens" && parts.length === 4;
    if (!isSubscription && !isProduct) return failure(404, "notFound", "Not Found", { domain: "global" });
    const purchase = this.#find(token, isSubscription);
    if (purchase instanceof Response) return purchase;
    if (isProduct && purchase.productId !== productId) return mismatch();
    purchase.counts.reads++;
    return Response.json(purchase.resource());
  }

  #acknowledge(parts: readonly string[], body: string): Response {
    const [kind, productId, tokens] = parts;
    const token = parts.at(-1)!;
    if (!["subscriptions", "products"].includes(kind!) || tokens !== "tokens" || parts.length !== 4) {
      return failure(404, "notFound", "Not Found", { domain: "global" });
    }
    const purchase = this.#find(token, kind === "subscriptions");
    if (purchase instanceof Response) return purchase;
    const refuse = (response: Response) => {
      purchase.counts.refused_acknowledgements++;
      return response;
    };
    const Body = z.strictObject({ developerPayload: z.string().optional() });
    if (!Body.safeParse(parsedJson(body || "{}")).success) return refuse(failure(400, "badRequest", "Invalid JSON"));
    if (purchase.productId !== productId) return refuse(mismatch());
    if (purchase.isAcknowledged || !purchase.canBeAcknowledged) {
      return refuse(failure(400, "invalidPurchaseState", "The purchase is not in a valid state for this operation."));
    }
    purchase.isAcknowledged = true;
    purchase.counts.acknowledgements++;
    return new Response(null, { status: 204 });
  }

  /** The purchase, or why there is none. */
  #find(token: string, isSubscription: boolean): Purchase | Response {
    const purchase = this.#purchases.get(token);
    if (purchase === undefined) return failure(404, "purchaseTokenNotFound", "The purchase token was not found.");
    if (purchase instanceof Subscription) purchase.settle();
    if (purchase instanceof Subscription !== isSubscription) return failure(400, "invalid", "Invalid Value");
    if (!purchase.isForgotten) return purchase;
    return isSubscription
      ? failure(410, "subscriptionPurchaseNoLongerAvailable", "The subscription purchase is no longer available.")
      : failure(410, "purchaseTokenNoLongerValid", "The purchase token is no longer valid.");
  }

  async #scripted(token: string, on: "read" | "acknowledge"): Promise<Response | undefined> {
    const script = this.#scripts.find(({ answer, token: of, left }) =>
      left > 0 && (of === undefined || of === token) && (answer.on === undefined || answer.on === on)
    );
    if (script === undefined) return undefined;
    script.left--;
    const { status, body, headers = {}, html, delay_ms, drop } = script.answer;
    if (delay_ms) await new Promise((resolve) => setTimeout(resolve, delay_ms));
    if (drop) return new Response(brokenOff(), { status });
    if (html) {
      return new Response("<html><title>Error</title></html>", {
        status,
        headers: { "content-type": "text/html", ...headers },
      });
    }
    return body === undefined
      ? new Response(null, { status, headers })
      : new Response(typeof body === "string" ? body : JSON.stringify(body), {
        status,
        headers: { "content-type": "application/json", ...headers },
      });
  }

  async control(request: Request): Promise<Response> {
    if (request.method === "GET") return this.#shown(new URL(request.url).searchParams.get("purchase_token") ?? "");
    const parsed = Action.safeParse(await request.json().catch(() => null));
    if (request.method !== "POST" || !parsed.success) return new Response(parsed.error?.message, { status: 400 });
    try {
      return await this.#act(parsed.data);
    } catch (error) {
      if (error instanceof Impossible) return new Response(error.message, { status: 409 });
      throw error;
    }
  }

  #shown(token: string): Response {
    const purchase = this.#purchases.get(token);
    if (purchase === undefined) return new Response("There is no such purchase", { status: 404 });
    return Response.json({
      resource: purchase.resource(),
      ...purchase.counts,
      pushes: this.#pushes.get(token) ?? [],
    });
  }

  async #act(action: Action): Promise<Response> {
    switch (action.action) {
      case "script": {
        const others = this.#scripts.filter(({ token }) => token !== action.purchase_token);
        const own = action.answers.map((answer) => ({
          answer,
          token: action.purchase_token,
          left: answer.times ?? Infinity,
        }));
        this.#scripts = [...own, ...others];
        return new Response(null, { status: 204 });
      }
      case "revoke_tokens":
        this.#accounts.revoke();
        return new Response(null, { status: 204 });
      case "push": {
        const data = action.data ?? dataOf({ testNotification: { version: "1.0" } });
        const push = await this.#push(data, action.send, action.claims);
        return Response.json({ pushes: [push] });
      }
      case "buy": {
        const purchase = action.one_time ? new OneTimePurchase(action) : new Subscription(action);
        this.#purchases.set(purchase.token, purchase);
        return await this.#done(purchase, purchase.bought(), action.send);
      }
      default: {
        const purchase = this.#purchases.get(action.purchase_token);
        if (purchase === undefined) throw new Impossible("there is no such purchase");
        const [changed, notifications] = this.#happen(purchase, action);
        return await this.#done(changed, notifications, action.send);
      }
    }
  }

  /** The purchase that the action leaves, and what is to be notified. */
  #happen(purchase: Purchase, action: Happening): [Purchase, Notification[]] {
    switch (action.action) {
      case "complete":
        return [purchase, [...purchase.complete(), ...this.#replaced(purchase)]];
      case "refund":
        return [purchase, purchase.refund()];
      case "void":
        return [purchase, [purchase.voided(action.partial)]];
      case "forget":
        purchase.isForgotten = true;
        return [purchase, []];
      case "age":
        purchase.age(action.seconds * 1000);
        return [purchase, []];
      case "cancel":
        if (purchase instanceof OneTimePurchase) return [purchase, purchase.cancel()];
    }
    if (!(purchase instanceof Subscription)) throw new Impossible("this is no subscription");
    switch (action.action) {
      case "replace": {
        const next = new Subscription(action, purchase.token);
        this.#purchases.set(next.token, next);
        return [next, [...next.bought(), ...this.#replaced(next)]];
      }
      case "fail":
        return [purchase, purchase.fail(action.grace_seconds)];
      case "pause":
        return [purchase, purchase.pause(action.seconds)];
      default:
        return [purchase, purchase[action.action]()];
    }
  }

  /** What the purchase takes the place of ends when it is paid. */
  #replaced(purchase: Purchase): Notification[] {
    if (!(purchase instanceof Subscription) || purchase.state === "PENDING") return [];
    const former = this.#purchases.get(purchase.linkedToken ?? "");
    return former instanceof Subscription ? former.replace() : [];
  }

  async #done(
    purchase: Purchase,
    notifications: readonly Notification[],
    send: boolean | string | undefined,
  ): Promise<Response> {
    const pushes: Push[] = [];
    for (const notification of notifications) {
      const push = await this.#push(dataOf(notification), send);
      pushes.push(push);
      const token = Object.values(notification).map(({ purchaseToken }) => String(purchaseToken)).join();
      this.#pushes.set(token, [...this.#pushes.get(token) ?? [], push.body]);
    }
    return Response.json({
      purchase_token: purchase.token,
      subscription_key: await sha256(purchase.token),
      order_id: purchase.latestOrderId ?? null,
      pushes,
    });
  }

  /** As Pub/Sub pushes it, with a bearer that lives for an hour. */
  async #push(data: unknown, send: boolean | string | undefined, claims: Record<string, unknown> = {}): Promise<Push> {
    const bytes = new TextEncoder().encode(typeof data === "string" ? data : JSON.stringify(data));
    const messageId = `${Date.now()}${crypto.getRandomValues(new Uint16Array(1))[0]!.toString().padStart(5, "0")}`;
    const publishTime = new Date().toISOString();
    const body = {
      message: { data: bytes.toBase64(), messageId, message_id: messageId, publishTime, publish_time: publishTime },
      subscription: "projects/stand-in/subscriptions/google-play",
    };
    const authorization = `Bearer ${await this.#identityToken(claims)}`;
    const url = send === true ? this.#notificationsUrl : send || undefined;
    if (url === undefined) return { body, authorization };
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    await response.body?.cancel();
    return { body, authorization, status: response.status };
  }

  async #identityToken(claims: Record<string, unknown>): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return await new SignJWT({
      iss: "https://accounts.google.com",
      aud: GooglePlay.AUDIENCE,
      azp: "100000000000000000001",
      sub: "100000000000000000001",
      email: NOTIFIER,
      email_verified: true,
      iat: now,
      exp: now + 3600,
      ...claims,
    }).setProtectedHeader({ alg: "RS256", kid: KEY_ID, typ: "JWT" }).sign((await this.#notificationKeys()).privateKey);
  }
}

function dataOf(notification: Notification | { testNotification: unknown }): unknown {
  return { version: "1.0", packageName: GooglePlay.PACKAGE, eventTimeMillis: `${Date.now()}`, ...notification };
}

function mismatch(): Response {
  return failure(400, "purchaseTokenDoesNotMatchProductId", "The purchase token does not match the product ID.");
}

function failure(
  code: number,
  reason: string,
  message: string,
  { domain = "androidpublisher", status }: { domain?: string; status?: string } = {},
): Response {
  const error = { code, message, errors: [{ message, domain, reason }], ...(status && { status }) };
  return Response.json({ error }, { status: code });
}

/** A body that breaks off. */
export function brokenOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"kind":')),
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      controller.error(new Error("the connection breaks off"));
    },
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function sha256(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}
