// What the platform keeps on disk between starts, and how others find it while it runs: .local/<gateway port>/.
import { join } from "node:path";
import { alive } from "./postgres/process.ts";
import { STATE, type Status } from "./settings.ts";

export interface RunningPlatform {
  readonly pid: number;
  readonly status: Status;
}

const RECORD = "platform.json";

export async function recordRunning(name: string, running: RunningPlatform): Promise<void> {
  await Deno.mkdir(join(STATE, name), { recursive: true });
  await Deno.writeTextFile(join(STATE, name, RECORD), JSON.stringify(running, null, 2));
}

export async function forgetRunning(name: string): Promise<void> {
  await removeIfThere(join(STATE, name, RECORD));
}

/** The platform that runs under this name. A record alone proves nothing: its process must be there and answer. */
export async function findRunning(name: string): Promise<RunningPlatform | undefined> {
  const text = await readOr(join(STATE, name, RECORD), "");
  if (text === "") return undefined;
  const running: RunningPlatform = JSON.parse(text);
  if (!alive(running.pid)) return undefined;
  try {
    const answer = await fetch(`${running.status.API_URL}/_platform`, { signal: AbortSignal.timeout(3_000) });
    const { pid } = await answer.json();
    return pid === running.pid ? running : undefined;
  } catch (error) {
    // Nobody listens there, or it is another program altogether.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof DOMException) return undefined;
    throw error;
  }
}

/** The port when it can be listened on (any free one for 0), else undefined. */
export function freePort(port: number): number | undefined {
  try {
    const listener = Deno.listen({ hostname: "127.0.0.1", port });
    listener.close();
    return listener.addr.port;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return undefined;
    throw error;
  }
}

export async function readOr(path: string, fallback: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return fallback;
    throw error;
  }
}

export async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
