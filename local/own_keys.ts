// The secrets of this copy of the repository: made at the first start, kept in the state folder, readable for its owner only.
import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const random = (bytes: number) => randomBytes(bytes).toString("base64url");

const MADE = {
  SECRET_KEY: () => `sb_secret_${random(16)}_${random(6)}`,
  JWT_SECRET: () => random(32),
  S3_SECRET_ACCESS_KEY: () => random(30),
};

export type OwnKeys = Readonly<Record<keyof typeof MADE, string>>;

/** Synchronous, because constants of every process of the platform follow from it. */
export function ownKeys(folder: string): OwnKeys {
  const path = join(folder, "keys.json");
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${path} is damaged. Delete it: the next start makes new keys.`);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = Object.fromEntries(Object.entries(MADE).map(([name, make]) => [name, make()]));
  const partial = `${path}.${randomUUID()}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(partial, JSON.stringify(made, null, 2), { mode: 0o600 });
  try {
    linkSync(partial, path); // fails if another process was first
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(partial);
  }
  return ownKeys(folder);
}
