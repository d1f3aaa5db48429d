// Verification of App Store data, compared with Apple's own library.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac, createSign } from "node:crypto";
import {
  Environment as AppleEnvironment,
  ReceiptUtility,
  SignedDataVerifier,
  VerificationException,
  VerificationStatus,
} from "@apple/app-store-server-library";
import {
  type Chain,
  encodedJson,
  INTERMEDIATE_OID,
  issue,
  LEAF_OID,
  makeChain,
  pemOf,
  signCompact,
  x5cOf,
} from "../../local/standins/app_store/certificates.ts";
import { appReceipt, transactionReceipt } from "../../local/standins/app_store/receipts.ts";
import { certificateStatus } from "../../supabase/functions/_shared/providers/app_store/ocsp.ts";
import { purchasesIn } from "../../supabase/functions/_shared/providers/app_store/receipt.ts";
import {
  type Defect,
  SignedData,
  SignedDataError,
} from "../../supabase/functions/_shared/providers/app_store/signed_data.ts";
import { type OcspAnswer, ocspResponder } from "../support/ocsp_responder.ts";
import { type Chance, chance } from "../support/random.ts";

const BUNDLE_ID = "jp.example.parking";
const APP_ID = 1234567890;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const CASES = 1_000;

const now = Date.now();
const root = await issue({ name: "Root of the oracle", curve: "P-384", isAuthority: true });
const otherRoot = await issue({ name: root.name, curve: "P-384", isAuthority: true });
const expired = { notBefore: now - 3 * YEAR_MS, notAfter: now - YEAR_MS };

/** Two in three are as they should be: so many other things can be wrong with a case. */
const good = await makeChain({ root });
const wrongChains = await Promise.all([
  makeChain(),
  makeChain({ root: otherRoot }),
  makeChain({ root, intermediate: { isAuthority: false } }),
  makeChain({ root, intermediate: { oids: [] } }),
  makeChain({ root, intermediate: { oids: [LEAF_OID] } }),
  makeChain({ root, intermediate: { issuerName: "Another CA" } }),
  makeChain({ root, intermediate: expired }),
  makeChain({ root, intermediate: { curve: "P-256" } }),
  makeChain({ root, leaf: { oids: [] } }),
  makeChain({ root, leaf: { oids: [INTERMEDIATE_OID, LEAF_OID], isAuthority: true } }),
  makeChain({ root, leaf: { issuerName: "Another CA" } }),
  makeChain({ root, leaf: { issuer: undefined, issuerName: good.intermediate.name } }),
  makeChain({ root, leaf: expired }),
  makeChain({ root, leaf: { ...expired, oids: [] } }),
  makeChain({ root, leaf: { curve: "P-384" } }),
]);

/** What Apple's library says for each of our reasons. */
const STATUS: Readonly<Record<Defect, VerificationStatus>> = {
  malformed: VerificationStatus.VERIFICATION_FAILURE,
  chain_length: VerificationStatus.INVALID_CERTIFICATE,
  certificate: VerificationStatus.INVALID_CERTIFICATE,
  chain: VerificationStatus.VERIFICATION_FAILURE,
  validity: VerificationStatus.INVALID_CERTIFICATE,
  revoked: VerificationStatus.FAILURE,
  signature: VerificationStatus.VERIFICATION_FAILURE,
  app: VerificationStatus.INVALID_APP_IDENTIFIER,
  environment: VerificationStatus.INVALID_ENVIRONMENT,
};

function ours(environment: "Production" | "Sandbox"): SignedData {
  return new SignedData({
    sandboxTesters: [],
    bundleId: BUNDLE_ID,
    appId: APP_ID,
    environments: [environment],
    rootCertificates: pemOf(root),
    onlineChecks: false,
    api: null,
  });
}

function theirs(environment: AppleEnvironment): SignedDataVerifier {
  return new SignedDataVerifier([Buffer.from(root.certificate)], false, environment, BUNDLE_ID, APP_ID);
}

const verifiers = {
  Production: { ours: ours("Production"), theirs: theirs(AppleEnvironment.PRODUCTION) },
  Sandbox: { ours: ours("Sandbox"), theirs: theirs(AppleEnvironment.SANDBOX) },
};

interface Case {
  readonly environment: "Production" | "Sandbox";
  readonly jws: string;
  readonly isNotification: boolean;
}

/** With this chance the second, otherwise the first. */
function mostly<Value>(random: Chance, share: number, usual: Value, others: readonly Value[]): Value {
  return random.next() < share ? random.pick(others) : usual;
}

async function makeCase(random: Chance): Promise<Case> {
  const environment = random.pick(["Production", "Sandbox"] as const);
  const isNotification = random.next() < 0.3;
  const chain = mostly(random, 0.4, good, wrongChains);
  const app = {
    bundleId: mostly<unknown>(random, 0.05, BUNDLE_ID, ["jp.example.other", undefined, ""]),
    environment: mostly<unknown>(random, 0.1, environment, [
      "Production",
      "Sandbox",
      "Xcode",
      "LocalTesting",
      undefined,
    ]),
  };
  const wrongType = mostly<Record<string, unknown>>(random, 0.06, {}, [
    { transactionId: 5 },
    { notificationUUID: 5 },
    { signedDate: "now" },
    { purchaseDate: "1" },
    { isUpgraded: "yes" },
    { subtype: null },
  ]);
  const payload = {
    ...(isNotification ? notification(random, app) : { ...app, transactionId: "1", productId: "p", purchaseDate: now }),
    signedDate: mostly<number | undefined>(random, 0.3, now, [
      undefined,
      now - 2 * YEAR_MS,
      now - 10 * YEAR_MS,
      now + 30 * YEAR_MS,
      Math.floor(expired.notAfter / 1000) * 1000 + 59_000,
      Math.floor(expired.notAfter / 1000) * 1000 + 61_000,
    ]),
    ...wrongType,
  };
  return { environment, isNotification, jws: await makeJws(random, chain, payload) };
}

function notification(random: Chance, app: Record<string, unknown>): Record<string, unknown> {
  const data = { ...app, appAppleId: mostly<number | undefined>(random, 0.1, APP_ID, [1, undefined]) };
  const externalPurchaseId = random.pick(["SANDBOX_1", "1"]);
  const contents = mostly<Record<string, unknown>>(random, 0.3, { data }, [
    {},
    { summary: data },
    { appData: data },
    { externalPurchaseToken: { ...data, externalPurchaseId } },
  ]);
  return { notificationType: "DID_RENEW", notificationUUID: crypto.randomUUID(), version: "2.0", ...contents };
}

async function makeJws(random: Chance, chain: Chain, payload: Record<string, unknown>): Promise<string> {
  const all = x5cOf(chain) as [string, string, string];
  const [leaf, intermediate, last] = all;
  const cut = (text: string) => Uint8Array.fromBase64(text).slice(0, random.below(400)).toBase64();
  const x5c = mostly<unknown>(random, 0.2, all, [
    [leaf, intermediate],
    [leaf, intermediate, last, last],
    [leaf],
    [],
    [intermediate, leaf, last],
    [last, intermediate, leaf],
    [leaf, last, intermediate],
    [leaf, intermediate, leaf],
    [leaf, intermediate, "AAAA"],
    [cut(leaf), intermediate, last],
    [leaf, cut(intermediate), last],
    ["AAAA", intermediate, last],
    null,
  ]);
  const leafKey = mostly(random, 0.1, chain.leaf, [good.intermediate, wrongChains[0]!.leaf]);
  const signer = leafKey.keys.privateKey.algorithm as EcKeyAlgorithm;
  // Keys of other curves cannot sign by ES256.
  const identity = signer.namedCurve === "P-256" ? leafKey : wrongChains[1]!.leaf;
  const jws = await signCompact(payload, { leaf: identity, x5c: x5c as string[] });
  const disfigure = mostly<(text: string) => string | Promise<string>>(random, 0.2, (text) => text, [
    (text) => text.split(".").with(1, encodedJson({ ...payload, productId: "other" })).join("."),
    (text) => text.split(".").slice(0, 2).join("."),
    (text) => `${text}.AAAA`,
    (text) => text.split(".").with(2, "").join("."),
    (text) => text.split(".").with(1, "e30").join("."),
    (text) => text.slice(0, random.below(text.length)),
    () => "",
    () => unsigned(payload, all),
    () => withSecret(payload, chain, all),
    () => byES384(payload, all),
  ]);
  return await disfigure(jws);
}

function unsigned(payload: Record<string, unknown>, x5c: readonly string[]): string {
  return `${encodedJson({ alg: "none", x5c })}.${encodedJson(payload)}.`;
}

async function withSecret(payload: Record<string, unknown>, chain: Chain, x5c: readonly string[]): Promise<string> {
  const content = `${encodedJson({ alg: "HS256", x5c })}.${encodedJson(payload)}`;
  const secret = new Uint8Array(await crypto.subtle.exportKey("spki", chain.leaf.keys.publicKey));
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
}

/** By a key for ES256. The library would take ES384 from a chain that has a key for it; we never do. */
async function byES384(payload: Record<string, unknown>, x5c: readonly string[]): Promise<string> {
  const content = `${encodedJson({ alg: "ES384", x5c })}.${encodedJson(payload)}`;
  const key = await crypto.subtle.exportKey("jwk", good.leaf.keys.privateKey) as never;
  const signature = createSign("sha384").update(content).sign(
    { key, format: "jwk", dsaEncoding: "ieee-p1363" },
    "base64url",
  );
  return `${content}.${signature}`;
}

type Verdict = VerificationStatus;

async function ourVerdict({ environment, jws, isNotification }: Case): Promise<Verdict> {
  const { ours } = verifiers[environment];
  try {
    await (isNotification ? ours.notification(jws) : ours.transaction(jws));
    return VerificationStatus.OK;
  } catch (error) {
    if (!(error instanceof SignedDataError)) throw error;
    return STATUS[error.defect];
  }
}

async function theirVerdict({ environment, jws, isNotification }: Case): Promise<Verdict> {
  const { theirs } = verifiers[environment];
  try {
    await (isNotification ? theirs.verifyAndDecodeNotification(jws) : theirs.verifyAndDecodeTransaction(jws));
    return VerificationStatus.OK;
  } catch (error) {
    if (!(error instanceof VerificationException)) throw error;
    // A payload of another shape fails like one that is none.
    return error.status === VerificationStatus.FAILURE ? VerificationStatus.VERIFICATION_FAILURE : error.status;
  }
}

Deno.test(`app store: on ${CASES} generated cases the verdict is that of Apple's library`, async () => {
  const random = chance(20_260_901);
  const counts = new Map<Verdict, number>();
  for (let nth = 0; nth < CASES; nth++) {
    const one = await makeCase(random);
    const [mine, apples] = [await ourVerdict(one), await theirVerdict(one)];
    const [header, payload, signature] = one.jws.split(".").map((part) => Buffer.from(part, "base64url").toString());
    const what = `case ${nth} (${one.environment}): ${
      header?.replace(/[\w+/=]{40,}/g, "…")
    } ${payload} ${signature?.length}`;
    assert.equal(VerificationStatus[mine], VerificationStatus[apples], what);
    counts.set(mine, (counts.get(mine) ?? 0) + 1);
  }
  const { OK, VERIFICATION_FAILURE, INVALID_APP_IDENTIFIER, INVALID_ENVIRONMENT, INVALID_CERTIFICATE } =
    VerificationStatus;
  for (const status of [OK, VERIFICATION_FAILURE, INVALID_APP_IDENTIFIER, INVALID_ENVIRONMENT, INVALID_CERTIFICATE]) {
    assert.ok((counts.get(status) ?? 0) >= 20, `${VerificationStatus[status]}: ${counts.get(status)}`);
  }
});

Deno.test("app store: with online checks the verdict on certificates is that of Apple's library", async () => {
  await using responder = ocspResponder();
  const signer = { extendedKeyUsages: ["1.3.6.1.5.5.7.3.9"], curve: "P-384" } as const;
  const online = await makeChain({
    root,
    intermediate: { ocspUri: `${responder.url}/intermediate` },
    leaf: { ocspUri: `${responder.url}/leaf` },
  });
  const delegates = {
    leaf: await issue({ name: "Responder for leaves", issuer: online.intermediate, ...signer }),
    intermediate: await issue({ name: "Responder for intermediates", issuer: root, ...signer }),
  };
  const payload = { bundleId: BUNDLE_ID, environment: "Sandbox", signedDate: now };
  const jws = await signCompact(payload, { leaf: online.leaf, x5c: x5cOf(online) });
  // Not responses that are out of date: the library does not understand their times, and accepts them.
  const answers: [Partial<OcspAnswer>, Partial<OcspAnswer>][] = [
    [{}, {}],
    [{ namesKey: true }, {}],
    [{}, { namesKey: true }],
    [{ status: "revoked" }, {}],
    [{}, { status: "revoked" }],
    [{ status: "unknown" }, {}],
    [{ isAboutAnother: true }, {}],
    [{ signer: delegates.intermediate }, {}],
    [{ sendsCertificate: false }, {}],
  ];
  for (const [nth, [leaf, intermediate]] of answers.entries()) {
    responder.answer = (of) => ({
      status: "good",
      signer: delegates[of],
      sendsCertificate: true,
      ...(of === "leaf" ? leaf : intermediate),
    });
    const roots = [Buffer.from(root.certificate)];
    const theirs = new SignedDataVerifier(roots, true, AppleEnvironment.SANDBOX, BUNDLE_ID);
    const config = {
      bundleId: BUNDLE_ID,
      appId: null,
      environments: ["Sandbox"],
      rootCertificates: pemOf(root),
    } as const;
    const ours = new SignedData({ ...config, sandboxTesters: [], onlineChecks: true, api: null }, {
      status: certificateStatus(),
    });
    const isAccepted = (promise: Promise<unknown>) => promise.then(() => true, () => false);
    const [mine, apples] = [
      await isAccepted(ours.transaction(jws)),
      await isAccepted(theirs.verifyAndDecodeTransaction(jws)),
    ];
    assert.deepEqual([mine, apples], [nth < 3, nth < 3], `answer ${nth}`);
  }
});

Deno.test("app store: old receipts yield the transaction that Apple's library finds in them", () => {
  const utility = new ReceiptUtility();
  const random = chance(1705);
  for (let nth = 0; nth < 100; nth++) {
    const entries = Array.from({ length: random.below(4) }, (_, index) => ({
      productId: `product_${index}`,
      transactionId: String(random.below(1e9)),
      originalTransactionId: String(random.below(1e9)),
    }));
    // The library fails on Xcode's, its own example included, since its parser checks lengths (jsrsasign 11.1.5).
    const receipt = appReceipt(BUNDLE_ID, entries, "app");
    const apples = utility.extractTransactionIdFromAppReceipt(receipt);
    assert.equal(purchasesIn(receipt)[0]?.transactionId ?? null, apples);
    for (const entry of entries) {
      const receipt = transactionReceipt(BUNDLE_ID, entry);
      const apples = utility.extractTransactionIdFromTransactionReceipt(receipt);
      assert.equal(purchasesIn(receipt)[0]?.transactionId ?? null, apples);
    }
  }
});
