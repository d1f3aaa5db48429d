// One function in one process: started, spoken to over HTTP on a port of its own, ended when its work is done.
import { TextLineStream } from "./lines.ts";

export interface WorkerOptions {
  readonly name: string;
  readonly deno: string;
  /** The generated module that loads boot.ts and then the function. */
  readonly entry: string;
  /** The file with the function's import map; undefined for a function without one. */
  readonly importMap: string | undefined;
  /** All that the function's environment holds. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

export class BootError extends Error {}

/** What Deno itself needs to find its cache and its packages; gone before the function's first line runs. */
const TOOL_ENVIRONMENT = [
  "HOME",
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "DENO_CERT",
  "DENO_TLS_CA_STORE",
  "DENO_NO_UPDATE_CHECK",
];
const PROXY_ENVIRONMENT = ["NPM_CONFIG_REGISTRY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy"];

const BOOT_PATIENCE = 60_000;

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
    const patience = setTimeout(() => resolve(undefined), BOOT_PATIENCE);
    const hear = (line: string) => {
      if (line.startsWith(marker)) resolve(Number(line.slice(marker.length)));
      else options.log(line);
    };
    forward(child.stdout, hear);
    forward(child.stderr, options.log);
    child.status.then(() => {
      resolve(undefined);
      // It reads nothing from there any more.
      child.stdin.close().catch((error) => {
        if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      });
    });
    const port = await listening;
    clearTimeout(patience);
    if (port === undefined) {
      end(child);
      await child.status;
      throw new BootError(`The function ${options.name} did not start`);
    }
    return new Worker(options.name, port, child);
  }

  /** Whether the process has ended, for one who has seen a connection break: the news of an end takes a moment. */
  async hasEnded(): Promise<boolean> {
    const { promise: patience, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, 100);
    await Promise.race([this.child.status, patience]);
    clearTimeout(timer);
    return this.#ended;
  }

  /**
   * Takes the process for one exchange and answers how to give it back; a retired process lives until its last exchange
   * is over. Undefined when it takes no more: it was retired or has ended.
   */
  enter(): (() => void) | undefined {
    if (this.#retired || this.#ended) return undefined;
    this.#inFlight++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inFlight--;
      if (this.#retired && this.#inFlight === 0) end(this.child);
    };
  }

  /** No new work comes; the process ends when the work it has is done. */
  retire(): void {
    this.#retired = true;
    if (this.#inFlight === 0) end(this.child);
  }

  async stop(): Promise<void> {
    end(this.child);
    await this.child.status;
  }
}

function toolEnvironment(): Record<string, string> {
  const found: Record<string, string> = { DENO_NO_UPDATE_CHECK: "1" };
  for (const name of [...TOOL_ENVIRONMENT, ...PROXY_ENVIRONMENT]) {
    const value = Deno.env.get(name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

async function forward(stream: ReadableStream<Uint8Array>, hear: (line: string) => void): Promise<void> {
  for await (const line of stream.pipeThrough(new TextLineStream())) hear(line);
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // A process that has ended cannot be killed, which is what was wanted.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Only the function's own import map counts, as it does when it is deployed; no file is looked for further up. */
export function configArguments(importMap: string | undefined): string[] {
  if (importMap === undefined) return ["--no-config"];
  return /\.jsonc?$/.test(importMap) && !importMap.endsWith("import_map.json")
    ? [`--config=${importMap}`]
    : ["--no-config", `--import-map=${importMap}`];
}
