// `deno task reset`: throws the data away. A running platform rebuilds its database and goes on; otherwise the next
// start builds it.
import { removeDatabase } from "./database/database.ts";
import { gatewayPort, SECRET_KEY } from "./settings.ts";
import { findRunning } from "./state.ts";

const name = String(gatewayPort());
const running = await findRunning(name);
if (running === undefined) {
  await removeDatabase(name);
  console.log("The data is gone; `deno task dev` builds it anew.");
} else {
  const answer = await fetch(`${running.status.API_URL}/_platform/reset`, {
    method: "POST",
    headers: { apikey: SECRET_KEY },
  });
  if (!answer.ok) {
    console.error(`The platform could not rebuild its database: ${await answer.text()}`);
    Deno.exit(1);
  }
  await answer.body?.cancel();
  console.log(`The database of ${running.status.API_URL} is new.`);
}
