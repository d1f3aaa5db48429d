import type { PostgrestClient } from "@supabase/postgrest-js";
import type { CallTrace } from "./client.ts";
import { isTransient, translate } from "./errors.ts";

/**
 * Longer than a call may take at the Data API, which then answers itself what has become of it: it waits for a connection
 * (10 s on a hosted project, 3.5 s on the local platform), and the statement timeout of the role ends what runs (8 s or less).
 * A caller that gives up sooner does not know whether the call has its effect.
 */
export const DEADLINE_MS = 20_000;

/** One call, and a second one when the first lost a race against another transaction (SQLSTATE 40xxx). */
export async function call(
  client: PostgrestClient<never, never, "api">,
  name: string,
  args: Record<string, unknown>,
  trace: CallTrace,
): Promise<unknown> {
  const named = prefixed(args);
  const attempt = async () => {
    const started = performance.now();
    const reply = await client.rpc(name as never, named as never).abortSignal(AbortSignal.timeout(DEADLINE_MS));
    trace.onCall(calledFunction(name, args), performance.now() - started, !reply.error);
    return reply;
  };
  const first = await attempt();
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
