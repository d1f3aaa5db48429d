// Google Play: what is no purchase is iap_invalid, what is Google's fault or our configuration's is service_unavailable, and no
// purchase token is in an error.
import assert from "node:assert/strict";
import { googlePlay } from "../../supabase/functions/_shared/providers/google_play.ts";
import type { PlayAnswer } from "../support/google_play.ts";
import { configOf, errorFrom, known, openShop, type Shop } from "./google_play.ts";

const PLAN = "premium_monthly";
const DAY = 86_400;

function googleError(code: number, reason: string): unknown {
  return {
    error: { code, message: "A message.", errors: [{ message: "A message.", domain: "androidpublisher", reason }] },
  };
}

async function bought({ store, play }: Shop) {
  const { purchase_token } = await store.buy({ product_id: PLAN });
  return { purchase_token, statement: await play.verify({ receipt: purchase_token, product_id: PLAN }) };
}

Deno.test("google play: a receipt that Google does not know is invalid", async (test) => {
  await using shop = await openShop();
  const receipts = {
    "unknown": "aaaaaaaaaaaaaaaaaaaaaaaa.AO-J1Unknown",
    "with characters of addresses": "a/../b?c=d#e%2f:acknowledge",
    "a path": "..",
    "a dot": ".",
    "spaces": "a token",
    "a line end": "abcdefgh\n",
    "other than ASCII": "トークン",
    "too long": "a".repeat(1001),
    "an Apple transaction": "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.AAAA",
  };
  for (const [name, receipt] of Object.entries(receipts)) {
    await test.step(name, async () => {
      const { code, status } = await errorFrom(
        shop.play.verify({ receipt, product_id: PLAN }),
        receipt.length > 2 ? receipt : undefined,
      );
      assert.deepEqual([code, status], ["iap_invalid", 400]);
    });
  }
  for (const product_id of ["../..", "a b", "a/b", "", "x".repeat(200)]) {
    const { code } = await errorFrom(shop.play.verify({ receipt: "unknown-token", product_id }), "unknown-token");
    assert.equal(code, "iap_invalid");
  }
});

/** A Google with these responses, and the paths of its requests. */
function otherGoogle(answer: () => Response) {
  const paths: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    paths.push(new URL(url).pathname);
    return answer();
  });
  return {
    paths,
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("google play: a token with reserved characters is encoded in the address", async () => {
  await using google = otherGoogle(() => Response.json(googleError(404, "purchaseTokenNotFound"), { status: 404 }));
  await using shop = await openShop(5_000, { PLAY_API_URL: google.url });
  const ask = (receipt: string, product_id: string) => errorFrom(shop.play.verify({ receipt, product_id }));
  await ask("a/b?c=d#e%2f:acknowledge", PLAN);
  const purchases = "/androidpublisher/v3/applications/com.example.parking/purchases";
  const paths = [
    `${purchases}/subscriptionsv2/tokens/a%2Fb%3Fc%3Dd%23e%252f%3Aacknowledge`,
    `${purchases}/products/${PLAN}/tokens/a%2Fb%3Fc%3Dd%23e%252f%3Aacknowledge`,
  ];
  assert.deepEqual(google.paths, paths);
  for (const receipt of [".", ".."]) await ask(receipt, PLAN);
  assert.deepEqual(google.paths, paths, "a dot is no token");
  for (const product_id of [".", "..", "a/b"]) await ask("t", product_id);
  assert.deepEqual(google.paths.slice(paths.length), Array(3).fill(`${purchases}/subscriptionsv2/tokens/t`));
});

Deno.test("google play: a redirect is not followed: the access token is Google's only", async () => {
  await using elsewhere = otherGoogle(() => Response.json({}));
  await using google = otherGoogle(() => new Response(null, { status: 307, headers: { location: elsewhere.url } }));
  await using shop = await openShop(5_000, { PLAY_API_URL: google.url });
  const { code } = await errorFrom(shop.play.verify({ receipt: "t", product_id: PLAN }));
  assert.deepEqual([code, google.paths.length, elsewhere.paths], ["service_unavailable", 1, []]);
});

Deno.test("google play: purchases of another package are rejected", async () => {
  await using shop = await openShop(5_000, { PLAY_PACKAGE_NAME: "com.example.other" });
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const { code } = await errorFrom(shop.play.verify({ receipt: purchase_token, product_id: PLAN }), purchase_token);
  assert.equal(code, "iap_invalid");
});

Deno.test("google play: each status of 400, 404 and 410 makes a first receipt invalid", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const reasons: [number, string][] = [
    [400, "invalid"],
    [400, "purchaseTokenDoesNotMatchPackageName"],
    [400, "required"],
    [404, "purchaseTokenNotFound"],
    [404, "applicationNotFound"],
    [410, "subscriptionPurchaseNoLongerAvailable"],
    [410, "purchaseTokenNoLongerValid"],
  ];
  for (const [status, reason] of reasons) {
    await shop.store.script(purchase_token, { status, body: googleError(status, reason) });
    const error = await errorFrom(shop.play.verify({ receipt: purchase_token, product_id: PLAN }), purchase_token);
    assert.equal(error.code, "iap_invalid", `${status} ${reason}`);
    assert.ok(String(error.cause).includes(reason), String(error.cause));
    assert.deepEqual(error.headers, {});
  }
});

Deno.test("google play: a purchase that Google no longer knows has expired, with its known dates", async () => {
  await using shop = await openShop();
  const { purchase_token, statement } = await bought(shop);
  await shop.store.act(purchase_token, "cancel");
  await shop.store.act(purchase_token, "age", { seconds: 100 * DAY });
  const { facts, payload, supersedes, needs_acknowledgement } = await shop.play.read(known(statement));
  assert.deepEqual(facts, {
    ...statement.facts,
    status: "expired",
    access_ends_at: null,
    auto_renew_status: null,
    auto_renewing: false,
    next_billing_date: null,
  });
  assert.deepEqual(payload, { gone: "subscriptionPurchaseNoLongerAvailable" });
  assert.deepEqual([supersedes, needs_acknowledgement], [null, false]);
  await shop.play.acknowledge(known(statement));
  for (
    const first of [
      () => shop.play.verify({ receipt: purchase_token, product_id: PLAN }),
      () => shop.play.read({ ...known(statement), facts: null }),
    ]
  ) {
    assert.equal((await errorFrom(first(), purchase_token)).code, "iap_invalid");
  }
});

Deno.test("google play: a one-time purchase that Google no longer knows has expired", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: "premium_lifetime", one_time: true });
  const statement = await shop.play.verify({ receipt: purchase_token, product_id: "premium_lifetime" });
  await shop.store.act(purchase_token, "forget");
  const { facts } = await shop.play.read(known(statement));
  assert.deepEqual([facts.status, facts.access_ends_at, facts.started_at], [
    "expired",
    null,
    statement.facts.started_at,
  ]);
});

/** What Google may say that is no word on the purchase, and for how long clients are to wait. */
const OUTAGES: Readonly<Record<string, [PlayAnswer, retryAfter: string]>> = {
  "429 with seconds": [
    { status: 429, headers: { "retry-after": "7" }, body: googleError(429, "rateLimitExceeded") },
    "7",
  ],
  "429 without a word": [{ status: 429 }, "30"],
  "429 for days": [{ status: 429, headers: { "retry-after": "172800" } }, "3600"],
  "429 with nonsense": [{ status: 429, headers: { "retry-after": "soon" } }, "30"],
  "429 that is over": [{ status: 429, headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" } }, "1"],
  "403 of a quota": [{ status: 403, body: googleError(403, "rateLimitExceeded") }, "30"],
  "403 of a project that is not linked": [{ status: 403, body: googleError(403, "projectNotLinked") }, "30"],
  "401 without a body": [{ status: 401 }, "30"],
  "401 of missing permissions": [{ status: 401, body: googleError(401, "permissionDenied") }, "30"],
  "409": [{ status: 409, body: googleError(409, "concurrentUpdate") }, "30"],
  "500": [{ status: 500, body: googleError(500, "backendError") }, "30"],
  "502 in HTML": [{ status: 502, html: true }, "30"],
  "503 with seconds": [{ status: 503, headers: { "retry-after": "12" } }, "12"],
  "200 in HTML": [{ status: 200, html: true }, "30"],
  "400 in HTML": [{ status: 400, html: true }, "30"],
  "404 in HTML": [{ status: 404, html: true }, "30"],
  "410 in HTML": [{ status: 410, html: true }, "30"],
  "404 of nobody": [{ status: 404, body: {} }, "30"],
  "404 in a list": [{ status: 404, body: [] }, "30"],
  "404 null": [{ status: 404, body: "null" }, "30"],
  "a redirect": [{ status: 302, headers: { location: "https://example.com/" } }, "30"],
  "200 null": [{ status: 200, body: "null" }, "30"],
  "200 of a list": [{ status: 200, body: [] }, "30"],
  "200 with a number for a state": [{ status: 200, body: { subscriptionState: 1 } }, "30"],
  "200 with a time that is none": [
    { status: 200, body: { lineItems: [{ productId: PLAN, expiryTime: "tomorrow" }] } },
    "30",
  ],
  "200 active without an end": [
    { status: 200, body: { subscriptionState: "SUBSCRIPTION_STATE_ACTIVE", lineItems: [{ productId: PLAN }] } },
    "30",
  ],
  "a body that breaks off": [{ status: 200, drop: true }, "30"],
};

Deno.test("google play: an outage changes nothing: 503, and the next try succeeds", async (test) => {
  await using shop = await openShop();
  const { purchase_token, statement } = await bought(shop);
  for (const [name, [answer, retryAfter]] of Object.entries(OUTAGES)) {
    await test.step(name, async () => {
      await shop.store.script(purchase_token, answer);
      const isAboutReading = answer.status === 200 && !answer.drop && !answer.html;
      const tries = [
        () => shop.play.verify({ receipt: purchase_token, product_id: PLAN }),
        () => shop.play.read(known(statement)),
        ...(isAboutReading ? [] : [() => shop.play.acknowledge(known(statement))]),
      ];
      for (const act of tries) {
        const error = await errorFrom(act(), purchase_token);
        assert.deepEqual([error.code, error.headers], ["service_unavailable", { "Retry-After": retryAfter }]);
        assert.deepEqual(error.shown.details, undefined);
      }
      await shop.store.script(purchase_token);
      assert.equal((await shop.play.read(known(statement))).facts.status, "active");
    });
  }
  await shop.play.acknowledge(known(statement));
  assert.equal((await shop.store.received(purchase_token)).acknowledgements, 1);
});

Deno.test("google play: a one-time purchase without a state is not bought", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: "premium_lifetime", one_time: true });
  await shop.store.script(
    purchase_token,
    { status: 404, body: googleError(404, "purchaseTokenNotFound"), times: 1 },
    { status: 200, body: {}, times: 1 },
  );
  const error = await errorFrom(
    shop.play.verify({ receipt: purchase_token, product_id: "premium_lifetime" }),
    purchase_token,
  );
  assert.equal(error.code, "service_unavailable");
});

Deno.test("google play: a slow response is an outage", async () => {
  await using shop = await openShop(150);
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const { code } = await errorFrom(
    (async () => {
      await shop.store.script(purchase_token, { status: 200, body: {}, delay_ms: 400 });
      return await shop.play.verify({ receipt: purchase_token, product_id: PLAN });
    })(),
    purchase_token,
  );
  assert.equal(code, "service_unavailable");
});

Deno.test("google play: a rejected connection is an outage, and the error has no address", async () => {
  const closed = otherGoogle(() => new Response());
  await closed[Symbol.asyncDispose]();
  await using shop = await openShop(5_000, { PLAY_API_URL: closed.url });
  const error = await errorFrom(
    shop.play.verify({ receipt: "a-purchase-token", product_id: PLAN }),
    "a-purchase-token",
  );
  assert.match(String(error.cause), /cannot be reached: .*\(address\)/);
  assert.deepEqual([error.code, error.headers], ["service_unavailable", { "Retry-After": "30" }]);
});

Deno.test("google play: without an access token no request is sent", async (test) => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const account = JSON.parse(shop.providers.environment["GOOGLE_SERVICE_ACCOUNT"]!);
  const accounts = {
    "another account": { client_email: "nobody@example.com" },
    "no such address": { token_uri: "http://127.0.0.1:9/token" },
    "an address that is none": { token_uri: `${shop.providers.url}/nothing` },
  };
  for (const [name, change] of Object.entries(accounts)) {
    await test.step(name, async () => {
      const GOOGLE_SERVICE_ACCOUNT = JSON.stringify({ ...account, ...change });
      const play = googlePlay(() => configOf({ ...shop.providers.environment, GOOGLE_SERVICE_ACCOUNT }));
      const error = await errorFrom(play.verify({ receipt: purchase_token, product_id: PLAN }), purchase_token);
      assert.deepEqual([error.code, error.headers], ["service_unavailable", { "Retry-After": "30" }]);
    });
  }
  assert.equal((await shop.store.received(purchase_token)).reads, 0);
});

Deno.test("google play: an access token that was revoked is replaced once", async () => {
  await using shop = await openShop();
  const { statement } = await bought(shop);
  await shop.store.revokeAccessTokens();
  assert.equal((await shop.play.read(known(statement))).facts.status, "active");
  await shop.store.revokeAccessTokens();
  await shop.play.acknowledge(known(statement));
  const { acknowledgements } = await shop.store.received(statement.purchase_token!);
  assert.equal(acknowledgements, 1);
});

Deno.test("google play: the stand-in requires the scope of purchases", async () => {
  await using shop = await openShop();
  const { purchase_token } = await shop.store.buy({ product_id: PLAN });
  const path =
    `androidpublisher/v3/applications/com.example.parking/purchases/subscriptionsv2/tokens/${purchase_token}`;
  const response = await fetch(`${shop.providers.url}/google-play/${path}`);
  await response.body?.cancel();
  assert.equal(response.status, 401);
  assert.equal((await shop.store.received(purchase_token)).reads, 0);
});

Deno.test("google play: without its settings it is not configured", async () => {
  const play = googlePlay(() => configOf({}));
  const subscription = {
    subscription_key: "",
    product_id: PLAN,
    environment: "Production",
    purchase_token: "t",
    facts: null,
  } as const;
  for (
    const attempt of [
      () => play.verify({ receipt: "t", product_id: PLAN }),
      () => play.read(subscription),
      () => play.acknowledge(subscription),
      () => play.readNotification("Bearer a", {}),
    ]
  ) {
    const { code, details } = await errorFrom(attempt());
    assert.deepEqual([code, details], ["service_unavailable", { reason: "not_configured" }]);
  }
});
