// Forged data of the App Store is rejected with iap_invalid, and the reason is in the log only.
import assert from "node:assert/strict";
import { createHash, createHmac, createSign } from "node:crypto";
import {
  type Chain,
  type ChainOptions,
  encodedJson,
  type Identity,
  INTERMEDIATE_OID,
  issue,
  LEAF_OID,
  makeChain,
  pemOf,
  signCompact,
  x5cOf,
} from "../../local/standins/app_store/certificates.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { type AppStore, appStore } from "../../supabase/functions/_shared/providers/app_store.ts";
import { APPLE_ROOT_CA_G3 } from "../../supabase/functions/_shared/providers/app_store/apple_root.ts";
import { readPem } from "../../supabase/functions/_shared/providers/app_store/certificates.ts";
import { APPLE_INTERMEDIATE, APPLE_LEAF } from "../support/apple_chain.ts";
import { type Chance, chance } from "../support/random.ts";
import { volume } from "../support/sizes.ts";
import { configOf, errorFrom, reasonOf } from "./app_store.ts";

const BUNDLE_ID = "jp.example.parking";
const PLAN = "premium_monthly";
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

const root = await issue({ name: "Root of the tests", curve: "P-384", isAuthority: true });
const good = await makeChain({ root });
const apple = storeWith(root);

function storeWith(trusted: Identity | null): AppStore {
  const certificates = trusted === null ? {} : { APP_STORE_ROOT_CERTIFICATES: pemOf(trusted) };
  return appStore(() => configOf({ APP_STORE_BUNDLE_ID: BUNDLE_ID, ...certificates }));
}

function transaction(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Date.now();
  return {
    transactionId: "2000000000000001",
    originalTransactionId: "2000000000000001",
    bundleId: BUNDLE_ID,
    productId: PLAN,
    purchaseDate: now - DAY_MS,
    originalPurchaseDate: now - DAY_MS,
    expiresDate: now + 29 * DAY_MS,
    type: "Auto-Renewable Subscription",
    environment: "Production",
    signedDate: now,
    ...changes,
  };
}

async function signedBy(chain: Chain, changes: Record<string, unknown> = {}, x5c = x5cOf(chain)): Promise<string> {
  return await signCompact(transaction(changes), { leaf: chain.leaf, x5c });
}

async function verified(receipt: string, store = apple) {
  return await store.verify({ receipt, product_id: PLAN });
}

async function assertError(receipt: string, reason: RegExp, store = apple): Promise<void> {
  const rejection = await errorFrom(verified(receipt, store));
  assert.equal(rejection.code, "iap_invalid");
  assert.match(reasonOf(rejection), reason);
  assert.deepEqual([rejection.message, rejection.details], ["The receipt is not valid.", undefined]);
}

Deno.test("app store: a payload signed by the chain is accepted, repeatedly", async () => {
  const receipt = await signedBy(good);
  for (const _ of [1, 2]) assert.equal((await verified(receipt)).facts.status, "active");
});

Deno.test("app store: the compiled root is Apple Root CA - G3", () => {
  const [certificate, ...others] = readPem(APPLE_ROOT_CA_G3);
  assert.equal(others.length, 0);
  assert.equal(
    createHash("sha256").update(certificate!.raw).digest("hex"),
    "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
  );
  assert.equal(new Date(certificate!.notAfter).toISOString(), "2039-04-30T18:19:06.000Z");
});

const chains: Record<string, [ChainOptions, RegExp]> = {
  "of another root": [{}, /\(chain\): no trusted root/],
  "of another root of the same name": [
    { root: await issue({ name: root.name, curve: "P-384", isAuthority: true }) },
    /\(chain\): no trusted root/,
  ],
  "whose leaf has signed itself": [
    { root, leaf: { issuer: undefined, issuerName: good.intermediate.name } },
    /\(chain\): the intermediate has not issued/,
  ],
  "whose leaf names another issuer": [
    { root, leaf: { issuerName: "Another CA" } },
    /\(chain\): the intermediate has not issued/,
  ],
  "whose intermediate names another issuer": [
    { root, intermediate: { issuerName: "Another CA" } },
    /\(chain\): no trusted root/,
  ],
  "whose leaf has not the object identifier": [{ root, leaf: { oids: [] } }, /\(chain\): the leaf is not for/],
  "whose leaf has the intermediate's": [{ root, leaf: { oids: [INTERMEDIATE_OID] } }, /\(chain\): the leaf is not for/],
  "whose intermediate has not the object identifier": [
    { root, intermediate: { oids: [LEAF_OID] } },
    /\(chain\): the intermediate is not for/,
  ],
  "whose intermediate is no authority": [
    { root, intermediate: { isAuthority: false } },
    /\(chain\): the intermediate is not an authority/,
  ],
  "whose leaf has expired": [
    { root, leaf: { notBefore: Date.now() - 2 * YEAR_MS, notAfter: Date.now() - DAY_MS } },
    /\(validity\)/,
  ],
  "whose intermediate is not valid yet": [{ root, intermediate: { notBefore: Date.now() + DAY_MS } }, /\(validity\)/],
  "whose leaf has a key of another curve": [{ root, leaf: { curve: "P-384" } }, /\(signature\)|malformed/],
};

for (const [which, [options, reason]] of Object.entries(chains)) {
  Deno.test(`app store: a chain ${which} is rejected`, async () => {
    await assertError(await signedBy(await makeChain(options)), reason);
  });
}

Deno.test("app store: certificates are valid or not at the time of the signature, give or take a minute", async () => {
  const notAfter = Date.now() - DAY_MS;
  const chain = await makeChain({ root, leaf: { notBefore: notAfter - YEAR_MS, notAfter } });
  const lastSecond = Math.floor(notAfter / 1000) * 1000;
  const signedAt = (signedDate: number) => signedBy(chain, { signedDate });
  await verified(await signedAt(lastSecond + 59_000));
  await assertError(await signedAt(lastSecond + 61_000), /\(validity\)/);
  await verified(await signedAt(notAfter - YEAR_MS - 59_000));
  await assertError(await signedAt(notAfter - YEAR_MS - 62_000), /\(validity\)/);
});

Deno.test("app store: there are three certificates, in their order", async () => {
  const [leaf, intermediate, last] = x5cOf(good) as [string, string, string];
  const orders: [unknown, RegExp][] = [
    [[leaf, intermediate], /chain_length/],
    [[leaf, intermediate, last, last], /chain_length/],
    [[leaf], /chain_length/],
    [[], /chain_length/],
    [null, /chain_length/],
    [leaf, /chain_length/],
    [[leaf, intermediate, 3], /chain_length/],
    [[intermediate, leaf, last], /\(chain\)/],
    [[last, intermediate, leaf], /\(chain\)/],
    [[leaf, last, intermediate], /\(chain\)/],
    [[leaf, leaf, last], /\(chain\)/],
    [["", intermediate, last], /\(certificate\)/],
    [[leaf, "!", last], /\(certificate\)/],
  ];
  for (const [x5c, reason] of orders) await assertError(await signedBy(good, {}, x5c as string[]), reason);
});

Deno.test("app store: a leaf of another chain does not verify a forged payload", async () => {
  const mine = await makeChain();
  await assertError(await signCompact(transaction(), { leaf: mine.leaf, x5c: x5cOf(good) }), /\(signature\)/);
});

Deno.test("app store: a real chain of Apple with a foreign payload is rejected for its signature", async () => {
  const mine = await makeChain();
  const x5c = [APPLE_LEAF, APPLE_INTERMEDIATE, x5cOf(mine)[2]!];
  const during = { signedDate: Date.parse("2026-01-15T00:00:00Z") };
  const receipt = await signCompact(transaction(during), { leaf: mine.leaf, x5c });
  await assertError(receipt, /\(signature\): it does not verify/, storeWith(null));
  await assertError(receipt, /\(chain\): no trusted root/);
  const before = { signedDate: Date.parse("2025-01-15T00:00:00Z") };
  await assertError(
    await signCompact(transaction(before), { leaf: mine.leaf, x5c }),
    /\(validity\)/,
    storeWith(null),
  );
});

Deno.test("app store: a payload that was changed after the signature is rejected", async () => {
  const [header, , signature] = (await signedBy(good)).split(".");
  const changed = encodedJson(transaction({ expiresDate: Date.now() + YEAR_MS }));
  await assertError(`${header}.${changed}.${signature}`, /\(signature\)/);
});

Deno.test("app store: algorithms other than ES256 are rejected", async () => {
  const content = (alg: unknown) => `${encodedJson({ alg, x5c: x5cOf(good) })}.${encodedJson(transaction())}`;
  const key = await crypto.subtle.exportKey("jwk", good.leaf.keys.privateKey);
  const es384 = createSign("sha384").update(content("ES384")).sign(
    { key: key as never, format: "jwk", dsaEncoding: "ieee-p1363" },
    "base64url",
  );
  const secret = new Uint8Array(await crypto.subtle.exportKey("spki", good.leaf.keys.publicKey));
  const forged = [
    `${content("none")}.`,
    `${content("HS256")}.${createHmac("sha256", secret).update(content("HS256")).digest("base64url")}`,
    `${content("ES384")}.${es384}`,
    await signCompact(transaction(), { leaf: good.leaf, x5c: x5cOf(good), header: { alg: "none" } }),
    await signCompact(transaction(), { leaf: good.leaf, x5c: x5cOf(good), header: { alg: "ES384" } }),
    await signCompact(transaction(), { leaf: good.leaf, x5c: x5cOf(good), header: { alg: ["ES256"] } }),
  ];
  for (const receipt of forged) await assertError(receipt, /\(signature\)/);
});

const payloads: Record<string, [Record<string, unknown>, RegExp]> = {
  "another app": [{ bundleId: "jp.example.other" }, /\(app\)/],
  "no app": [{ bundleId: undefined }, /\(app\)/],
  "Xcode": [{ environment: "Xcode" }, /\(environment\)/],
  "local tests": [{ environment: "LocalTesting" }, /\(environment\)/],
  "no environment": [{ environment: undefined }, /\(environment\)/],
  "another product": [{ productId: "premium_yearly" }, /another product/],
  "no product": [{ productId: undefined }, /\(malformed\)/],
  "a number as product": [{ productId: 5 }, /\(malformed\): payload: productId/],
  "no transaction": [{ transactionId: undefined }, /\(malformed\)/],
  "no end of a subscription": [{ expiresDate: undefined }, /\(malformed\): payload: expiresDate/],
  "an end that is no time": [{ expiresDate: 1e300 }, /\(malformed\): payload: expiresDate/],
  "a signature in the year 10000": [{ signedDate: 253402300800000 }, /\(malformed\): payload: signedDate/],
};

for (const [what, [changes, reason]] of Object.entries(payloads)) {
  Deno.test(`app store: a signed transaction with ${what} is rejected`, async () => {
    await assertError(await signedBy(good, changes), reason);
  });
}

Deno.test("app store: Sandbox is rejected where only Production is accepted", async () => {
  const settings = { APP_STORE_BUNDLE_ID: BUNDLE_ID, APP_STORE_ROOT_CERTIFICATES: pemOf(root) };
  const strict = appStore(() => configOf({ ...settings, APP_STORE_ENVIRONMENTS: "Production" }));
  const receipt = await signedBy(good, { environment: "Sandbox" });
  assert.equal((await verified(receipt)).facts.environment, "Sandbox");
  await assertError(receipt, /\(environment\)/, strict);
});

Deno.test("app store: notifications are as hard to forge as receipts", async () => {
  const notification = (changes: Record<string, unknown> = {}, data: Record<string, unknown> = {}) => ({
    notificationType: "DID_RENEW",
    notificationUUID: crypto.randomUUID(),
    version: "2.0",
    signedDate: Date.now(),
    data: { bundleId: BUNDLE_ID, environment: "Production", appAppleId: 12345, status: 1, ...data },
    ...changes,
  });
  const settings = {
    APP_STORE_BUNDLE_ID: BUNDLE_ID,
    APP_STORE_ROOT_CERTIFICATES: pemOf(root),
    APP_STORE_APP_ID: "12345",
  };
  const store = appStore(() => configOf(settings));
  const sign = (payload: Record<string, unknown>, chain = good) =>
    signCompact(payload, { leaf: chain.leaf, x5c: x5cOf(chain) });
  const signedTransactionInfo = await signedBy(good);
  const genuine = await store.readNotification(await sign(notification({}, { signedTransactionInfo })));
  assert.equal(genuine?.facts.status, "active");
  const foreign = await makeChain();
  const forged: [string, RegExp][] = [
    [await sign(notification({}, { signedTransactionInfo }), foreign), /\(chain\)/],
    [await sign(notification({}, { signedTransactionInfo: await signedBy(foreign) })), /\(chain\)/],
    [await sign(notification({}, { signedTransactionInfo, bundleId: "jp.example.other" })), /\(app\)/],
    [await sign(notification({}, { signedTransactionInfo, appAppleId: 54321 })), /\(app\)/],
    [await sign(notification({}, { signedTransactionInfo, environment: "Xcode" })), /\(environment\)/],
    [
      await sign(notification({}, { signedTransactionInfo: await signedBy(good, { environment: "Sandbox" }) })),
      /\(environment\)/,
    ],
    [
      await sign(notification({}, {
        signedTransactionInfo,
        signedRenewalInfo: await sign({
          originalTransactionId: "7",
          environment: "Production",
          signedDate: Date.now(),
        }),
      })),
      /different subscriptions/,
    ],
    [await sign(notification({ data: undefined })), /\(app\)/],
    [await sign(notification({ notificationUUID: undefined }, { signedTransactionInfo })), /\(malformed\)/],
    [await signedBy(good), /\(app\)/],
    ["", /\(malformed\)/],
    ["{}", /\(malformed\)/],
  ];
  for (const [signedPayload, reason] of forged) {
    const rejection = await errorFrom(store.readNotification(signedPayload));
    assert.equal(rejection.code, "iap_invalid");
    assert.match(reasonOf(rejection), reason);
  }
});

const FORGERIES = volume("FORGED_RECEIPTS", 1_000, 10_000);

Deno.test(`app store: of ${FORGERIES} receipts with changed bytes none is accepted, and none is a crash`, async () => {
  const random = chance(16);
  const receipt = await signedBy(good);
  const [leaf, intermediate, last] = x5cOf(good).map((text) => Uint8Array.fromBase64(text)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const withCertificates = async (...certificates: readonly Uint8Array[]) =>
    await signedBy(good, {}, certificates.map((certificate) => certificate.toBase64()));
  const makers: (() => string | Promise<string>)[] = [
    () => changedText(receipt, random),
    () => receipt.slice(0, random.below(receipt.length)),
    () => changedPart(receipt, random),
    // An attacker with the leaf's key could not change a certificate either.
    () => withCertificates(changedBytes(leaf, random), intermediate, last),
    () => withCertificates(leaf, changedBytes(intermediate, random), last),
    () => withCertificates(leaf.subarray(0, random.below(leaf.length)), intermediate, last),
    () => withCertificates(leaf, intermediate.subarray(0, random.below(intermediate.length)), last),
  ];
  for (let nth = 0; nth < FORGERIES; nth++) {
    const forged = await makers[nth % makers.length]!();
    const verdict = await verified(forged).then(() => "accepted", (error: unknown) => error);
    assert.ok(verdict instanceof ApiError && verdict.code === "iap_invalid", `${nth}: ${verdict}: ${forged}`);
  }
});

const CHARACTERS = "ABCXYZabcxyz0189-_.=+/ \u0000é";

/** One to three characters of the text are others. */
function changedText(text: string, random: Chance): string {
  const characters = [...text];
  for (let count = 1 + random.below(3); count > 0;) {
    const index = random.below(characters.length);
    const other = CHARACTERS[random.below(CHARACTERS.length)]!;
    if (characters[index] === other) continue;
    characters[index] = other;
    count--;
  }
  return characters.join("");
}

/** One to three bytes of the header, the payload or the signature are others. */
function changedPart(receipt: string, random: Chance): string {
  const parts = receipt.split(".");
  const index = random.below(3);
  const bytes = Uint8Array.fromBase64(parts[index]!, { alphabet: "base64url" });
  parts[index] = changedBytes(bytes, random).toBase64({ alphabet: "base64url", omitPadding: true });
  return parts.join(".");
}

function changedBytes(bytes: Uint8Array, random: Chance): Uint8Array {
  const changed = bytes.slice();
  const isChanged = () => changed.some((byte, index) => byte !== bytes[index]);
  do {
    for (let count = 1 + random.below(3); count > 0; count--) {
      changed[random.below(changed.length)] = random.below(256);
    }
  } while (!isChanged());
  return changed;
}
