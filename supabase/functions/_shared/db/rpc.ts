import type { PostgrestClient } from "@supabase/postgrest-js";
import type { Timer } from "./client.ts";
import { isTransient, translate } from "./errors.ts";

/** Longer than the statement timeouts of the platform, which should end a slow call first. */
const DEADLINE_MS = 10_000;

/** One call, and a second one when the first lost a race against another transaction (SQLSTATE 40xxx). */
export async function call(
  client: PostgrestClient<never, never, "api">,
  name: string,
  args: Record<string, unknown>,
  timer: Timer,
): Promise<unknown> {
  const named = prefixed(args);
  const attempt = async () => {
    const started = performance.now();
    try {
      return await client.rpc(name as never, named as never).abortSignal(AbortSignal.timeout(DEADLINE_MS));
    } finally {
      timer(performance.now() - started);
    }
  };
  const first = await attempt();
  const result = first.error && isTransient(first.error) ? await attempt() : first;
  if (result.error) throw translate(result.error, result.status);
  return result.data;
}

/** Arguments by the names they have in the database. */
export function prefixed(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [`p_${key}`, value]));
}
