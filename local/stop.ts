// `deno task stop`: ends the running platform and everything it started.
import { command, ownPlatform } from "./commands.ts";
import { waitForExit } from "./process.ts";
import { gatewayPort } from "./settings.ts";

const STOP_TIMEOUT_MS = 30_000;

const port = gatewayPort();
const running = await ownPlatform(port);
if (running === undefined) {
  console.log(`No platform runs on port ${port}.`);
} else {
  try {
    await (await command(port, "stop")).body?.cancel();
  } catch (error) {
    // A platform that is still starting may end before it responds.
    if (!(error instanceof TypeError)) throw error;
  }
  if (!await waitForExit(running.pid, STOP_TIMEOUT_MS)) {
    console.error(`Process ${running.pid} does not end. See its log for the reason.`);
    Deno.exit(1);
  }
  console.log(`The platform on port ${port} has stopped.`);
}
