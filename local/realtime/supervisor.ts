// The realtime server as a process of its own, started again when it ends.
import { join } from "node:path";
import { TextLineStream } from "../functions/lines.ts";
import { ROOT } from "../settings.ts";
import { withTimeout } from "../timeout.ts";

export interface SupervisorOptions {
  /** The module that serves. */
  readonly entry: string;
  /** Connects as the superuser. */
  readonly databaseUrl: string;
  /** Whether only private channels can be joined. */
  readonly privateOnly?: boolean;
  readonly log: (line: string) => void;
}

/** What the process is told in its environment. */
export const DATABASE_URL = "REALTIME_DATABASE_URL";
export const PRIVATE_ONLY = "REALTIME_PRIVATE_ONLY";

const CONFIG = join(ROOT, "deno.json");

/** How long a process that is told to end may take. */
const FAREWELL = 600;
/** A process that lived this long has not failed to start. */
const SETTLED = 10_000;
const LONGEST_PAUSE = 5_000;

export class Supervisor {
  #child: Deno.ChildProcess | undefined;
  #port = Promise.withResolvers<number>();
  #isUp = false;
  #stopping = false;
  #pause = 0;
  readonly #done: Promise<void>;

  constructor(readonly options: SupervisorOptions) {
    this.#done = this.#keep();
  }

  /** The port of the process that runs; undefined when none came up in time. */
  port(patience: number): Promise<number | undefined> {
    return withTimeout(this.#port.promise, patience, () => undefined);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** The process that runs, for those who measure it or kill it. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child !== undefined) {
      send(child, "SIGTERM");
      await withTimeout(child.status, FAREWELL, () => send(child, "SIGKILL"));
    }
    await this.#done;
  }

  async #keep(): Promise<void> {
    while (!this.#stopping) {
      const started = performance.now();
      const { code, signal } = await this.#run();
      if (this.#stopping) return;
      // Who waits for a server that never came up goes on waiting for the next.
      if (this.#isUp) this.#port = Promise.withResolvers();
      this.#isUp = false;
      this.options.log(`The server ended (${signal ?? `code ${code}`}) and is started again`);
      // The first end is made good at once; one that ends again and again is given time.
      this.#pause = performance.now() - started > SETTLED ? 0 : Math.min(LONGEST_PAUSE, this.#pause * 2 || 100);
      await new Promise((resolve) => setTimeout(resolve, this.#pause));
    }
  }

  async #run(): Promise<Deno.CommandStatus> {
    const marker = `listening:${crypto.randomUUID()}:`;
    const { entry, databaseUrl, privateOnly = false, log } = this.options;
    // Not read: it tells whoever lists processes whose server this is.
    const { host } = new URL(databaseUrl);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--no-check", `--config=${CONFIG}`, "-A", entry, marker, host],
      env: { [DATABASE_URL]: databaseUrl, [PRIVATE_ONLY]: String(privateOnly) },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#child = child;
    hear(child.stderr, log);
    hear(child.stdout, (line) => {
      if (!line.startsWith(marker)) return log(line);
      this.#isUp = true;
      this.#port.resolve(Number(line.slice(marker.length)));
    });
    const status = await child.status;
    this.#child = undefined;
    // It reads nothing from there; closing it is what would have told it to end.
    await child.stdin.close().catch((error) => {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    });
    return status;
  }
}

async function hear(stream: ReadableStream<Uint8Array>, say: (line: string) => void): Promise<void> {
  for await (const line of stream.pipeThrough(new TextLineStream())) say(line);
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // A process that has ended cannot be told anything, which is what was wanted.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}
