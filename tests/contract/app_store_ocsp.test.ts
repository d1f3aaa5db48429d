// With APP_STORE_ONLINE_CHECKS=true certificates are looked up at the OCSP responders that they name.
import assert from "node:assert/strict";
import {
  type Identity,
  issue,
  makeChain,
  pemOf,
  signCompact,
  x5cOf,
} from "../../local/standins/app_store/certificates.ts";
import { type AppStore, appStore } from "../../supabase/functions/_shared/providers/app_store.ts";
import { type OcspAnswer, ocspResponder } from "../support/ocsp_responder.ts";
import { configOf, errorFrom, reasonOf } from "./app_store.ts";

const BUNDLE_ID = "jp.example.parking";
const PLAN = "premium_monthly";
const DAY_MS = 86_400_000;
const OCSP_SIGNING = "1.3.6.1.5.5.7.3.9";

const responder = ocspResponder();
const root = await issue({ name: "Root of the tests", curve: "P-384", isAuthority: true });
const chain = await makeChain({
  root,
  intermediate: { ocspUri: `${responder.url}/intermediate` },
  leaf: { ocspUri: `${responder.url}/leaf` },
});
addEventListener("unload", () => void responder[Symbol.asyncDispose]());

function delegateOf(issuer: Identity, usages: readonly string[] = [OCSP_SIGNING], notAfter = Date.now() + DAY_MS) {
  return issue({ name: `Responder of ${issuer.name}`, curve: "P-384", issuer, extendedKeyUsages: usages, notAfter });
}

const delegates = { leaf: await delegateOf(chain.intermediate), intermediate: await delegateOf(root) };
const issuers = { leaf: chain.intermediate, intermediate: root };

function good(of: "leaf" | "intermediate", changes: Partial<OcspAnswer> = {}): OcspAnswer {
  return { status: "good", signer: delegates[of], sendsCertificate: true, ...changes };
}

/** A client that has looked nothing up yet. */
function newStore(onlineChecks = "true"): AppStore {
  return appStore(() =>
    configOf({
      APP_STORE_BUNDLE_ID: BUNDLE_ID,
      APP_STORE_ROOT_CERTIFICATES: pemOf(root),
      APP_STORE_ONLINE_CHECKS: onlineChecks,
    })
  );
}

async function receiptOf(signedBy = chain): Promise<string> {
  const now = Date.now();
  const payload = {
    transactionId: "2000000000000001",
    originalTransactionId: "2000000000000001",
    bundleId: BUNDLE_ID,
    productId: PLAN,
    purchaseDate: now - DAY_MS,
    expiresDate: now + DAY_MS,
    type: "Auto-Renewable Subscription",
    environment: "Production",
    signedDate: now,
  };
  return await signCompact(payload, { leaf: signedBy.leaf, x5c: x5cOf(signedBy) });
}

async function verify(store = newStore()): Promise<string> {
  return (await store.verify({ receipt: await receiptOf(), product_id: PLAN })).facts.status;
}

Deno.test("app store: certificates that their responders call good are accepted, and looked up once in 15 minutes", async () => {
  responder.answer = (of) => good(of);
  const store = newStore();
  const before = responder.requests;
  for (const _ of [1, 2, 3]) assert.equal(await verify(store), "active");
  assert.equal(responder.requests - before, 2);
});

Deno.test("app store: a responder may be the issuer itself, and be named by its key", async () => {
  for (const namesKey of [false, true]) {
    responder.answer = (of) => good(of, { namesKey });
    assert.equal(await verify(), "active");
    responder.answer = (of) => good(of, { signer: issuers[of], sendsCertificate: false, namesKey });
    assert.equal(await verify(), "active");
  }
});

for (const which of ["leaf", "intermediate"] as const) {
  for (const status of ["revoked", "unknown"] as const) {
    Deno.test(`app store: a chain whose ${which} is ${status} is rejected`, async () => {
      responder.answer = (of) => good(of, { status: of === which ? status : "good" });
      const error = await errorFrom(verify());
      assert.equal(error.code, "iap_invalid");
      assert.match(reasonOf(error), /\(revoked\)/);
    });
  }
}

const stranger = await issue({ name: "Stranger", curve: "P-384", isAuthority: true });
const useless: Record<string, (of: "leaf" | "intermediate") => OcspAnswer | Response> = {
  "is signed by a stranger": () => good("leaf", { signer: stranger }),
  "is signed by another's key": (of) => good(of, { keyOf: stranger }),
  "is signed by whom a stranger has certified in the issuer's name": (of) => good(of, { signer: others.forged[of] }),
  "is signed by whose certificate names another issuer": (of) => good(of, { signer: others.misnamed[of] }),
  "is signed by who is not certified for it": (of) => good(of, { signer: others.unqualified[of] }),
  "is signed by whose certificate has expired": (of) => good(of, { signer: others.expired[of] }),
  "is signed for another issuer": (of) => good(of, { signer: delegates[of === "leaf" ? "intermediate" : "leaf"] }),
  "brings no certificate of its signer": (of) => good(of, { sendsCertificate: false }),
  "is out of date": (of) => good(of, { thisUpdate: Date.now() - 3 * DAY_MS, nextUpdate: Date.now() - 2 * DAY_MS }),
  "is of tomorrow": (of) => good(of, { thisUpdate: Date.now() + DAY_MS, nextUpdate: Date.now() + 2 * DAY_MS }),
  "is about another certificate": (of) => good(of, { isAboutAnother: true }),
  "is an error": () => new Response(new Uint8Array([0x30, 3, 0x0a, 1, 6])),
  "is a status code": () => new Response(null, { status: 503 }),
  "is HTML": () => new Response("<html></html>"),
  "is empty": () => new Response(null),
};
const usage = { curve: "P-384", extendedKeyUsages: [OCSP_SIGNING] } as const;
const others = {
  forged: {
    leaf: await issue({ name: "Forged", issuer: stranger, issuerName: chain.intermediate.name, ...usage }),
    intermediate: await issue({ name: "Forged", issuer: stranger, issuerName: root.name, ...usage }),
  },
  misnamed: {
    leaf: await issue({ name: "Misnamed", issuer: chain.intermediate, issuerName: "Another CA", ...usage }),
    intermediate: await issue({ name: "Misnamed", issuer: root, issuerName: "Another CA", ...usage }),
  },
  unqualified: { leaf: await delegateOf(chain.intermediate, []), intermediate: await delegateOf(root, []) },
  expired: {
    leaf: await delegateOf(chain.intermediate, undefined, Date.now() - DAY_MS),
    intermediate: await delegateOf(root, undefined, Date.now() - DAY_MS),
  },
};

for (const [what, answer] of Object.entries(useless)) {
  Deno.test(`app store: when the response of the responder ${what}, a receipt gets 503, and the next try succeeds`, async () => {
    const store = newStore();
    responder.answer = answer;
    const error = await errorFrom(verify(store));
    assert.equal(error.code, "service_unavailable", reasonOf(error));
    assert.match(error.headers["Retry-After"] ?? "", /^[1-9]\d*$/);
    responder.answer = (of) => good(of);
    assert.equal(await verify(store), "active");
  });
}

Deno.test("app store: responders are not called for forged chains, nor without the setting", async () => {
  responder.answer = (of) => good(of);
  const before = responder.requests;
  const foreign = await makeChain({ leaf: { ocspUri: `${responder.url}/leaf` } });
  const error = await errorFrom(newStore().verify({ receipt: await receiptOf(foreign), product_id: PLAN }));
  assert.equal(error.code, "iap_invalid");
  assert.equal(await verify(newStore("false")), "active");
  assert.equal(responder.requests, before);
});

Deno.test("app store: certificates that name no responder cannot be looked up", async () => {
  const silent = await makeChain({ root });
  const error = await errorFrom(newStore().verify({ receipt: await receiptOf(silent), product_id: PLAN }));
  assert.equal(error.code, "service_unavailable");
  assert.match(reasonOf(error), /does not name its OCSP responder/);
});
