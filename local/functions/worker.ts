// One function in one process, which serves HTTP on a port of its own and ends after its last request.
import { withTimeout } from "../timeout.ts";
import { TextLineStream } from "./lines.ts";

export interface WorkerOptions {
  readonly name: string;
  readonly deno: string;
  /** The generated module that loads boot.ts and then the function. */
  readonly entry: string;
  /** The file with the function's import map. */
  readonly importMap: string | undefined;
  /** All that the function's environment holds. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

export class BootError extends Error {}

/** By these Deno finds its cache and packages, also behind a company's proxy. boot.ts deletes them before the function. */
const TOOL_VARIABLES =
  /^(HOME|DENO_DIR|XDG_CACHE_HOME|DENO_CERT|DENO_TLS_CA_STORE|NPM_CONFIG_REGISTRY|HTTPS?_PROXY|NO_PROXY|https?_proxy)$/;

const BOOT_TIMEOUT_MS = 60_000;
const EXIT_TIMEOUT_MS = 100;

export class Worker {
  #inFlight = 0;
  #retired = false;
  #ended = false;

  private constructor(readonly name: string, readonly port: number, readonly child: Deno.ChildProcess) {
    child.status.then(() => this.#ended = true);
  }

  static async boot(options: WorkerOptions): Promise<Worker> {
    const marker = `listening:${crypto.randomUUID()}:`;
    const child = new Deno.Command(options.deno, {
      args: [
        "run",
        "--quiet",
        "--no-lock",
        "--no-prompt",
        "--no-check",
        "--node-modules-dir=none",
        ...configArguments(options.importMap),
        // The hosted runtime's Deno knows neither this flag nor the notice that it spares.
        ...(options.deno === Deno.execPath() ? ["--unstable-no-legacy-abort"] : []),
        "--allow-net",
        "--allow-env",
        options.entry,
        marker,
        ...Object.keys(options.environment),
      ],
      clearEnv: true,
      env: { ...toolEnvironment(), ...options.environment },
      stdin: "piped", // never written; see boot.ts
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { promise: listening, resolve } = Promise.withResolvers<number | undefined>();
    forwardLines(child.stdout, (line) => {
      if (line.startsWith(marker)) resolve(Number(line.slice(marker.length)));
      else options.log(line);
    });
    forwardLines(child.stderr, options.log);
    child.status.then(() => {
      resolve(undefined);
      child.stdin.close().catch((error) => {
        if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      });
    });
    const port = await withTimeout(listening, BOOT_TIMEOUT_MS, () => undefined);
    if (port === undefined) {
      end(child);
      await child.status;
      throw new BootError(`The function ${options.name} did not start`);
    }
    return new Worker(options.name, port, child);
  }

  /** Whether the process has ended. Waits briefly: the exit status may arrive after the connection error. */
  async hasEnded(): Promise<boolean> {
    await withTimeout(this.child.status, EXIT_TIMEOUT_MS, () => {});
    return this.#ended;
  }

  /**
   * Takes the process for one request and returns the function that gives it back, which calls `onLeave`. A retired process
   * runs until its last request is over. Undefined if it was retired or has ended.
   */
  enter(onLeave: () => void): (() => void) | undefined {
    if (this.#retired || this.#ended) return undefined;
    this.#inFlight++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      onLeave();
      this.#inFlight--;
      if (this.#retired && this.#inFlight === 0) end(this.child);
    };
  }

  /** The process gets no new requests and ends after those that it has. */
  retire(): void {
    this.#retired = true;
    if (this.#inFlight === 0) end(this.child);
  }

  async stop(): Promise<void> {
    end(this.child);
    await this.child.status;
  }
}

export function toolEnvironment(): Record<string, string> {
  const found = Object.entries(Deno.env.toObject()).filter(([name]) => TOOL_VARIABLES.test(name));
  return { DENO_TLS_CA_STORE: "mozilla,system", ...Object.fromEntries(found), DENO_NO_UPDATE_CHECK: "1" };
}

async function forwardLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  for await (const line of stream.pipeThrough(new TextLineStream())) onLine(line);
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error; // it has ended
  }
}

/** Only the function's own import map is used, as it is when deployed; Deno searches no file in the folders above. */
export function configArguments(importMap: string | undefined): string[] {
  return [importMap === undefined ? "--no-config" : `--config=${importMap}`];
}
