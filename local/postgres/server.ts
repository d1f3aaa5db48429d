// One Postgres server: created, started, restarted after a crash, and stopped. A start first stops a server that an earlier
// one left.
import { join } from "node:path";
import type { PostgresBinaries } from "./binaries.ts";
import type { Identity } from "./identity.ts";
import { ServerLog } from "./log.ts";
import { damaged, fileExists, readOr } from "../files.ts";
import { commandLine, stopProcess } from "../process.ts";

export interface ServerOptions {
  readonly binaries: PostgresBinaries;
  readonly identity: Identity;
  /** Holds the data and the log. */
  readonly folder: string;
  readonly port: number;
  /** False trades safety for speed: the data of a test run is thrown away anyhow. */
  readonly durable: boolean;
  /** Settings of Postgres beyond the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called when the server has crashed and was started again, or could not be. */
  readonly onRestart: (reason: string) => void;
  /** Called when `problem` has changed. */
  readonly onProblem?: (() => void) | undefined;
}

export const SUPERUSER = "supabase_admin";
export const PASSWORD = "postgres";

/** The key of the vault's stand-in, a file in the data folder, which no client can read. */
const VAULT_KEY = "vault.key";

/** Pauses between attempts to start a crashed server. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 5_000];

const READY = /database system is ready to accept (read-only )?connections/;
const START_TIMEOUT_MS = 30_000;
const STOP_SIGNALS: [Deno.Signal, number][] = [["SIGINT", 10_000], ["SIGQUIT", 3_000], ["SIGKILL", 3_000]];

/** Logs the plans of slow statements, also within functions. Timing each costs a tenth of a function: not in a test run. */
const SLOW_STATEMENTS = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "500ms",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_parameter_max_length": "0", // values may be personal
};

/** The C library keeps freed memory for the next statement; returning it to the system costs a tenth of the work. */
const MEMORY = { MALLOC_TOP_PAD_: "4194304", MALLOC_TRIM_THRESHOLD_: "67108864" };

/** Faster and not durable. Without a wait at commit, readers of the log depend on the delay of its writer. */
const NOT_DURABLE = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", wal_writer_delay: "10ms" };

export class PostgresServer {
  readonly data: string;
  #child: Deno.ChildProcess | undefined;
  #launching: Deno.ChildProcess | undefined;
  #problem: string | undefined;
  #stopping = false;

  constructor(readonly options: ServerOptions) {
    this.data = join(options.folder, "data");
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The reason why it does not run; undefined if it runs. */
  get problem(): string | undefined {
    return this.#problem;
  }

  url(user: string = SUPERUSER, database = "postgres"): string {
    return `postgresql://${user}:${PASSWORD}@127.0.0.1:${this.options.port}/${database}?sslmode=disable`;
  }

  /** Creates the data folder if there is none; returns whether it did. */
  async create(): Promise<boolean> {
    if (await fileExists(this.data)) {
      await this.#checkVaultKey();
      return false;
    }
    const { binaries, identity, folder } = this.options;
    const partial = join(folder, "data.partial");
    const passwordFile = join(folder, "password");
    if (await fileExists(partial)) await Deno.remove(partial, { recursive: true });
    await Deno.mkdir(partial, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(passwordFile, PASSWORD);
    await identity.own(partial);
    await run(identity.command(binaries.initdb, [
      `--pgdata=${partial}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C.UTF-8",
      "--locale-provider=icu",
      "--icu-locale=und",
      "--data-checksums", // a damaged page is an error, not a wrong row
      ...(this.options.durable ? [] : ["--no-sync"]),
    ], { stdout: "piped", stderr: "piped", stdin: "null" }));
    await Deno.remove(passwordFile);
    await Deno.writeTextFile(join(partial, VAULT_KEY), crypto.getRandomValues(new Uint8Array(32)).toHex());
    await Deno.rename(partial, this.data);
    return true;
  }

  async #checkVaultKey(): Promise<void> {
    const path = join(this.data, VAULT_KEY);
    if (!/^[0-9a-f]{64}$/.test((await readOr(path, "")).trim())) throw damaged(path, "it is not a key of 64 digits");
  }

  /** Starts the server and resolves when it accepts connections. */
  async start(): Promise<void> {
    await stopOrphan(this.data);
    const deadline = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      const failure = await this.#launch();
      if (failure === undefined) return;
      // The processes of a killed server keep its shared memory for a moment.
      const retry = failure.includes("shared memory block") && performance.now() < deadline;
      if (!retry) throw new Error(`Postgres did not start:\n${failure.trim()}\n${this.#remedy()}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#launching ?? this.#child;
    if (child === undefined) return;
    await stopProcess(child.pid, STOP_SIGNALS);
    await child.status;
    this.#child = undefined;
  }

  /** Undefined when the server is ready, otherwise its output before it ended. */
  async #launch(): Promise<string | undefined> {
    const { binaries, identity, folder } = this.options;
    const log = new ServerLog(join(folder, "postgres.log"));
    const child = identity.command(binaries.postgres, ["-D", this.data, ...this.#settings()], {
      env: MEMORY,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    this.#launching = child;
    const output: string[] = [];
    const ready = await new Promise<boolean>((resolve) => {
      const drained = drain(child.stderr, log, (text) => {
        if (output.length < 100) output.push(text);
        if (READY.test(text)) resolve(true);
      });
      drained.then(() => resolve(false), () => resolve(false));
    });
    this.#launching = undefined;
    if (!ready) {
      const { code, signal } = await child.status;
      const end = `${binaries.postgres} ended (${signal ?? `exit ${code}`}).`;
      // A server without any output is a damaged program.
      return output.length > 0
        ? output.join("") + end
        : `${end} Delete ${binaries.folder}: the next start copies it again.`;
    }
    this.#child = child;
    child.status.then((status) => this.#restart(child, status));
    return undefined;
  }

  #remedy(): string {
    return `Its data is in ${this.data}. If that is damaged, \`deno task reset\` throws it away and the next start builds it.`;
  }

  // Starts a server that crashed while the platform runs (kill -9, a full disk) on the same port, until it starts.
  async #restart(child: Deno.ChildProcess, status: Deno.CommandStatus): Promise<void> {
    if (this.#child !== child) return;
    const how = status.signal ?? `exit ${status.code}`;
    this.#report(`Postgres stopped (${how})`);
    for (let pause = FIRST_PAUSE_MS; !this.#stopping; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
      try {
        await this.start();
        this.#report(undefined);
        return this.options.onRestart(`Postgres stopped (${how}) and was started again`);
      } catch (error) {
        const reason = findReason(error instanceof Error ? error.message : String(error));
        if (pause === FIRST_PAUSE_MS) {
          this.options.onRestart(`Postgres stopped (${how}) and will be started again: ${reason}`);
        }
        this.#report(`Postgres stopped (${how}) and does not start: ${reason}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  #report(problem: string | undefined): void {
    this.#problem = problem;
    this.options.onProblem?.();
  }

  #settings(): string[] {
    const settings: Record<string, string> = {
      port: String(this.options.port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      wal_level: "logical",
      timezone: "UTC",
      log_timezone: "UTC",
      log_line_prefix: "%m [%p] %q%u@%d %a ", // application_name is the id of a request (private.tag_request)
      shared_buffers: "256MB",
      max_connections: "200",
      max_slot_wal_keep_size: "1GB", // a replication slot that hangs does not fill the disk
      ...(this.options.durable ? SLOW_STATEMENTS : NOT_DURABLE),
      ...this.options.settings,
    };
    return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  }
}

/**
 * Stops a server that still runs on this data folder and removes its lock. The lock names a process number, which after a
 * crash may be another program's: only a Postgres started on this very folder is stopped.
 */
export async function stopOrphan(data: string): Promise<void> {
  const lock = join(data, "postmaster.pid");
  let content: string;
  try {
    content = await Deno.readTextFile(lock);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  const pid = Number.parseInt(content);
  const command = Number.isInteger(pid) ? await commandLine(pid) : undefined;
  if (command?.includes(data) && command.includes("postgres")) await stopProcess(pid, STOP_SIGNALS);
  try {
    await Deno.remove(lock);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // the stopped server removed it
  }
}

/** The line of the log with the reason why the server ended, without its errors to clients. */
function findReason(log: string): string {
  const lines = log.split("\n");
  const fatal = lines.filter((line) => /(FATAL|PANIC): /.test(line) && !/the database system is /.test(line));
  return fatal.at(-1)?.replace(/^.*?(FATAL|PANIC): +/, "") ?? lines.slice(0, 3).join(" ");
}

async function drain(stream: ReadableStream<Uint8Array>, log: ServerLog, onText: (text: string) => void) {
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    log.write(chunk);
    onText(decoder.decode(chunk, { stream: true }));
  }
  log.close();
}

async function run(command: Deno.Command): Promise<void> {
  const { success, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`initdb failed:\n${decoder.decode(stdout)}${decoder.decode(stderr)}`);
}
