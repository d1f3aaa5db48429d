// What the platform keeps on disk between starts (.local/<gateway port>/), and how others find it while it runs.
import { ROOT, type Status } from "./settings.ts";

/** The response of a platform at GET /_platform. */
export interface RunningPlatform {
  readonly pid: number;
  /** The folder of its repository. */
  readonly root: string;
  /** Null while it starts, or builds its database again. */
  readonly status: Status | null;
  /** The parts that do not run, and why. */
  readonly down: readonly string[];
}

const ANSWER_TIMEOUT_MS = 5_000;

/** The platform that listens on this port, of this repository or of another copy. */
export async function findRunning(port: number): Promise<RunningPlatform | undefined> {
  try {
    return await readPlatform(port);
  } catch (error) {
    if (error instanceof Deno.errors.TimedOut) return undefined;
    throw error;
  }
}

/** Throws if the port accepts the connection and does not respond in time: it may be a platform. */
async function readPlatform(port: number): Promise<RunningPlatform | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/_platform`, {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const running = await response.json();
    return typeof running?.pid === "number" ? running : undefined;
  } catch (error) {
    if (error instanceof DOMException) {
      const seconds = ANSWER_TIMEOUT_MS / 1000;
      throw new Deno.errors.TimedOut(`Port ${port} is taken, and nothing responded there within ${seconds} seconds.`);
    }
    // No process listens there, or it is another program.
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * The platform of this repository on this port. Throws if another copy of it has the port, or if the port does not respond:
 * `reset` must not delete the data of a platform that is only slow.
 */
export async function findOwn(port: number): Promise<RunningPlatform | undefined> {
  const running = await readPlatform(port);
  if (running === undefined || running.root === ROOT) return running;
  throw new Deno.errors.AddrInUse(
    `Port ${port} is taken by ${described(running)}. LOCAL_PORT=<port> chooses another one.`,
  );
}

export function described({ pid, root }: RunningPlatform): string {
  return `another \`deno task dev\`, process ${pid}${root === ROOT ? "" : ` in ${root}`}`;
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
