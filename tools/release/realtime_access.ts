/**
 * `deno task realtime:access <project address> <publishable key>`: prints whether clients can join public Realtime channels.
 *
 * The setting "Allow public access" is in the dashboard and in no file of this repository, so only a join shows it. Exit
 * codes: 0 public channels are closed, 1 they are open, 2 it is unknown.
 */
import { createClient } from "@supabase/supabase-js";

const USAGE =
  "deno task realtime:access <project address> <publishable key>, for example: deno task realtime:access https://REF.supabase.co sb_publishable_…";
/** The answer of Realtime when the setting is off. */
const CLOSED = "PrivateOnly";
const TIMEOUT_MS = 20_000;

interface Access {
  readonly exitCode: 0 | 1 | 2;
  readonly message: string;
}

/** Joins a public channel with a random name, as any client with the publishable key can try. */
async function publicAccess(url: string, key: string): Promise<Access> {
  const supabase = createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });
  const { promise, resolve } = Promise.withResolvers<Access>();
  const unknown = (why: string) =>
    resolve({
      exitCode: 2,
      message: `Unknown: ${why}. Check the address and the publishable key, then repeat this command.`,
    });
  const timer = setTimeout(() => unknown("the project did not answer the join in time"), TIMEOUT_MS);
  supabase.channel(`access-check-${crypto.randomUUID()}`).subscribe((status, error) => {
    if (status === "SUBSCRIBED") {
      resolve({
        exitCode: 1,
        message: 'Open: every client can join public channels. Turn "Allow public access" off (Realtime, Settings).',
      });
    } else if (error?.message.startsWith(CLOSED)) {
      resolve({ exitCode: 0, message: "Closed: public channels are rejected." });
    } else if (status === "CHANNEL_ERROR") {
      unknown(`the join failed with "${error?.message ?? "no message"}"`);
    }
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await supabase.removeAllChannels();
    await supabase.realtime.disconnect();
  }
}

const [url, key, ...more] = Deno.args;
if (url === undefined || key === undefined || more.length > 0 || !URL.canParse(url)) {
  console.error(`Usage: ${USAGE}`);
  Deno.exit(2);
}
const { exitCode, message } = await publicAccess(url, key);
console.log(message);
Deno.exit(exitCode);
