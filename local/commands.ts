// Shared by the commands `status`, `stop` and `reset`.
import { SECRET_KEY } from "./settings.ts";
import { findOwn, type RunningPlatform } from "./state.ts";

/** The platform of this repository on this port. Ends the command if another copy has the port, or it does not respond. */
export async function ownPlatform(port: number): Promise<RunningPlatform | undefined> {
  try {
    return await findOwn(port);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse || error instanceof Deno.errors.TimedOut)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}

/** Sends a command to the platform. */
export async function command(port: number, name: "reset" | "stop"): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}/_platform/${name}`, { method: "POST", headers: { apikey: SECRET_KEY } });
}
