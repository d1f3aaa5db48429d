/// <reference lib="dom" />
// The explorer: sign-up, sign-in, one-time code and password recovery, with the mails of the platform.
import assert from "node:assert/strict";
import { newestMail } from "../support/mail_links.ts";
import { inDatabase } from "../api/lots.ts";
import { asUser, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { hasBrowser } from "../support/browser.ts";
import { inExplorer, openSignIn } from "./explorer.ts";

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
    await explorer.sees("The mail address or the password is not right.");
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
    await openSignIn(explorer.page);
    await explorer.click("Sign in with a code");
    await explorer.fill("Mail address", person.email);
    await explorer.click("Send a code");
    await explorer.sees(`A mail is on its way to ${person.email}.`);
    const { code } = await newestMail(stack().apiUrl, person.email);
    await explorer.fill("Code from the mail", code!);
    await explorer.page.locator("dialog button[type=submit]").click();
    await explorer.sees("Saved searches");
    await explorer.click("Sign out");

    await openSignIn(explorer.page);
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
    await openSignIn(explorer.page);
    await explorer.click("Create an account");
    await explorer.fill("Mail address", email);
    await explorer.fill("Password", "a password 1");
    await explorer.page.locator("dialog button[type=submit]").click();
    await explorer.sees(email);
    await explorer.open("/account/profile");
    await explorer.fill("Display name", "<img src=x onerror=alert(1)>");
    await explorer.click("Save");
    await explorer.sees("Saved.");
  }, { width: 360, height: 740 });
});

Deno.test({
  name: "explorer: a password is the same in any width, has at most 72 bytes, and a name 100 characters of any kind",
  ignore: !hasBrowser,
}, async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    const faultOf = (field: string) =>
      page.$eval(`[name=${field}]`, (input) => (input as HTMLInputElement).validationMessage);
    await explorer.open("/account");
    await openSignIn(page);
    await explorer.click("Create an account");
    await explorer.fill("Mail address", email);
    await explorer.fill("Password", "\u304b".repeat(25));
    await page.locator("dialog button[type=submit]").click();
    assert.match(await faultOf("password"), /has 75 bytes, and at most 72/);
    await explorer.fill("Password", "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff11\uff12\uff13");
    await page.locator("dialog button[type=submit]").click();
    await explorer.sees(email);
    await explorer.click("Sign out");
    await explorer.signIn({ email, password: "password123" });

    await explorer.open("/account/profile");
    await explorer.fill("Display name", "\u{1f600}".repeat(101));
    await explorer.click("Save");
    assert.match(await faultOf("display_name"), /remove 1\./);
    await explorer.fill("Display name", "\u{1f600}".repeat(100));
    await explorer.click("Save");
    await explorer.sees("Saved.");
  });
});

Deno.test({
  name: "explorer: an administrator who is no app user is not offered personal pages",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await signUp({ appMetadata: { admin: { name: "管理者", areas: ["reviews"] } } });
  await inExplorer(async (explorer) => {
    await explorer.open("/account/profile");
    await explorer.signIn(administrator);
    await explorer.sees("who is not an app user");
    await explorer.page.waitForSelector("::-p-aria([name='Console'])");
    for (const name of ["Inbox", "Rewards"]) {
      assert.equal(await explorer.page.$(`::-p-aria([name='${name}'])`), null, name);
    }
  });
});

Deno.test({
  name: "explorer: notification settings, quiet hours, a theme, the export and the end of the account",
  ignore: !hasBrowser,
}, async () => {
  const person = await signUp();
  const read = async (path: string) => await (await asUser(person)(path)).json();
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open("/account/notifications");
    await explorer.signIn(person);
    await explorer.click("Campaigns: Inbox");
    await explorer.click("No push in quiet hours");
    await explorer.fill("From", "21:30");
    await explorer.click("Save");
    await explorer.sees("Saved.");
    const { items, quiet_hours } = await read("/me/notification-preferences");
    const campaign = items.find(({ notif_type }: { notif_type: string }) => notif_type === "campaign");
    assert.equal(campaign.in_app_enabled, false);
    assert.deepEqual([quiet_hours.from, quiet_hours.to], ["21:30", "07:00"]);

    // A theme changes the page, also after a reload and in another tab.
    await explorer.open("/rewards");
    await explorer.sees("ナイトドライブ");
    // By its name: other tests add themes.
    await page.locator('::-p-xpath(//li[contains(., "ナイトドライブ")]//button)').click();
    await page.waitForSelector(":root[data-theme=night]");
    const second = await explorer.secondTab("/account");
    await second.page.waitForSelector(":root[data-theme=night]");
    await second.page.close();

    await explorer.open("/account/data");
    await page.locator("main button.danger").click();
    await page.locator("dialog input[name=email]").fill("someone.else@example.com");
    await explorer.click("Close the account for good");
    await explorer.sees("That is not the address of this account.");
    await page.locator("dialog input[name=email]").fill(person.email);
    await explorer.click("Close the account for good");
    await page.waitForFunction(() => location.hash.startsWith("#/") && !location.hash.startsWith("#/account"));
    await page.waitForSelector(":root:not([data-theme])");
    const { status } = await asUser(person)("/me/vehicles");
    assert.equal(status, 403);
  });
});

Deno.test({
  name: "explorer: a guest reads articles, whose markup is text, and sponsors; a driver checks in",
  ignore: !hasBrowser,
}, async () => {
  const person = await signUp();
  const slug = `a-${crypto.randomUUID()}`;
  const name = `Sponsor ${slug} <b data-made>`;
  const [lat, lng] = [-(60 + Math.random()), -(80 + Math.random())];
  await inDatabase(async (sql) => {
    const body =
      `# Heading\n\n<img data-made src=x onerror=alert(1)> **bold** [link](javascript:alert(1)) ![x](https://example.com/x.png)`;
    await sql`
      insert into public.articles (slug, locale, title, body, published_at)
      values (${slug}, 'en', '<b data-made>Title', ${body}, now())`;
    await sql`insert into public.sponsors (name, lat, lng, starts_at) values (${name}, ${lat}, ${lng}, now() - interval '1 day')`;
  });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/account/articles/${slug}`);
    await explorer.sees("<b data-made>Title");
    await explorer.sees("<img data-made src=x onerror=alert(1)>");
    await page.waitForSelector(".account-article strong");
    assert.equal(await page.$(".account-article :is([data-made], img, a:not([href^='https:']))"), null);

    await page.browserContext().overridePermissions(new URL(page.url()).origin, ["geolocation"]);
    await page.setGeolocation({ latitude: lat, longitude: lng, accuracy: 10 });
    await explorer.open("/account/sponsors");
    await explorer.signIn(person);
    await explorer.click("Near me");
    await page.waitForFunction(
      (name) =>
        [...document.querySelectorAll(".account-name")].filter(({ textContent }) => textContent === name).length ===
          1 &&
        document.querySelectorAll(".account-name").length === 1,
      {},
      name,
    );
    await explorer.click("Check in");
    await explorer.sees("Checked in.");
    await explorer.click("Check in");
    await explorer.sees("You have checked in here today.");
  });
});
