// Google Play for one test: the stand-ins, the client of the functions, and helpers that read its requests and errors.
import assert from "node:assert/strict";
import { type Providers, startProviders } from "../../local/standins/providers.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import type { Config } from "../../supabase/functions/_shared/config.ts";
import { readProviderSettings } from "../../supabase/functions/_shared/provider_settings.ts";
import { type GooglePlay, googlePlay } from "../../supabase/functions/_shared/providers/google_play.ts";
import type { KnownSubscription, StoreStatement } from "../../supabase/functions/_shared/providers/store.ts";
import { PlayStore } from "../support/google_play.ts";

export interface Shop extends AsyncDisposable {
  readonly providers: Providers;
  readonly store: PlayStore;
  readonly play: GooglePlay;
}

export async function openShop(timeoutMs = 5_000, environment: Record<string, string> = {}): Promise<Shop> {
  const providers = await startProviders();
  const play = googlePlay(() => configOf({ ...providers.environment, ...environment }), { timeoutMs });
  const store = new PlayStore(providers.url);
  return { providers, store, play, [Symbol.asyncDispose]: () => providers.stop() };
}

/** The part of a configuration that the client reads. */
export function configOf(environment: Record<string, string>): Config {
  return { providers: readProviderSettings((name) => environment[name]) } as Config;
}

/** What a handler has of a purchase that is in the ledger. */
export function known({ subscription_key, facts, purchase_token }: StoreStatement): KnownSubscription {
  const { product_id, environment } = facts;
  return { subscription_key, product_id, environment, purchase_token, facts };
}

/** Awaits a rejected call and returns its ApiError, after checking that it contains no purchase token. */
export async function errorFrom(promise: Promise<unknown>, token?: string): Promise<ApiError> {
  const error = await promise.then(() => assert.fail("it was expected to be rejected"), (error: unknown) => error);
  if (!(error instanceof ApiError)) throw error;
  const said = Deno.inspect(error, { depth: 10, showHidden: true });
  if (token !== undefined) {
    assert.ok(!said.includes(token) && !said.includes(encodeURIComponent(token)), `the error has the token: ${said}`);
  }
  return error;
}
