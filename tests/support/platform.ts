// The platform of one test run: fresh data, free ports, thrown away afterwards.
import { join } from "node:path";
import { freePort, type Platform, startPlatform } from "../../local/platform.ts";
import { alive } from "../../local/postgres/process.ts";
import { identify } from "../../local/postgres/identity.ts";
import { stopOrphan } from "../../local/postgres/server.ts";
import { STATE } from "../../local/settings.ts";

export const TEMPLATE = "template_service";

const PREFIX = "test-";

export interface TestPlatformOptions {
  /** The Deno that runs the functions. */
  readonly functionsDeno?: string;
}

/** Starts the platform that a test run shares, with a template database for the tests that clone one. */
export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<Platform> {
  const { home } = await identify(STATE);
  await clearCrashedRuns(home);
  const port = freePort(0);
  if (port === undefined) throw new Error("There is no free port");
  const name = `${PREFIX}${Deno.pid}-${port}`;
  const log: string[] = [];
  try {
    const platform = await startPlatform({
      ...options,
      port,
      name,
      durable: false,
      template: TEMPLATE,
      say: (line) => log.push(line),
    });
    return {
      ...platform,
      stop: async () => {
        await platform.stop();
        await Deno.remove(join(home, name), { recursive: true });
      },
    };
  } catch (error) {
    console.error(log.join("\n"));
    throw error;
  }
}

/** Removes what runs that were killed left behind: their servers and their data. */
async function clearCrashedRuns(home: string): Promise<void> {
  await Deno.mkdir(home, { recursive: true });
  for await (const { name } of Deno.readDir(home)) {
    const pid = Number(name.match(/^test-(\d+)-/)?.[1]);
    if (Number.isNaN(pid) || alive(pid)) continue;
    await stopOrphan(join(home, name, "data"));
    await Deno.remove(join(home, name), { recursive: true });
  }
}
