// Time-based one-time codes (RFC 6238): SHA-1, six digits, thirty seconds, as every authenticator app has them.
import { createHmac, timingSafeEqual } from "node:crypto";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const PERIOD_MS = 30_000;
/** Codes of the period before and of the one after are accepted, because clocks differ. */
const SKEW = [0, -1, 1];

/** A new secret of 160 bits in base 32. */
export function newSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => BASE32[byte % 32]).join("");
}

/** The code of the period at a time in milliseconds. */
export function codeAt(secret: string, time: number): string {
  const bits = Array.from(secret, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(Math.floor(time / PERIOD_MS)));
  const hash = createHmac("sha1", key).update(new Uint8Array(counter.buffer)).digest();
  const offset = hash[19]! & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

export function isCode(secret: string, code: string, now = Date.now()): boolean {
  const given = new TextEncoder().encode(code);
  return SKEW.some((periods) => {
    const expected = new TextEncoder().encode(codeAt(secret, now + periods * PERIOD_MS));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
