// What the platform keeps on disk between starts (.local/<gateway port>/), and how others find it while it runs.
import { workingFolder } from "./process.ts";
import { ROOT, SECRET_KEY, type Status } from "./settings.ts";

/** The response of a platform at GET /_platform. */
export interface RunningPlatform {
  readonly pid: number;
  /** The process that has the port. It is started again when it ends. */
  readonly gateway: number;
  /** The folder of its repository; undefined for a platform of an older version whose folder cannot be found out. */
  readonly root: string | undefined;
  /** Null while it starts, or builds its database again, and for a client without its secret key. */
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
      headers: { apikey: SECRET_KEY },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const running = await response.json();
    if (typeof running?.pid !== "number") return undefined;
    return { ...running, root: running.root ?? await workingFolder(running.pid) };
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
  const where = root === ROOT ? "" : root === undefined ? " of an older version" : ` in ${root}`;
  return `another \`deno task dev\`, process ${pid}${where}`;
}

/** The port if it is free, else undefined. For 0 any one below those that the system gives to outgoing connections. */
export function freePort(port: number): number | undefined {
  const tried = port || 10_000 + Math.floor(Math.random() * 22_000);
  try {
    Deno.listen({ hostname: "127.0.0.1", port: tried }).close();
    return tried;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return port ? undefined : freePort(0);
    throw error;
  }
}
