// Object storage and the service's own rights, as the functions have them.
import { type Config, readConfig } from "../../supabase/functions/_shared/config.ts";
import { asService } from "../../supabase/functions/_shared/db/client.ts";
import { objectStorage } from "../../supabase/functions/_shared/storage/object_storage.ts";
import { stack } from "../support/stack.ts";

const { apiUrl, anonKey, serviceRoleKey, jwtSecret } = stack();
const settings: Record<string, string | undefined> = {
  SUPABASE_URL: apiUrl,
  SUPABASE_ANON_KEY: anonKey,
  SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
  JWT_SECRET: jwtSecret,
  S3_ENDPOINT: Deno.env.get("STORAGE_S3_URL"),
  S3_REGION: Deno.env.get("S3_PROTOCOL_REGION"),
  S3_ACCESS_KEY_ID: Deno.env.get("S3_PROTOCOL_ACCESS_KEY_ID"),
  S3_SECRET_ACCESS_KEY: Deno.env.get("S3_PROTOCOL_ACCESS_KEY_SECRET"),
};
const config: Config = readConfig((name) => settings[name]);

/** Object storage with other settings than the platform's. */
export const storageWith = (change: Partial<NonNullable<Config["storage"]>>) =>
  objectStorage(() => ({ ...config, storage: { ...config.storage!, ...change } }));
export const storage = objectStorage(() => config);
/** An address without a server. */
export const awayStorage = storageWith({ endpoint: "http://127.0.0.1:1" });
export const service = asService(config, { headers: { "X-Request-Id": crypto.randomUUID() }, onCall: () => {} });
