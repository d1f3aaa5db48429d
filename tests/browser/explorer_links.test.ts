/// <reference lib="dom" />
// The explorer and the console: links of mails in the browser that requested them and in another one, and addresses that
// try to change the session. The rules of accounts are those of a hosted project.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { newestMail } from "../support/mail_links.ts";
import { hasBrowser } from "../support/browser.ts";
import { type Explorer, inExplorer, openSignIn } from "./explorer.ts";

const PASSWORD = "a password 1";
const newAddress = () => `${crypto.randomUUID()}@example.com`;

interface Visit {
  readonly explorer: Explorer;
  readonly apiUrl: string;
  /** The link of the newest mail to an address. */
  linkTo(email: string): Promise<string>;
  /** A user with a confirmed address. */
  aPerson(email?: string): Promise<{ email: string; password: string }>;
  withServiceKey(path: string, body: unknown): Promise<Response>;
  /** The tokens of a new session of the person. */
  sessionOf(email: string): Promise<URLSearchParams>;
}

async function visit({ status }: CrashPlatform, run: (visit: Visit) => Promise<void>): Promise<void> {
  const { API_URL: apiUrl, PUBLISHABLE_KEY, SECRET_KEY } = status;
  const withServiceKey = (path: string, body: unknown) =>
    fetch(`${apiUrl}${path}`, {
      method: "POST",
      headers: { apikey: SECRET_KEY, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await inExplorer((explorer) =>
    run({
      explorer,
      apiUrl,
      withServiceKey,
      linkTo: async (email) => (await newestMail(apiUrl, email)).link!,
      aPerson: async (email = newAddress()) => {
        const made = await withServiceKey("/auth/v1/admin/users", { email, password: PASSWORD, email_confirm: true });
        assert.equal(made.status, 200, await made.text());
        return { email, password: PASSWORD };
      },
      sessionOf: async (email) => {
        const supabase = createClient(apiUrl, PUBLISHABLE_KEY, {
          auth: { persistSession: false, autoRefreshToken: false },
        });
        const { data } = await supabase.auth.signInWithPassword({ email, password: PASSWORD });
        const { access_token, refresh_token } = data.session!;
        return new URLSearchParams({ access_token, refresh_token, expires_in: "3600", token_type: "bearer" });
      },
    }), { apiUrl });
}

/** The address of the signed-in account in this browser, from its storage. */
async function signedIn({ page }: Explorer): Promise<string | undefined> {
  return await page.evaluate(() => {
    const name = Object.keys(localStorage).find((name) => /^sb-.*-auth-token$/.test(name));
    return name === undefined ? undefined : JSON.parse(localStorage.getItem(name)!).user.email;
  });
}

/** Opens an address as a new document, as a link of another website does. */
async function arrive({ page }: Explorer, address: string): Promise<void> {
  await page.goto(new URL("/_mail", page.url()).href);
  await page.goto(address);
  // The page may go on to the auth server and come back.
  await page.waitForFunction(() => document.querySelector("header.top") !== null, { polling: 100 });
}

/** Waits for the account that is signed in. */
async function becomes({ page }: Explorer, email: string): Promise<void> {
  await page.waitForFunction(
    (email) =>
      Object.entries(localStorage).some(([name, value]) =>
        /^sb-.*-auth-token$/.test(name) && JSON.parse(value).user.email === email
      ),
    { polling: 100 },
    email,
  );
}

async function openDialog({ page }: Explorer): Promise<void> {
  await openSignIn(page);
}

async function signOut(explorer: Explorer): Promise<void> {
  await explorer.click("Sign out");
  await explorer.page.waitForSelector("header.top .sign-in");
}

Deno.test({ name: "explorer: links of mails", ignore: !hasBrowser }, async (test) => {
  await using platform = await crashPlatform({ authRules: "hosted" });
  // The second factor has a test of its own.
  await platform.sql`update private.console_settings set requires_second_factor = false`;
  const step = (name: string, run: (visit: Visit) => Promise<void>) => test.step(name, () => visit(platform, run));

  await step("an address with tokens changes no session, with and without a signed-in user", async (visit) => {
    const { explorer, apiUrl } = visit;
    const [victim, attacker] = [await visit.aPerson(), await visit.aPerson()];
    const tokens = await visit.sessionOf(attacker.email);
    // The attacker's own link, followed up to its code.
    const ofAttacker = new URLSearchParams({ code: crypto.randomUUID(), sb_flow_id: "0123456789abcdef" });
    const addresses = [
      ...["magiclink", "recovery", "signup", "invite", "email_change"].map((type) => `#${tokens}&type=${type}`),
      `?${tokens}&type=recovery`,
      `?${ofAttacker}`,
      `?code=${crypto.randomUUID()}`,
      "#error=access_denied&error_code=otp_expired&error_description=Call+0120-000-000&sb=",
    ];
    for (const current of [undefined, victim]) {
      await explorer.open("/");
      if (current !== undefined) await explorer.signIn(current);
      for (const address of addresses) {
        await arrive(explorer, `${apiUrl}/explore/${address}`);
        await explorer.page.waitForSelector("main .notice.error");
        const shown = await explorer.page.$eval("main .notice.error", (note) => note.textContent ?? "");
        assert.match(shown, /was not used|another browser|not valid any more/, address);
        assert.equal(await signedIn(explorer), current?.email, address);
        assert.equal(await explorer.page.$("dialog"), null, address);
        assert.equal(explorer.page.url(), `${apiUrl}/explore/`);
      }
    }
  });

  await step(
    "sign-up, sign-in, recovery and a change of address by links in the browser that requested them",
    async (visit) => {
      const { explorer } = visit;
      const { page } = explorer;
      const [email, next] = [newAddress(), newAddress()];
      await explorer.open("/account");
      await openDialog(explorer);
      await explorer.click("Create an account");
      await explorer.fill("Mail address", email);
      await explorer.fill("Password", PASSWORD);
      await page.locator("dialog button[type=submit]").click();
      await explorer.sees(`A mail is on its way to ${email}.`);
      await arrive(explorer, await visit.linkTo(email));
      await becomes(explorer, email);
      await signOut(explorer);

      await openDialog(explorer);
      await explorer.click("Sign in with a code");
      await explorer.fill("Mail address", email);
      await explorer.click("Send a code");
      await explorer.sees(`A mail is on its way to ${email}.`);
      await arrive(explorer, await visit.linkTo(email));
      await becomes(explorer, email);
      await signOut(explorer);

      // One mail of a kind is sent in a minute.
      await platform.sql`update auth.users set recovery_sent_at = null where email = ${email}`;
      await openDialog(explorer);
      await explorer.click("Forgot your password?");
      await explorer.fill("Mail address", email);
      await explorer.click("Send a link");
      await explorer.sees(`A mail is on its way to ${email}.`);
      await arrive(explorer, await visit.linkTo(email));
      await explorer.sees("Set a new password");
      await explorer.fill("Password", "another password 1");
      await explorer.click("Save");
      await page.waitForSelector("dialog", { hidden: true });

      await explorer.open("/account/security");
      await explorer.fill("New mail address", next);
      await explorer.click("Send mails");
      await explorer.sees("The address changes when");
      const links = [await visit.linkTo(email), await visit.linkTo(next)];
      await arrive(explorer, links[0]!);
      await explorer.sees("This address confirmed the change.");
      await arrive(explorer, links[1]!);
      await becomes(explorer, next);
    },
  );

  await step(
    "a link on another device names the account and asks; nothing changes before the answer",
    async (visit) => {
      const { explorer } = visit;
      const other = await visit.aPerson();
      const elsewhere = await explorer.elsewhere("/");
      await elsewhere.signIn(other);
      await explorer.open("/");
      for (const kind of ["magiclink", "recovery"] as const) {
        const { email } = await visit.aPerson();
        await explorer.open("/account");
        await openDialog(explorer);
        await explorer.click(kind === "recovery" ? "Forgot your password?" : "Sign in with a code");
        await explorer.fill("Mail address", email);
        await explorer.click(kind === "recovery" ? "Send a link" : "Send a code");
        await explorer.sees(`A mail is on its way to ${email}.`);
        const link = await visit.linkTo(email);
        await explorer.click("Close");

        const before = await signedIn(elsewhere);
        await arrive(elsewhere, link);
        await elsewhere.sees(`This link is for the account ${email}.`);
        await elsewhere.sees(`You are signed in as ${before}.`);
        await elsewhere.click("Do not continue");
        assert.equal(await signedIn(elsewhere), before);
        await arrive(elsewhere, link);
        await elsewhere.sees(`This link is for the account ${email}.`);
        assert.equal(await signedIn(elsewhere), before);
        await elsewhere.click("Continue");
        await becomes(elsewhere, email);
        if (kind === "recovery") {
          await elsewhere.sees("Set a new password");
          await elsewhere.fill("Password", "another password 1");
          await elsewhere.click("Save");
          await elsewhere.page.waitForSelector("dialog", { hidden: true });
        }
        await arrive(elsewhere, link);
        await elsewhere.click("Continue");
        await elsewhere.sees("This link is not valid any more");
        assert.equal(await signedIn(elsewhere), email);
      }
    },
  );

  await step(
    "a sign-up is confirmed and an address is changed on another device, which signs nobody else out",
    async (visit) => {
      const { explorer } = visit;
      const email = newAddress();
      await explorer.open("/account");
      await openDialog(explorer);
      await explorer.click("Create an account");
      await explorer.fill("Mail address", email);
      await explorer.fill("Password", PASSWORD);
      await explorer.page.locator("dialog button[type=submit]").click();
      await explorer.sees(`A mail is on its way to ${email}.`);
      await explorer.click("Close");
      const elsewhere = await explorer.elsewhere("/");
      await arrive(elsewhere, await visit.linkTo(email));
      await elsewhere.sees(`This link is for the account ${email}.`);
      await elsewhere.click("Continue");
      await becomes(elsewhere, email);

      const [other, next] = [await visit.aPerson(), newAddress()];
      await explorer.open("/account/security");
      await explorer.signIn({ email, password: PASSWORD });
      await explorer.fill("New mail address", next);
      await explorer.click("Send mails");
      await explorer.sees("The address changes when");
      await signOut(elsewhere);
      await elsewhere.signIn(other);
      await arrive(elsewhere, await visit.linkTo(email));
      await elsewhere.sees(`The address of the account ${email} becomes ${next}.`);
      await elsewhere.click("Continue");
      await elsewhere.sees("Confirmed. The other address has a mail too");
      await arrive(elsewhere, await visit.linkTo(next));
      await elsewhere.click("Continue");
      await elsewhere.sees(`The address of the account is ${next} now.`);
      assert.equal(await signedIn(elsewhere), other.email);
    },
  );

  await step(
    "an invited administrator accepts on a page that asks, sets a password and is in the console",
    async (visit) => {
      const { explorer } = visit;
      const email = newAddress();
      const chief = newAddress();
      const made = await visit.withServiceKey("/auth/v1/admin/users", {
        email: chief,
        password: PASSWORD,
        email_confirm: true,
        app_metadata: { admin: { name: "Chief", areas: ["admins"] } },
      });
      assert.equal(made.status, 200, await made.text());
      const token = (await visit.sessionOf(chief)).get("access_token");
      const invited = await fetch(`${visit.apiUrl}/functions/v1/admin/admins`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ email, name: "New", areas: ["reviews"] }),
      });
      assert.equal(invited.status, 201, await invited.text());
      await explorer.open("/");
      await arrive(explorer, await visit.linkTo(email));
      await explorer.sees("Accept the invitation");
      await explorer.sees(`This link is for the account ${email}.`);
      assert.equal(await signedIn(explorer), undefined);
      await explorer.click("Continue");
      await explorer.sees("Set a new password");
      await explorer.fill("Password", "another password 1");
      await explorer.click("Save");
      await explorer.page.waitForSelector("dialog", { hidden: true });
      assert.match(explorer.page.url(), /#\/console/);
      assert.equal(await signedIn(explorer), email);
      await explorer.page.waitForSelector(".console-nav section a");
      assert.deepEqual(
        await explorer.page.$$eval(".console-nav section a", (links) => links.map(({ textContent }) => textContent)),
        ["Overview", "Reviews", "Health", "Jobs", "Dead messages", "Record of acts"],
        "only the screens of the area, and those of every administrator",
      );
    },
  );

  await step("a link that names another account than its own changes no session", async (visit) => {
    const { explorer } = visit;
    const [victim, attacker] = [await visit.aPerson(), await visit.aPerson()];
    await explorer.open("/");
    await explorer.signIn(victim);
    const elsewhere = await explorer.elsewhere("/");
    await openDialog(elsewhere);
    await elsewhere.click("Sign in with a code");
    await elsewhere.fill("Mail address", attacker.email);
    await elsewhere.click("Send a code");
    await elsewhere.sees(`A mail is on its way to ${attacker.email}.`);
    const link = await visit.linkTo(attacker.email);
    const named = link.replace(encodeURIComponent(attacker.email), encodeURIComponent(victim.email));
    assert.notEqual(named, link);
    await arrive(explorer, named);
    await explorer.sees(`This link is for the account ${victim.email}.`);
    await explorer.click("Continue");
    await explorer.sees("This link belongs to another account than it says.");
    assert.equal(await signedIn(explorer), victim.email);
  });

  await step("a link that an app requested continues there, or in this browser after the question", async (visit) => {
    const { explorer, apiUrl } = visit;
    const { email } = await visit.aPerson();
    const sent = await fetch(`${apiUrl}/auth/v1/otp?redirect_to=${apiUrl}/app/`, {
      method: "POST",
      headers: { apikey: platform.status.PUBLISHABLE_KEY, "content-type": "application/json" },
      body: JSON.stringify({
        email,
        code_challenge: "x".repeat(43),
        code_challenge_method: "s256",
      }),
    });
    assert.equal(sent.status, 200, await sent.text());
    await explorer.open("/");
    await arrive(explorer, await visit.linkTo(email));
    await explorer.sees(`Continue in ${new URL(apiUrl).host}`);
    await explorer.click(`Continue in ${new URL(apiUrl).host}`);
    await explorer.page.waitForFunction(() => location.pathname === "/app/" && location.search.startsWith("?code="), {
      polling: 100,
    });
    assert.equal(await signedIn(explorer), undefined);
  });
});
