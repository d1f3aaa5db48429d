// The explorer: sign-up, sign-in, one-time code and password recovery, with the mails of the platform.
import assert from "node:assert/strict";
import { signUp } from "../support/people.ts";
import { hasBrowser } from "./chromium.ts";
import { inExplorer } from "./explorer.ts";

Deno.test({
  name: "explorer: a person signs in and out, and a wrong password is an error in the dialog",
  ignore: !hasBrowser,
}, async () => {
  const person = await signUp();
  await inExplorer(async (explorer) => {
    await explorer.open("/");
    await explorer.click("Sign in");
    await explorer.fill("Mail address", person.email);
    await explorer.fill("Password", "not the password 1");
    await explorer.page.locator("dialog button[type=submit]").click();
    await explorer.sees("Invalid login credentials");
    await explorer.fill("Password", person.password);
    await explorer.page.locator("dialog button[type=submit]").click();
    await explorer.click("Sign out");
    await explorer.page.waitForSelector("::-p-aria([name='Sign in'])");
    assert.equal(await explorer.page.$("dialog"), null);
  });
});
