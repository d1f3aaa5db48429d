// The key pair of ES256. A hosted project keeps its own and publishes the public half; here it follows from the secret that
// everybody knows, so that each process of the platform has the same one and nothing has to be kept.
import { Buffer } from "node:buffer";
import { createECDH, createHash, createPrivateKey, createPublicKey } from "node:crypto";
import { JWT_SECRET } from "../settings.ts";

const curve = createECDH("prime256v1");
curve.setPrivateKey(createHash("sha256").update(`ES256 ${JWT_SECRET}`).digest());

/** 0x04, x, y. */
const point = Buffer.from(curve.getPublicKey());
const coordinates = {
  kty: "EC",
  crv: "P-256",
  x: point.subarray(1, 33).toString("base64url"),
  y: point.subarray(33).toString("base64url"),
};
const d = Buffer.from(curve.getPrivateKey()).toString("base64url");

export const KEY_ID = createHash("sha256").update(point).digest("hex").slice(0, 32);
export const PUBLIC_JWK = { ...coordinates, kid: KEY_ID, alg: "ES256", use: "sig", key_ops: ["verify"] };
export const publicKey = createPublicKey({ key: coordinates, format: "jwk" });
export const privateKey = createPrivateKey({ key: { ...coordinates, d }, format: "jwk" });
