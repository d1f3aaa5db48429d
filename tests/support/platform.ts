// The platform of one test run: new data, free ports, deleted afterwards.
import { join } from "node:path";
import postgres from "postgres";
import { removeCrashed, type ReplicaOptions } from "../../local/postgres/database.ts";
import { type Platform, startPlatform } from "../../local/platform.ts";
import { functionsDeno, STATE } from "../../local/settings.ts";
import { copyBuiltData, removeData } from "./built_data.ts";

export const TEMPLATE = "template_service";

/** What the platform of the last run and its functions printed. */
export const LOG = join(STATE, "test.log");

/** Tests sign users up by the hundred; the limit itself is tested on platforms that keep it. */
const UNLIMITED = 1_000_000;

/** Ten times the hosted ones, so that a busy machine fails no test. */
export const STATEMENT_TIMEOUTS = { anon: "30s", authenticated: "80s", authenticator: "80s" };

export interface TestPlatformOptions {
  /** The Deno that runs the functions. */
  readonly functionsDeno?: string;
  /** A read replica in addition to the primary. */
  readonly replica?: ReplicaOptions;
  /** Whether the sample people are there; false by default. */
  readonly withPeople?: boolean;
}

/** Starts the platform that a test run shares, with a template database for the tests that clone one. */
export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<Platform> {
  await removeCrashed("test");
  const name = `test-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
  await Deno.mkdir(STATE, { recursive: true });
  await copyBuiltData(name);
  const log = await Deno.open(LOG, { write: true, create: true, truncate: true });
  const write = (line: string) => void log.writeSync(new TextEncoder().encode(`${line}\n`));
  const platform = await startPlatform({
    port: 0,
    name,
    durable: false,
    authRate: UNLIMITED,
    addressHeader: "cf-connecting-ip", // tests come from many networks
    functionsDeno: options.functionsDeno ?? functionsDeno(),
    replica: options.replica,
    template: TEMPLATE,
    withAiModels: true,
    withPeople: options.withPeople ?? false,
    onStep: write,
    log: write,
  });
  await setStatementTimeouts(platform.status.DB_URL);
  return {
    ...platform,
    stop: async () => {
      await platform.stop();
      await removeData(name);
      log.close();
    },
  };
}

async function setStatementTimeouts(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (const [role, timeout] of Object.entries(STATEMENT_TIMEOUTS)) {
      await sql.unsafe(`alter role ${role} in database postgres set statement_timeout = '${timeout}'`);
    }
    await sql`notify pgrst, 'reload config'`;
  } finally {
    await sql.end();
  }
}
