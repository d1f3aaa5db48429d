/// <reference lib="dom" />
// The console on a platform that requires a second factor: an administrator enrolls an app, and enters its code at the next
// sign-in.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { codeAt } from "../../local/auth/totp.ts";
import { hasBrowser } from "../support/browser.ts";
import { crashPlatform } from "../support/crash_platform.ts";
import { inExplorer } from "./explorer.ts";

Deno.test({
  name: "console: an administrator without a second factor is led to enroll one, and enters a code at each sign-in",
  ignore: !hasBrowser,
}, async () => {
  await using platform = await crashPlatform({ authRules: "hosted" });
  const { API_URL: apiUrl, SECRET_KEY } = platform.status;
  const person = { email: `${crypto.randomUUID()}@example.com`, password: "password 1" };
  const { auth } = createClient(apiUrl, SECRET_KEY, { auth: { persistSession: false, autoRefreshToken: false } });
  const app_metadata = { admin: { name: "Administrator", areas: ["admins"] } };
  assert.equal((await auth.admin.createUser({ ...person, email_confirm: true, app_metadata })).error, null);

  await inExplorer(async (explorer) => {
    const { page } = explorer;
    const code = "Code of six digits";
    await explorer.open("/console");
    await explorer.signIn(person);
    await explorer.sees("This account has no app yet");
    assert.equal(await page.$(".console-nav"), null);
    await explorer.click("Set up the app");
    const shown = await page.waitForSelector(".second-factor-secret");
    const secret = (await shown!.evaluate((element) => element.textContent)).replaceAll(" ", "");
    // The picture is drawn, not blocked.
    await page.waitForFunction(() =>
      (document.querySelector(".second-factor-code") as HTMLImageElement).naturalWidth > 0
    );
    await explorer.fill(code, codeAt(secret, Date.now()));
    await explorer.click("Turn on");
    await page.waitForSelector(".console-nav");
    await explorer.open("/console/admins");
    await explorer.sees(person.email);

    await explorer.click("Sign out");
    await explorer.sees("Sign in as an administrator");
    await explorer.signIn(person);
    await explorer.sees("Enter the code that your authenticator app shows");
    const wrong = String((Number(codeAt(secret, Date.now())) + 1) % 1_000_000).padStart(6, "0");
    await explorer.fill(code, wrong);
    await explorer.click("Continue");
    await explorer.sees("This code is not valid now");
    await explorer.fill(code, codeAt(secret, Date.now()));
    await explorer.click("Continue");
    await page.waitForSelector(".console-nav");
  }, { apiUrl });
});
