// A separate platform with durable commits, whose processes can be killed.
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { type PlatformOptions, startPlatform } from "../../local/platform.ts";
import { identify } from "../../local/postgres/identity.ts";
import { processes } from "../../local/process.ts";
import { functionsDeno, STATE, type Status } from "../../local/settings.ts";
import { copyBuiltData, removeData } from "./built_data.ts";
import { eventually } from "./eventually.ts";

export interface CrashPlatform extends AsyncDisposable {
  readonly status: Status;
  /** Connected as the owner of the schema: after a kill of the database by new connections. */
  readonly sql: Sql;
  /** kill -9 of the database's main process, once it is ready; the platform starts it again. Queries of `sql` fail. */
  killDatabase(): Promise<void>;
  /** kill -9 of a function's process; the next request starts another. */
  killFunction(name: string): Promise<void>;
  /** kill -9 of the realtime server's process; the platform starts another. */
  killRealtime(): Promise<void>;
}

export async function crashPlatform(
  options: Pick<
    PlatformOptions,
    "authRules" | "functionSettings" | "host" | "jwtAlgorithm" | "realtimePrivateOnly" | "replica" | "withPeople"
  > = {},
): Promise<CrashPlatform> {
  const { home } = await identify(STATE);
  const name = `test-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const lines: string[] = [];
  await copyBuiltData(name);
  const platform = await startPlatform({
    ...options,
    port: 0,
    name,
    durable: true,
    authRate: 1_000_000,
    functionsDeno: functionsDeno(),
    onStep: (line) => lines.push(line),
    log: (line) => lines.push(line),
  });
  // The driver may lose a query that it was given while a connection broke, so each crash gets a client of its own.
  const open = () => postgres(platform.status.DB_URL, { max: 2, onnotice: () => {} });
  let client = open();
  const sql = new Proxy(client, {
    apply: (_, __, args) => Reflect.apply(client, undefined, args),
    get: (_, name) => Reflect.get(client, name),
  });
  return {
    status: platform.status,
    sql,
    killDatabase: async () => {
      await eventually(() => killReady(join(home, name, "data", "postmaster.pid")));
      const broken = client;
      client = open();
      await broken.end({ timeout: 0 });
    },
    killFunction: async (called) => {
      const found = (await processes()).find(({ args }) => args.includes(`/${name}/functions/${called}.js`));
      if (found === undefined) throw new Error(`The function ${called} does not run`);
      Deno.kill(found.pid, "SIGKILL");
    },
    killRealtime: async () => {
      const { host } = new URL(platform.status.DB_URL);
      const found = (await processes()).find(({ args }) =>
        args.includes("/local/realtime/main.ts") && args.endsWith(` ${host}`)
      );
      if (found === undefined) throw new Error("The realtime server does not run");
      Deno.kill(found.pid, "SIGKILL");
    },
    [Symbol.asyncDispose]: async () => {
      await client.end({ timeout: 1 });
      await platform.stop();
      await removeData(name);
    },
  };
}

/** One platform for the tests of a file; the first that needs it starts it. */
export function sharedCrashPlatform(): () => Promise<CrashPlatform> {
  let starting: Promise<CrashPlatform> | undefined;
  Deno.test.afterAll(async () => await (await starting)?.[Symbol.asyncDispose]());
  return () => starting ??= crashPlatform();
}

/** Undefined while the server of this lock file is not ready, or is gone since an earlier kill. */
async function killReady(lock: string): Promise<true | undefined> {
  try {
    const lines = (await Deno.readTextFile(lock)).split("\n");
    if (lines[7]?.trim() !== "ready") return undefined;
    Deno.kill(Number.parseInt(lines[0]!), "SIGKILL");
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
