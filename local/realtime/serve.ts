// The life of the realtime server's process: it says where it listens, and ends when it is told to or when the platform
// that started it is gone.
import { RealtimeServer } from "./server.ts";
import { DATABASE_URL, PRIVATE_ONLY } from "./supervisor.ts";
import type { Feed } from "./types.ts";

/** A goodbye takes no longer than this. */
const FAREWELL = 300;

export async function serve(makeFeed: (databaseUrl: string, log: (line: string) => void) => Feed): Promise<void> {
  const [marker] = Deno.args;
  const log = (line: string) => console.error(line);
  const feed = makeFeed(given(DATABASE_URL), log);
  const server = new RealtimeServer({ feed, privateOnly: given(PRIVATE_ONLY) === "true", log });
  const port = await server.listen(0);

  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => Deno.exit(0), FAREWELL);
    await server.stop();
    await feed.stop();
    Deno.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, end);
  untilClosed(Deno.stdin.readable).then(end);
  // Clients may come at once: what they subscribe to waits for the stream.
  console.log(`${marker}${port}`);
  await feed.start();
}

/** The platform holds the other end; nothing is ever written. */
async function untilClosed(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}

function given(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
