// SCRAM-SHA-256 (RFC 5802, RFC 7677): the authentication of a client by its password.
import { Buffer } from "node:buffer";
import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from "node:crypto";

export const MECHANISM = "SCRAM-SHA-256";

/** One authentication. The connection is not encrypted, so there is no channel binding. */
export class Scram {
  readonly #first = `n=,r=${Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString("base64")}`;
  #serverSignature: Buffer = Buffer.alloc(0);

  constructor(readonly password: string) {}

  /** The client's first message. */
  begin(): string {
    return `n,,${this.#first}`;
  }

  /** The client's proof: the reply to the server's first message. */
  prove(challenge: string): string {
    const { r: nonce = "", s: salt = "", i: iterations = "" } = attributes(challenge);
    if (!nonce.startsWith(this.#first.slice("n=,r=".length))) {
      throw new Error("The server's nonce does not begin with the client's.");
    }
    const salted = pbkdf2Sync(this.password, Buffer.from(salt, "base64"), Number(iterations), 32, "sha256");
    const clientKey = hmac(salted, "Client Key");
    const final = `c=biws,r=${nonce}`;
    const signed = `${this.#first},${challenge},${final}`;
    const signature = hmac(createHash("sha256").update(clientKey).digest(), signed);
    this.#serverSignature = hmac(hmac(salted, "Server Key"), signed);
    const proof = clientKey.map((byte, at) => byte ^ signature[at]!);
    return `${final},p=${Buffer.from(proof).toString("base64")}`;
  }

  /** Throws unless the server knows the password too. */
  verify(final: string): void {
    const given = Buffer.from(attributes(final)["v"] ?? "", "base64");
    if (given.length !== this.#serverSignature.length || !timingSafeEqual(given, this.#serverSignature)) {
      throw new Error("The server did not prove that it knows the password.");
    }
  }
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function attributes(message: string): Record<string, string> {
  return Object.fromEntries(message.split(",").map((part) => [part.slice(0, 1), part.slice(2)]));
}
