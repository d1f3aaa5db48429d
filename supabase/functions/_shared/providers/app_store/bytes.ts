/** Conversions between bytes and text without node:buffer, which adds four milliseconds to a cold start. */

export type Bytes = Uint8Array<ArrayBuffer>;

/** Base64 with or without padding and line ends. Null for invalid text. */
export function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

/** Base64url as in compact JWS: each byte sequence has exactly one text. */
export function fromBase64Url(text: string): Bytes | null {
  const spare = [/^/, /^/, /[AQgw]$/, /[AEIMQUYcgkosw048]$/][text.length % 4]!;
  if (!/^[\w-]*$/.test(text) || !spare.test(text)) return null;
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** UTF-8. Null for invalid bytes. */
export function fromUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

export function concatenated(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
