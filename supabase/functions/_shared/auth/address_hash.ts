import type { AddressHashKey } from "../config.ts";

/** HKDF's context: a key that is derived for this is of no use for anything else, and says nothing of its source. */
const PURPOSE = "parking-lot address hash v1";

const keys = new WeakMap<AddressHashKey, Promise<CryptoKey>>();

/** What stands for a network address: a keyed hash, so that nobody who reads it can try addresses. */
export async function hashAddress(address: string, from: AddressHashKey): Promise<string> {
  const key = keys.get(from) ?? makeKey(from);
  keys.set(from, key);
  const hash = await crypto.subtle.sign("HMAC", await key, new TextEncoder().encode(`address ${address}`));
  return [...new Uint8Array(hash, 0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function makeKey({ secret, isDerived }: AddressHashKey): Promise<CryptoKey> {
  const raw = new Uint8Array(secret);
  const usage = { name: "HMAC", hash: "SHA-256" };
  if (!isDerived) return await crypto.subtle.importKey("raw", raw, usage, false, ["sign"]);
  const source = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode(PURPOSE) };
  return await crypto.subtle.deriveKey(derivation, source, { ...usage, length: 256 }, false, ["sign"]);
}
