// `deno task dev`, `status`, `stop` and `reset` as processes of their own, on free ports.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import postgres from "postgres";
import { isRunning, processes } from "../../local/process.ts";
import { PUBLISHABLE_KEY, ROOT, STATE, type Status } from "../../local/settings.ts";
import { SAMPLE_PEOPLE } from "../../tools/seed/people/sample_people.ts";
import { freePort, type RunningPlatform } from "../../local/state.ts";
import { copyBuiltData, removeData } from "../support/built_data.ts";
import { eventually } from "../support/eventually.ts";

// Deadlines for a machine that does much else. A platform that ends is noticed at once.
export const READY_WITHIN = 240_000;
export const GONE_WITHIN = 60_000;
export const BACK_WITHIN = 120_000;

export interface Dev {
  readonly child: Deno.ChildProcess;
  readonly output: () => string;
}

export function task(script: string, port: number | string, args: string[] = [], authRate = ""): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(ROOT, "local", script), ...args],
    cwd: ROOT,
    env: { LOCAL_PORT: String(port), LOCAL_AUTH_RATE: authRate, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

export async function outcome(script: string, port: number | string, args: string[] = [], authRate = "") {
  const { code, stdout, stderr } = await task(script, port, args, authRate).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Starts `deno task dev` and waits until it says that it is ready. */
export async function dev(port: number): Promise<Dev> {
  const child = task("dev.ts", port).spawn();
  let said = "";
  const listen = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) said += decoder.decode(chunk, { stream: true });
  };
  listen(child.stdout);
  listen(child.stderr);
  const ended = child.status.then(() => true);
  try {
    await eventually(async () => {
      if (said.includes("stops it; the data stays")) return true;
      if (await Promise.race([ended, Promise.resolve(false)])) throw new Error("dev ended");
      return undefined;
    }, READY_WITHIN);
  } catch (error) {
    if (isRunning(child.pid)) child.kill("SIGKILL");
    throw new Error(`dev is not ready:\n${said}`, { cause: error });
  }
  return { child, output: () => said };
}

export async function stop({ child }: Dev): Promise<number> {
  if (isRunning(child.pid)) child.kill("SIGTERM");
  return (await child.status).code;
}

/**
 * A free port for several tests. Each finds the platform as the one before left it; the first start finds the data of an
 * earlier one. After a failure the next test gets another port.
 */
export class SharedPort implements AsyncDisposable {
  #port: number | undefined;
  #started: Dev[] = [];

  /** Runs a test. `start` starts the platform, unless it runs. */
  async run(test: (port: number, start: () => Promise<Dev>) => Promise<void>): Promise<void> {
    if (this.#port === undefined) {
      this.#port = freePort(0)!;
      await copyBuiltData(String(this.#port), { isDevelopers: true });
    }
    const port = this.#port;
    try {
      await test(port, async () => {
        const last = this.#started.at(-1);
        if (last !== undefined && isRunning(last.child.pid)) return last;
        const one = await dev(port);
        this.#started.push(one);
        return one;
      });
    } catch (error) {
      console.error(this.#started.map(({ output }) => output()).join("\n"));
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Leaves no process and no data. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#port !== undefined) await remove(this.#port, this.#started);
    [this.#port, this.#started] = [undefined, []];
  }
}

/** Stops what runs on the port and deletes its data. */
export async function remove(port: number, started: readonly Dev[]): Promise<void> {
  await Promise.all(started.map(stop));
  await removeData(String(port));
}

/** The process of the function `health`. */
export async function functionPid(port: number): Promise<number | undefined> {
  return (await processes()).find(({ args }) => args.includes(`/${port}/functions/health.js`))?.pid;
}

export async function status(port: number): Promise<Status> {
  const { code, stdout } = await outcome("status.ts", port);
  assert.equal(code, 0);
  return JSON.parse(stdout);
}

export async function health(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/health`);
  await answer.body?.cancel();
  return answer.status;
}

export async function platform(port: number): Promise<RunningPlatform> {
  return await (await fetch(`http://127.0.0.1:${port}/_platform`)).json();
}

export async function codes(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/rest/v1/rpc/list_codes`, {
    method: "POST",
    headers: { apikey: PUBLISHABLE_KEY, "content-type": "application/json" },
    body: `{"p_lang":"en"}`,
  });
  await answer.body?.cancel();
  return answer.status;
}

export async function signUp(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: PUBLISHABLE_KEY, "content-type": "application/json" },
    body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, password: "password1" }),
  });
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
}

/** The number of users in addition to the sample people. */
export async function addedUsers(url: string): Promise<number> {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql`select count(*)::integer as users from auth.users`;
  await sql.end();
  return row!["users"] - SAMPLE_PEOPLE.length;
}

export async function serverPid(port: number): Promise<number> {
  const lock = await Deno.readTextFile(join(STATE, String(port), "data", "postmaster.pid"));
  return Number.parseInt(lock);
}
