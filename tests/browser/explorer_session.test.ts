// The explorer: the running session and its meter, a second tab that follows, the receipt, the inbox and an earned badge.
import assert from "node:assert/strict";
import { age, aPricedLot, post } from "../api/sessions.ts";
import { asUser, signUp } from "../support/people.ts";
import { hasBrowser } from "../support/browser.ts";
import { inExplorer } from "./explorer.ts";

const ignore = !hasBrowser;

Deno.test({
  name: "explorer: the meter runs in two tabs, the exit in one ends it in both, and the receipt has the charged fee",
  ignore,
}, async () => {
  const person = await signUp();
  const lot = await aPricedLot({ name: "Lot <b>of</b> the meter" });
  await inExplorer(async (explorer) => {
    await explorer.open("/session");
    await explorer.sees("Sign in to see this page.");
    await explorer.signIn(person);
    await explorer.sees("You are not parked.");

    // The session starts elsewhere: the page follows without a reload.
    const { session_id } = await (await post("", person.token, { parking_lot_id: lot })).json();
    await explorer.sees("Lot <b>of</b> the meter");
    await explorer.sees("¥200");
    await explorer.sees("¥400 from");
    await age(session_id, 40);
    await explorer.sees("¥600 from");

    const second = await explorer.secondTab("/session");
    await second.sees("¥600 from");
    await explorer.click("Leave and pay");
    await explorer.sees("Paid: ¥400");
    await second.sees("You are not parked.");
    // The first end of a session earns a badge, whatever page is open.
    await second.sees("You earned a badge");
    await explorer.sees("2 × 30 min × ¥200");

    await explorer.fill("Memo", "Near the <i>gate</i>");
    await explorer.click("Save");
    await explorer.sees("Saved.");
    const session = await (await asUser(person)(`/me/parking-sessions/${session_id}`)).json();
    assert.deepEqual([session.status, session.total_amount_minor, session.memo], [
      "ended",
      400,
      "Near the <i>gate</i>",
    ]);

    await explorer.open("/rewards");
    await explorer.sees("First parking");
    await explorer.open("/inbox");
    await explorer.sees("unread");
    await explorer.click("Mark all as read");
    await explorer.sees("Everything is read.");
    await second.open("/inbox");
    await second.sees("Everything is read.");
  });
});

Deno.test({ name: "explorer: a session that just began is cancelled without a fee", ignore }, async () => {
  const person = await signUp();
  const { session_id } = await (await post("", person.token, { parking_lot_id: await aPricedLot() })).json();
  await inExplorer(async (explorer) => {
    await explorer.open("/session");
    await explorer.signIn(person);
    await explorer.click("Cancel");
    await explorer.sees("You are not parked.");
    const session = await (await asUser(person)(`/me/parking-sessions/${session_id}`)).json();
    assert.equal(session.status, "cancelled");
  }, { width: 360 });
});

Deno.test({ name: "explorer: a vehicle is added, and the service's error stands at its field", ignore }, async () => {
  const person = await signUp();
  await inExplorer(async (explorer) => {
    await explorer.open("/account/vehicles");
    await explorer.signIn(person);
    await explorer.click("Add a vehicle");
    await explorer.fill("Name", "Van");
    await explorer.fill("Height (m)", "2.05");
    await explorer.click("Save");
    await explorer.sees("Height 2.05 m");
    const { items } = await (await asUser(person)("/me/vehicles")).json();
    assert.deepEqual(
      items.map(({ nickname, height_m, is_default }: Record<string, unknown>) => [nickname, height_m, is_default]),
      [
        ["Van", 2.05, true],
      ],
    );

    await explorer.open("/account/support");
    await explorer.fill("Subject", "Gate");
    await explorer.fill("Message", " ");
    await explorer.click("Send");
    await explorer.page.waitForSelector("textarea[aria-invalid]");
  });
});
