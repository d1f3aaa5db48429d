// `deno task reset`: throws the data away. A running platform rebuilds its database and goes on; otherwise the next
// start builds it.
import { command, ownPlatform } from "./commands.ts";
import { removeDatabase } from "./postgres/database.ts";
import { gatewayPort } from "./settings.ts";

const port = gatewayPort();
const running = await ownPlatform(port);
if (running === undefined) {
  const found = await removeDatabase(String(port));
  console.log(found ? "The data is deleted; `deno task dev` builds it again." : `There is no data of port ${port}.`);
} else if (running.status === null) {
  console.error(`The platform on port ${port} is starting: process ${running.pid}.`);
  Deno.exit(1);
} else {
  const response = await command(port, "reset");
  if (!response.ok) {
    console.error(`The platform could not rebuild its database: ${await response.text()}`);
    Deno.exit(1);
  }
  await response.body?.cancel();
  console.log(`The database of ${running.status.API_URL} is new.`);
}
