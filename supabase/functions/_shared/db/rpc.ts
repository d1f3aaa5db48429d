import type { PostgrestClient } from "@supabase/postgrest-js";
import type { CallTrace } from "./client.ts";
import { isTransient, translate } from "./errors.ts";
import { queryOf } from "./query.ts";

/**
 * Longer than a call may take at the Data API, which then answers itself what has become of it: it waits for a connection
 * (10 s on a hosted project, 3.5 s on the local platform), and the statement timeout of the role ends what runs (8 s or less).
 * A caller that gives up sooner does not know whether the call has its effect.
 */
export const DEADLINE_MS = 20_000;

export interface Clients {
  readonly primary: PostgrestClient<never, never, "api">;
  /** Sends calls by GET, which a load balancer may give to a read replica; undefined where the call is for the primary. */
  readonly anywhere?: PostgrestClient<never, never, "api">;
}

/**
 * One call, and a second one when the first lost a race: against another transaction, or on a replica against what it was
 * about to replay (SQLSTATE 40xxx). The second one is for the primary.
 */
export async function call(
  { primary, anywhere }: Clients,
  name: string,
  args: Record<string, unknown>,
  trace: CallTrace,
): Promise<unknown> {
  const named = prefixed(args);
  const attempt = async (query?: Record<string, string>) => {
    const started = performance.now();
    const request = query && anywhere
      ? anywhere.rpc(name as never, query as never, { get: true })
      : primary.rpc(name as never, named as never);
    const reply = await request.abortSignal(AbortSignal.timeout(DEADLINE_MS));
    trace.onCall(calledFunction(name, args), performance.now() - started, !reply.error);
    return reply;
  };
  const first = await attempt(anywhere && queryOf(named));
  const result = first.error && isTransient(first.error) ? await attempt() : first;
  if (result.error) throw translate(result.error, result.status);
  return result.data;
}

/** The function that does the work: for a command not the one that counts and calls it. */
function calledFunction(name: string, { command }: Record<string, unknown>): string {
  return typeof command === "string" ? command : name;
}

/** Arguments by the names they have in the database. */
export function prefixed(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [`p_${key}`, value]));
}
