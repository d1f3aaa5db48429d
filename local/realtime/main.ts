// The process of the realtime server. It prints its port, and ends on a signal or with the platform that started it.
import { surviveDriverFaults } from "../postgres/driver_faults.ts";
import { PostgresFeed } from "./feed.ts";
import { RealtimeServer } from "./server.ts";
import { DATABASE_URL, PRIVATE_ONLY } from "./supervisor.ts";
import type { Feed } from "./types.ts";

const STOP_TIMEOUT_MS = 300;

export async function serve(createFeed: (databaseUrl: string, log: (line: string) => void) => Feed): Promise<void> {
  const [marker] = Deno.args;
  const log = (line: string) => console.error(line);
  const feed = createFeed(setting(DATABASE_URL), log);
  const server = new RealtimeServer({ feed, privateOnly: setting(PRIVATE_ONLY) === "true", log });
  const port = await server.listen(0);

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => Deno.exit(0), STOP_TIMEOUT_MS);
    await server.stop();
    await feed.stop();
    Deno.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, stop);
  untilClosed(Deno.stdin.readable).then(stop);
  // Clients may connect at once: their subscriptions wait for the stream.
  console.log(`${marker}${port}`);
  await feed.start();
}

/** The platform holds the other end and never writes. */
async function untilClosed(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}

function setting(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

if (import.meta.main) {
  await serve((url, log) => {
    surviveDriverFaults(log);
    return new PostgresFeed({ url, log });
  });
}
