// The explorer: sign-up, sign-in, one-time code and password recovery, with the mails of the platform.
import assert from "node:assert/strict";
import { newestMail } from "../support/mail_links.ts";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { hasBrowser } from "../support/browser.ts";
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

Deno.test({
  name: "explorer: a person signs in with a mailed code, and sets a new password by a mailed link",
  ignore: !hasBrowser,
}, async () => {
  const person = await signUp();
  await inExplorer(async (explorer) => {
    await explorer.open("/account");
    await explorer.page.locator("header.top .sign-in").click();
    await explorer.click("Sign in with a code");
    await explorer.fill("Mail address", person.email);
    await explorer.click("Send a code");
    await explorer.sees(`A mail is on its way to ${person.email}.`);
    const { code } = await newestMail(stack().apiUrl, person.email);
    await explorer.fill("Code from the mail", code!);
    await explorer.page.locator("dialog button[type=submit]").click();
    await explorer.sees("Member since");
    await explorer.click("Sign out");

    await explorer.page.locator("header.top .sign-in").click();
    await explorer.click("Forgot your password?");
    await explorer.fill("Mail address", person.email);
    await explorer.click("Send a link");
    await explorer.sees(`A mail is on its way to ${person.email}.`);
    const { link } = await newestMail(stack().apiUrl, person.email);
    await explorer.page.goto(link!);
    await explorer.sees("Set a new password");
    await explorer.fill("Password", "another password 1");
    await explorer.click("Save");
    await explorer.page.waitForSelector("dialog", { hidden: true });
    await explorer.click("Sign out");
    await explorer.page.goto(link!);
    await explorer.click("Continue");
    await explorer.sees("This link is not valid any more");
    await explorer.signIn({ ...person, password: "another password 1" });
    await explorer.open("/");
  });
});

Deno.test({ name: "explorer: a person creates an account and is signed in", ignore: !hasBrowser }, async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  await inExplorer(async (explorer) => {
    await explorer.open("/account");
    await explorer.page.locator("header.top .sign-in").click();
    await explorer.click("Create an account");
    await explorer.fill("Mail address", email);
    await explorer.fill("Password", "a password 1");
    await explorer.page.locator("dialog button[type=submit]").click();
    await explorer.sees(email);
    await explorer.fill("Display name", "<img src=x onerror=alert(1)>");
    await explorer.click("Save");
    await explorer.sees("Saved.");
  }, { width: 360, height: 740 });
});

Deno.test({
  name: "explorer: an administrator who is no app user is not offered personal pages",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await signUp({ appMetadata: { admin: { name: "管理者", areas: ["reviews"] } } });
  await inExplorer(async (explorer) => {
    await explorer.open("/account");
    await explorer.signIn(administrator);
    await explorer.sees("who is not an app user");
    await explorer.page.waitForSelector("::-p-aria([name='Console'])");
    for (const name of ["Inbox", "Rewards"]) {
      assert.equal(await explorer.page.$(`::-p-aria([name='${name}'])`), null, name);
    }
  });
});
