// The explorer: without a connection the session page says so, and is right again by itself when it is back.
import { asUser, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { aPricedLot, post } from "../api/sessions.ts";
import { proxyTo } from "../realtime/proxy.ts";
import { hasBrowser } from "../support/browser.ts";
import { inExplorer } from "./explorer.ts";

Deno.test({
  name:
    "explorer: an offline session page says so and that an outcome is unknown, and is current again without a reload",
  ignore: !hasBrowser,
}, async () => {
  const person = await signUp();
  const { session_id } = await (await post("", person.token, { parking_lot_id: await aPricedLot() })).json();
  await using proxy = proxyTo(stack().apiUrl);
  await inExplorer(async (explorer) => {
    await explorer.open("/session");
    await explorer.signIn(person);
    await explorer.sees("¥200");
    proxy.setOffline(true);
    await explorer.sees("Offline. The page follows again when there is a connection.");
    await explorer.click("Leave and pay");
    await explorer.sees("It is not known whether the change was made.");
    await asUser(person)(`/parking-sessions/${session_id}/cancel`, { method: "POST" });
    proxy.setOffline(false);
    await explorer.sees("You are not parked.");
  }, { apiUrl: proxy.apiUrl });
});
