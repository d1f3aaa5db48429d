// What the client of the messaging service makes of each answer, of the service and of Google's token address.
import assert from "node:assert/strict";
import { exportPKCS8 } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { type PushMessage, type PushOutcome, pushSender } from "../../supabase/functions/_shared/providers/fcm.ts";
import { configFor } from "./fake_rest.ts";

const { privateKey } = await generateKeyPair("RS256", { extractable: true });
const PRIVATE_KEY = await exportPKCS8(privateKey);
/** The timeout of requests that get no response. The others have one that a busy machine does not reach. */
const SHORT_MS = 300;
const LONG_MS = 30_000;

const MESSAGE: PushMessage = {
  token: "device",
  title: "Title",
  body: "Body",
  data: { path: "/articles/one" },
  badge: 3,
  tag: "notification",
  expiresAt: new Date(Date.now() + 3_600_500),
};

type Answer = (request: Request, nth: number) => Response | Promise<Response>;

interface Google {
  /** The messaging service; the token of a request is `token-<n>`, n counting the tokens that were given out. */
  readonly send?: Answer;
  readonly token?: Answer;
  readonly key?: string;
  readonly timeoutMs?: number;
}

interface RequestCounts {
  readonly tokens: number;
  readonly sends: number;
}

/** Sends messages to a service with these responses: the outcome of each, and the number of requests of each kind. */
async function sending(
  { send = () => Response.json({ name: "message" }), token = newToken, key = PRIVATE_KEY, timeoutMs = LONG_MS }: Google,
  messages: readonly PushMessage[] = [MESSAGE],
): Promise<{ outcomes: PushOutcome[]; requests: RequestCounts }> {
  const received = { tokens: 0, sends: 0 };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const isToken = new URL(request.url).pathname === "/token";
    return isToken ? token(request, ++received.tokens) : send(request, ++received.sends);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const account = { clientEmail: "push@example.test", privateKey: key, privateKeyId: "k", tokenUri: `${url}/token` };
  const config = configFor(url);
  const sender = pushSender(
    () => ({ ...config, providers: { ...config.providers, push: { projectId: "project", apiUrl: url, account } } }),
    { timeoutMs },
  );
  try {
    return { outcomes: await Promise.all(messages.map((message) => sender.send(message))), requests: received };
  } finally {
    await server.shutdown();
  }
}

function newToken(_request: Request, nth: number): Response {
  return Response.json({ access_token: `token-${nth}`, expires_in: 3600, token_type: "Bearer" });
}

/** An error as the service words it. */
function failure(
  code: number,
  status: string,
  { errorCode, message = "An error.", field, headers = {} }: {
    errorCode?: string;
    message?: string;
    field?: string;
    headers?: Record<string, string>;
  } = {},
): Response {
  const details = [
    ...(errorCode ? [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }] : []),
    ...(field
      ? [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field, description: "Bad" }] }]
      : []),
  ];
  return Response.json({ error: { code, status, message, details } }, { status: code, headers });
}

const html = (status: number, headers: Record<string, string> = {}) =>
  new Response("<html><title>Error</title></html>", { status, headers: { "content-type": "text/html", ...headers } });
const unauthenticated = () => failure(401, "UNAUTHENTICATED");
/** An answer that does not come in time; it comes later, so that the server can end. */
const late = async () => {
  await new Promise((resolve) => setTimeout(resolve, SHORT_MS + 200));
  return Response.json({ name: "message" });
};
/** An answer that begins in time and does not end. */
const unfinished = () =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"name": '));
        setTimeout(() => {
          try {
            controller.close();
          } catch {
            // The client has disconnected.
          }
        }, SHORT_MS + 200);
      },
    }),
  );

const TABLE: readonly (readonly [string, () => Response | Promise<Response>, PushOutcome])[] = [
  ["200", () => Response.json({ name: "projects/project/messages/1" }), { outcome: "delivered" }],
  ["404 UNREGISTERED", () => failure(404, "NOT_FOUND", { errorCode: "UNREGISTERED" }), { outcome: "dead_token" }],
  ["404 that names no device, as for an unknown project", () => failure(404, "NOT_FOUND"), { outcome: "later" }],
  ["404 in HTML", () => html(404), { outcome: "later" }],
  [
    "400 INVALID_ARGUMENT at message.token",
    () => failure(400, "INVALID_ARGUMENT", { errorCode: "INVALID_ARGUMENT", field: "message.token" }),
    { outcome: "dead_token" },
  ],
  [
    "400 INVALID_ARGUMENT whose message names the registration token",
    () =>
      failure(400, "INVALID_ARGUMENT", {
        errorCode: "INVALID_ARGUMENT",
        message: "The registration token is not a valid FCM registration token",
      }),
    { outcome: "dead_token" },
  ],
  [
    "400 INVALID_ARGUMENT at another field",
    () => failure(400, "INVALID_ARGUMENT", { errorCode: "INVALID_ARGUMENT", field: "message.data" }),
    { outcome: "payload_fault" },
  ],
  ["400 for a message that is too big", () => failure(400, "INVALID_ARGUMENT"), { outcome: "payload_fault" }],
  ["400 in HTML", () => html(400), { outcome: "later" }],
  [
    "403 SENDER_ID_MISMATCH",
    () => failure(403, "PERMISSION_DENIED", { errorCode: "SENDER_ID_MISMATCH" }),
    { outcome: "wrong_sender" },
  ],
  ["403 PERMISSION_DENIED", () => failure(403, "PERMISSION_DENIED"), { outcome: "credentials" }],
  [
    "401 THIRD_PARTY_AUTH_ERROR",
    () => failure(401, "UNAUTHENTICATED", { errorCode: "THIRD_PARTY_AUTH_ERROR" }),
    { outcome: "credentials" },
  ],
  ["401 also with a new token", unauthenticated, { outcome: "credentials" }],
  [
    "429 QUOTA_EXCEEDED with Retry-After as a number",
    () => failure(429, "RESOURCE_EXHAUSTED", { errorCode: "QUOTA_EXCEEDED", headers: { "retry-after": "7" } }),
    { outcome: "later", retryAfter: 7 },
  ],
  [
    "429 QUOTA_EXCEEDED without Retry-After",
    () => failure(429, "RESOURCE_EXHAUSTED", { errorCode: "QUOTA_EXCEEDED" }),
    { outcome: "later", retryAfter: 60 },
  ],
  ["429 in HTML", () => html(429), { outcome: "later", retryAfter: 60 }],
  [
    "503 UNAVAILABLE with Retry-After",
    () => failure(503, "UNAVAILABLE", { errorCode: "UNAVAILABLE", headers: { "retry-after": "120" } }),
    { outcome: "later", retryAfter: 120 },
  ],
  ["503 UNAVAILABLE", () => failure(503, "UNAVAILABLE", { errorCode: "UNAVAILABLE" }), { outcome: "later" }],
  ["500 INTERNAL", () => failure(500, "INTERNAL", { errorCode: "INTERNAL" }), { outcome: "later" }],
  ["502 in HTML", () => html(502), { outcome: "later" }],
  [
    "502 in HTML with Retry-After that is neither number nor date",
    () => html(502, { "retry-after": "soon" }),
    { outcome: "later" },
  ],
  [
    "UNSPECIFIED_ERROR",
    () => failure(500, "UNKNOWN", { errorCode: "UNSPECIFIED_ERROR" }),
    { outcome: "undeliverable" },
  ],
  ["no answer in time", late, { outcome: "outage" }],
  ["an answer that does not end", unfinished, { outcome: "outage" }],
];

for (const [answer, respond, outcome] of TABLE) {
  Deno.test(`fcm: ${answer} is ${JSON.stringify(outcome)}`, async () => {
    const timeoutMs = respond === late || respond === unfinished ? SHORT_MS : LONG_MS;
    assert.deepEqual((await sending({ send: respond, timeoutMs })).outcomes, [outcome]);
  });
}

Deno.test("fcm: Retry-After as a date is converted to seconds, and ignored when it has passed", async () => {
  const respond = (at: number) => () =>
    failure(503, "UNAVAILABLE", { headers: { "retry-after": new Date(at).toUTCString() } });
  const { outcomes: [ahead] } = await sending({ send: respond(Date.now() + 90_000) });
  assert.ok(ahead?.outcome === "later" && ahead.retryAfter! > 85 && ahead.retryAfter! <= 90, JSON.stringify(ahead));
  const { outcomes } = await sending({ send: respond(Date.now() - 90_000) });
  assert.deepEqual(outcomes, [{ outcome: "later", retryAfter: 0 }]);
});

Deno.test("fcm: a message has the text, the data, the badge and the name of its notification for each kind of device", async () => {
  const { outcomes } = await sending({
    send: async (request) => {
      assert.equal(new URL(request.url).pathname, "/v1/projects/project/messages:send");
      assert.equal(request.headers.get("authorization"), "Bearer token-1");
      const { message } = await request.json();
      assert.deepEqual([message.token, message.notification, message.data], [
        "device",
        { title: "Title", body: "Body" },
        { path: "/articles/one" },
      ]);
      assert.deepEqual([message.apns.payload.aps.badge, message.android.notification.notificationCount], [3, 3]);
      assert.deepEqual([message.apns.headers["apns-collapse-id"], message.android.notification.tag], [
        "notification",
        "notification",
      ]);
      assert.equal(
        message.android.collapseKey,
        undefined,
        "Android keeps four keys for a device, and drops other messages",
      );
      return Response.json({ name: "message" });
    },
  });
  assert.deepEqual(outcomes, [{ outcome: "delivered" }]);
});

Deno.test("fcm: a message has the end of its use for each kind of device, never before now", async () => {
  for (const [seconds, most] of [[3600, 3600], [1, 1], [-60, 0], [28 * 86_400, 28 * 86_400]] as const) {
    const expiresAt = new Date(Math.floor(Date.now() / 1000) * 1000 + seconds * 1000 + 900);
    await sending({
      send: async (request) => {
        const { message } = await request.json();
        const ttl = Number(/^(\d+)s$/.exec(message.android.ttl)![1]);
        assert.ok(ttl <= most && ttl >= most - 1, `${ttl} of ${most}`);
        assert.equal(message.webpush.headers.TTL, `${ttl}`);
        assert.equal(message.apns.headers["apns-expiration"], `${Math.floor(expiresAt.getTime() / 1000)}`);
        return Response.json({ name: "message" });
      },
    }, [{ ...MESSAGE, expiresAt }]);
  }
});

Deno.test("fcm: a text that is too long for the service is cut between characters, and the message has 4,096 bytes at most", async () => {
  for (const body of ["駐".repeat(4000), "🅿️".repeat(2000), '"\n'.repeat(2000), "a".repeat(4000)]) {
    const sent: { bytes: number; text: string }[] = [];
    await sending({
      send: async (request) => {
        const text = await request.text();
        sent.push({ bytes: new TextEncoder().encode(text).length, text: JSON.parse(text).message.notification.body });
        return Response.json({ name: "message" });
      },
    }, [{ ...MESSAGE, title: "駐".repeat(200), body, data: { path: "x".repeat(1000) } }]);
    const [{ bytes, text } = { bytes: 0, text: "" }] = sent;
    assert.ok(bytes <= 4096 && bytes > 2500, `${bytes} bytes`);
    assert.ok(text.endsWith("…") && body.startsWith(text.slice(0, -1)) && text.isWellFormed());
  }
});

Deno.test("fcm: fifty messages at once share one request for the access token, and again when it is rejected", async () => {
  const messages = Array.from({ length: 50 }, () => MESSAGE);
  const slowToken = async (request: Request, nth: number) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return newToken(request, nth);
  };
  const first = await sending({ token: slowToken }, messages);
  assert.deepEqual(first.requests, { tokens: 1, sends: 50 });
  const revoked = await sending({
    token: slowToken,
    send: (request) =>
      request.headers.get("authorization") === "Bearer token-1"
        ? unauthenticated()
        : Response.json({ name: "message" }),
  }, messages);
  // Not one request a rejected message. A message that is sent later has the new token already.
  assert.equal(revoked.requests.tokens, 2);
  assert.deepEqual(revoked.outcomes, messages.map(() => ({ outcome: "delivered" })));
});

Deno.test("fcm: with the new token the answer counts as any other", async () => {
  for (
    const [second, outcome] of [
      [() => failure(503, "UNAVAILABLE"), { outcome: "later" }],
      [() => failure(429, "RESOURCE_EXHAUSTED"), { outcome: "later", retryAfter: 60 }],
      [() => failure(404, "NOT_FOUND", { errorCode: "UNREGISTERED" }), { outcome: "dead_token" }],
    ] as const
  ) {
    const { outcomes, requests: received } = await sending({
      send: (_, nth) => nth === 1 ? unauthenticated() : second(),
    });
    assert.deepEqual(outcomes, [outcome]);
    assert.deepEqual(received, { tokens: 2, sends: 2 });
  }
});

Deno.test("fcm: a token that is about to expire is not used again", async () => {
  const { outcomes, requests: received } = await sending({
    token: (_, nth) => Response.json({ access_token: `token-${nth}`, expires_in: 30 }),
    send: (_, nth) => nth === 1 ? unauthenticated() : Response.json({ name: "message" }),
  });
  assert.deepEqual([outcomes, received], [[{ outcome: "delivered" }], { tokens: 2, sends: 2 }]);
});

for (
  const [what, google, outcome] of [
    ["rejects the account", { token: () => Response.json({ error: "invalid_grant" }, { status: 400 }) }, "credentials"],
    ["answers 503", { token: () => html(503) }, "outage"],
    ["answers 429", { token: () => html(429) }, "outage"],
    ["answers in HTML", { token: () => html(200) }, "outage"],
    ["does not answer in time", { token: late }, "outage"],
    [
      "would be called with an invalid key",
      { key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" },
      "credentials",
    ],
  ] as const
) {
  Deno.test(`fcm: when the token address ${what}, nothing is sent and the outcome is ${outcome}`, async () => {
    const { outcomes, requests: received } = await sending(google);
    assert.deepEqual([outcomes, received.sends], [[{ outcome }], 0]);
  });
}

Deno.test("fcm: a service that takes no connection is an outage, and one without settings is not configured", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const url = `http://127.0.0.1:${listener.addr.port}`;
  listener.close();
  const config = configFor(url);
  const account = { clientEmail: "a@b.test", privateKey: PRIVATE_KEY, privateKeyId: null, tokenUri: `${url}/token` };
  const push = { projectId: "project", apiUrl: url, account };
  const sender = pushSender(() => ({ ...config, providers: { ...config.providers, push } }));
  assert.deepEqual(await sender.send(MESSAGE), { outcome: "outage" });
  assert.deepEqual(await pushSender(() => config).send(MESSAGE), { outcome: "not_configured" });
});
