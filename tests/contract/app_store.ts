// An App Store for one test: the stand-ins, the client of the functions, and helpers that read its requests and errors.
import assert from "node:assert/strict";
import { type Providers, startProviders } from "../../local/standins/providers.ts";
import type { Config } from "../../supabase/functions/_shared/config.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { readProviderSettings } from "../../supabase/functions/_shared/provider_settings.ts";
import { type AppStore, appStore } from "../../supabase/functions/_shared/providers/app_store.ts";
import type { KnownSubscription, StoreStatement } from "../../supabase/functions/_shared/providers/store.ts";
import { AppleStore } from "../support/app_store.ts";

export interface Shop extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  readonly store: AppleStore;
  /** The client with the Server API. */
  readonly apple: AppStore;
  /** The client without the Server API: receipts are believed by themselves. */
  readonly offline: AppStore;
}

export async function openShop(timeoutMs = 5_000, environment: Record<string, string> = {}): Promise<Shop> {
  const providers: Providers = await startProviders();
  const settings = { ...providers.environment, ...environment };
  return {
    environment: settings,
    store: new AppleStore(providers.url),
    apple: appStore(() => configOf(settings), { timeoutMs }),
    offline: appStore(() => configOf(withoutApi(settings))),
    [Symbol.asyncDispose]: () => providers.stop(),
  };
}

export function withoutApi(environment: Readonly<Record<string, string>>): Record<string, string> {
  const api = ["APP_STORE_ISSUER_ID", "APP_STORE_KEY_ID", "APP_STORE_PRIVATE_KEY"];
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !api.includes(name)));
}

/** The part of a configuration that the client reads. */
export function configOf(environment: Readonly<Record<string, string>>): Config {
  return { providers: readProviderSettings((name) => environment[name]) } as Config;
}

/** What a handler has of a subscription that is in the ledger. */
export function known({ subscription_key, facts }: StoreStatement): KnownSubscription {
  const { product_id, environment } = facts;
  return { subscription_key, product_id, environment, purchase_token: null, facts };
}

/** Awaits a rejected call and returns its ApiError, after checking that it contains no signed data. */
export async function errorFrom(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(() => assert.fail("it was expected to be rejected"), (error: unknown) => error);
  if (!(error instanceof ApiError)) throw error;
  const said = Deno.inspect(error, { depth: 10, showHidden: true });
  assert.doesNotMatch(said, /eyJ|Bearer|BEGIN|MII/, `the error has what is secret: ${said}`);
  return error;
}

export function reasonOf({ cause }: ApiError): string {
  return cause instanceof Error ? cause.message : String(cause);
}
