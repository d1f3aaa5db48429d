/// <reference lib="dom" />
// The console of the explorer: what an administrator sees and does there, and what the service has afterwards.
import assert from "node:assert/strict";
import { type Administrator, anAdministrator, sending } from "../api/administrators.ts";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { aLot, inDatabase } from "../api/lots.ts";
import { aPlan, apple, verify } from "../api/purchases.ts";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { hasBrowser } from "../support/browser.ts";
import { encoded } from "../support/encodings.ts";
import { findings } from "./axe.ts";
import { type Explorer, inExplorer, shortenWaits } from "./explorer.ts";

const MARKUP = '<img src="x" onerror="document.title=1"><b>bold</b>';

/** The JSON of a request that succeeds. */
async function sent(path: string, person: Person, method: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await ask(path, { method, ...jsonBody(body ?? {}, bearer(person.token)) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function read(path: string, administrator: Administrator) {
  const response = await administrator.ask(path);
  assert.equal(response.status, 200, path);
  return await response.json();
}

async function aReview(lot: string, comment: string, author?: Person): Promise<string> {
  const { id } = await sent(`/parking-lots/${lot}/reviews`, author ?? await signUp(), "POST", { rating: 4, comment });
  return String(id);
}

/** Signs in on a screen of the console. */
async function openConsole(explorer: Explorer, administrator: Person, path: string): Promise<void> {
  await explorer.open(path);
  await explorer.signIn(administrator);
  await explorer.page.waitForSelector(".console");
}

/** Presses Tab until the button is focused, as a user without a mouse does. */
async function tabTo({ page }: Explorer, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((name) => document.activeElement?.textContent === name, name)) return;
  }
  assert.fail(`Tab does not reach ${name}`);
}

/** What the page writes for the code `forbidden`. */
const FORBIDDEN = "Your account may not do this.";

Deno.test({
  name: "console: an administrator sees the screens of their areas, and a plain user sees none",
  ignore: !hasBrowser,
}, async () => {
  const [administrator, chief] = [await anAdministrator("reviews", "support"), await anAdministrator("admins")];
  await inExplorer(async (explorer) => {
    await openConsole(explorer, administrator, "/console");
    await explorer.page.waitForSelector(".questions-head");
    const names = await explorer.page.$$eval(".console-nav a", (links) => links.map((link) => link.textContent));
    assert.deepEqual(
      names.filter((name) => name !== null).slice(0, 7),
      ["Overview", "Reviews", "Support tickets", "Health", "Jobs", "Dead messages", "Record of acts"],
    );
    await explorer.open("/console/users");
    await explorer.sees(FORBIDDEN);

    // An area that is taken away is offered until the service rejects the next request.
    await explorer.open("/console");
    await explorer.page.waitForSelector(".questions-head");
    const areas = sending("PATCH", { areas: ["support"] });
    assert.equal((await chief.ask(`/admin/admins/${administrator.id}`, areas)).status, 200);
    await explorer.page.locator(".console-nav a[href='#/console/reviews']").click();
    await explorer.sees(FORBIDDEN);
    await explorer.page.waitForFunction(() =>
      document.querySelector(".console-nav a[href='#/console/reviews']") === null
    );
    await explorer.click("Sign out");
    await explorer.sees("Sign in as an administrator");
    await explorer.signIn(await signUp());
    await explorer.sees("this account is not an active administrator");
    assert.equal(await explorer.page.$(".console-nav"), null);
    assert.equal(await explorer.page.$("header a.button[href='#/console']"), null);
  });
});

Deno.test({
  name: "console: reviews are decided with keys alone, a decision on an old version is shown, markup stays text",
  ignore: !hasBrowser,
}, async () => {
  const [administrator, other] = [await anAdministrator("reviews"), await anAdministrator("reviews")];
  const lot = await aLot({ name: "Lot <i>of</i> reviews" });
  const author = await signUp({ displayName: MARKUP });
  const first = await aReview(lot, MARKUP, author);
  const second = await aReview(lot, "Advertising");
  const third = await aReview(lot, "Narrow");
  const statusOf = async (id: string) => (await read(`/admin/reviews/${id}`, administrator)).status;
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    // The message is there before the next entry is.
    const openAndFocused = (id: string) =>
      page.waitForFunction(
        (id) => location.href.includes(id) && document.activeElement?.matches(".console-queue-open"),
        { polling: 100 },
        id,
      );
    await openConsole(explorer, administrator, `/console/reviews?parking_lot_id=${lot}`);
    await page.waitForSelector(`.console-lines a[href*="${third}"]`);
    await page.focus(".console-lines a");
    await page.keyboard.press("Enter");
    await page.waitForSelector("::-p-aria([name='Approve'])");
    await explorer.sees(MARKUP);
    assert.equal(
      await page.$(".console img, .console b, .console i"),
      null,
      "markup of users is not markup of the page",
    );
    await tabTo(explorer, "Approve");
    await page.keyboard.press("Enter");
    await explorer.sees("Approved. The next entry is open.");
    assert.equal(await statusOf(first), "approved");
    const { items } = await (await ask(`/parking-lots/${lot}/reviews`)).json();
    assert.deepEqual(items.map((review: { id: string }) => review.id), [first]);

    // The next one is open and focused; a rejection needs a reason.
    await openAndFocused(second);
    await page.waitForSelector("::-p-aria([name='Reject'])");
    await tabTo(explorer, "Reject");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.matches("textarea:invalid"));
    await page.keyboard.type("Advertising");
    await tabTo(explorer, "Reject");
    await page.keyboard.press("Enter");
    await explorer.sees("Rejected. The next entry is open.");
    assert.equal(await statusOf(second), "rejected");

    // Another administrator was faster.
    await openAndFocused(third);
    await page.waitForSelector("::-p-aria([name='Reject'])");
    const seen = await read(`/admin/reviews/${third}`, other);
    const approval = { status: "approved", seen_updated_at: seen.updated_at };
    assert.equal((await other.ask(`/admin/reviews/${third}`, sending("PATCH", approval))).status, 200);
    await page.locator(".console-queue-open textarea").fill("Not kind");
    const notes = await page.evaluateHandle(() => {
      const notes: boolean[] = [];
      new MutationObserver(() => {
        const note = document.querySelector(".console-changed");
        if (note) notes.push(note.querySelector("tbody tr") !== null);
      }).observe(document.body, { childList: true, subtree: true });
      return notes;
    });
    await explorer.click("Reject");
    await explorer.sees("Changed meanwhile");
    assert.ok((await notes.jsonValue()).every(Boolean), "the note is never there without what changed");
    assert.equal(await statusOf(third), "approved", "the decision on the old version has no effect");
    const change = await page.$eval(".console-changed tbody tr", (row) => (row as HTMLElement).innerText);
    assert.deepEqual(change.split(/\s+/), ["Status", "Pending", "Approved"]);
    await explorer.click("Hide");
    await explorer.sees("Hidden. There is no further entry.");
    assert.equal(await statusOf(third), "hidden");
  });
});

Deno.test({
  name: "console: several reviews are approved at once, and the one that changed meanwhile is named",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("reviews");
  const lot = await aLot({ name: "Several" });
  const author = await signUp();
  const reviews = [await aReview(lot, "One"), await aReview(lot, "Two", author)];
  await inExplorer(async (explorer) => {
    await openConsole(explorer, administrator, `/console/reviews?parking_lot_id=${lot}`);
    await explorer.sees("Two");
    await sent(`/me/reviews/${reviews[1]}`, author, "PATCH", { comment: "Two, edited" });
    await explorer.click("Select all");
    await explorer.click("Approve (2)");
    await explorer.sees("1 decided. Several:");
    await explorer.sees("Two, edited");
    const statuses = await Promise.all(reviews.map((id) => read(`/admin/reviews/${id}`, administrator)));
    assert.deepEqual(statuses.map(({ status }) => status), ["approved", "pending"]);
  });
});

Deno.test({
  name: "console: an answer to a ticket waits when the user wrote meanwhile, and is sent on the newer version",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("support");
  const author = await signUp({ displayName: MARKUP });
  const ticket = await sent("/support/tickets", author, "POST", {
    category: "other",
    subject: MARKUP,
    message: MARKUP,
  });
  await inExplorer(async (explorer) => {
    await openConsole(explorer, administrator, `/console/support-tickets/${ticket["id"]}`);
    await explorer.sees(MARKUP);
    assert.equal(await explorer.page.$(".console img, .console b"), null);
    await explorer.fill("Answer", "In your account.");
    await sent(`/support/tickets/${ticket["id"]}/messages`, author, "POST", { message: "One more question" });
    await explorer.click("Send the answer");
    await explorer.sees("Changed meanwhile");
    await explorer.sees("One more question");
    const unanswered = await read(`/admin/support-tickets/${ticket["id"]}`, administrator);
    assert.deepEqual([unanswered.status, unanswered.messages.length], ["open", 2]);
    await explorer.click("Send the answer");
    await explorer.sees("Answered.");
    const answered = await read(`/admin/support-tickets/${ticket["id"]}`, administrator);
    assert.equal(answered.status, "answered");
    assert.equal(answered.messages.at(-1).body, "In your account.", "the text stayed in the form");
    await explorer.open(`/console/support-tickets/${ticket["id"]}?status=answered`);
    await explorer.click("Close the ticket");
    await explorer.sees("Closed.");
    assert.equal((await read(`/admin/support-tickets/${ticket["id"]}`, administrator)).status, "closed");
  });
});

Deno.test({
  name: "console: a notification is composed, counted and sent, its counts rise, and a scheduled one is cancelled",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("notifications");
  const receiver = await signUp();
  await sent("/me/push-tokens", receiver, "PUT", { fcm_token: `good-${crypto.randomUUID()}`, device_type: "ios" });
  const dispatch = () => ask("/push-dispatch", { method: "POST", headers: bearer(stack().serviceRoleKey) });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    const idOfPage = () => explorer.page.url().split("/").at(-1)!;
    await openConsole(explorer, administrator, `/console/user-notifications/new?user_id=${receiver.id}`);
    await explorer.fill("Title", "Autumn");
    await explorer.fill("Text", "New lots at the station.");
    await explorer.click("Count the receivers");
    await explorer.sees("Receivers: 1. Devices: 1.");
    await explorer.click("Save");
    await page.waitForFunction(() => !location.hash.includes("/new"));
    await page.waitForSelector(".notification-funnel");
    const id = idOfPage();
    assert.equal((await read(`/admin/user-notifications/${id}`, administrator)).status, "draft");
    assert.deepEqual(
      await page.$$eval(
        ".phone-note",
        (notes) => notes.map((note) => (note as HTMLElement).innerText.split("\n").filter(Boolean).slice(-3)),
      ),
      [["今", "Autumn", "New lots at the station."], ["now", "Autumn", "New lots at the station."]],
    );
    await explorer.sees("Send to 1 person, 1 device?");
    await explorer.click("Send to 1 person");
    await explorer.click("Stop it");
    await explorer.sees("Stopped. Nothing is sent.");
    assert.equal((await read(`/admin/user-notifications/${id}`, administrator)).status, "draft");
    await shortenWaits(page);
    await explorer.click("Send to 1 person");
    await explorer.sees("Sending has begun.");
    const counted = page.waitForFunction(
      () =>
        [...document.querySelectorAll<HTMLElement>(".notification-funnel li")].some((row) =>
          row.innerText.replaceAll(/\s+/g, " ").trim() === "Sent 1"
        ),
      { polling: 50 },
    );
    await eventually(async () => {
      await (await dispatch()).body?.cancel();
      return (await read(`/admin/user-notifications/${id}`, administrator)).status === "sent" || undefined;
    });
    await counted;
    const inbox = await (await ask("/me/notifications", { headers: bearer(receiver.token) })).json();
    assert.deepEqual(inbox.items.map(({ title }: { title: string }) => title), ["Autumn"]);
    // What the receiver opens is counted, and a device without the push is listed with its reason.
    await sent("/me/notifications/mark-read", receiver, "POST", { ids: [inbox.items[0].id] });
    await inDatabase((sql) =>
      sql`update private.push_deliveries set outcome = 'dead_token' where notification_id = ${id} and outcome = 'delivered'`
    );
    await inDatabase((sql) =>
      sql`update public.user_notifications set success_count = 0, failure_count = 1 where id = ${id}`
    );
    await page.reload();
    await explorer.sees("100% of the inboxes");
    await explorer.click("The app was removed");
    await page.waitForFunction(() => location.hash.includes("outcome=dead_token"));
    await page.waitForFunction(() =>
      document.querySelector(".console-panel .console-table tbody")?.textContent.includes("iPhone or iPad")
    );

    await explorer.open(`/console/user-notifications/new?user_id=${receiver.id}`);
    // The list beside it has a column of the same name.
    await page.locator("form [name=title]").fill("Winter");
    await explorer.fill("Text", "Snow.");
    await explorer.page.$eval("input[name=scheduled_at]", (input) => input.value = "2099-01-01T09:00");
    await explorer.click("Save");
    await explorer.page.waitForSelector("::-p-aria([name='Cancel'])");
    assert.equal((await read(`/admin/user-notifications/${idOfPage()}`, administrator)).status, "scheduled");
    await explorer.click("Cancel");
    await explorer.sees("Cancelled.");
    assert.equal((await read(`/admin/user-notifications/${idOfPage()}`, administrator)).status, "cancelled");
  });
});

Deno.test({
  name: "console: an activity and a notification for administrators arrive without a reload, and one is marked as read",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("reviews", "users");
  const author = await signUp();
  const lot = await aLot({ name: "Live" });
  const earlier = await signUp();
  await aReview(lot, "Narrow", earlier);
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, "/console");
    await page.waitForSelector(".console-activity .console-live-live");
    const showsReviewOf = ({ id }: { id: string }) =>
      page.waitForFunction(
        (author) =>
          [...document.querySelectorAll<HTMLElement>(".console-activity li")].some((row) =>
            row.innerText.includes("Posted a review") && row.querySelector(`a[href="#/console/users/${author}"]`)
          ),
        {},
        id,
      );
    await showsReviewOf(earlier);
    const review = await aReview(lot, "Wide", author);
    await showsReviewOf(author);
    const link = `.console-sidebar li.console-unread a[href="#/console/reviews/${review}"]`;
    await page.locator(".console-sidebar summary").click();
    await page.waitForSelector(link);
    await page.$eval(link, (link) => link.closest("li")!.querySelector("button")!.click());
    await page.waitForSelector(`.console-sidebar li:not(.console-unread) a[href="#/console/reviews/${review}"]`);
    const { items } = await read("/admin/notifications?limit=100", administrator);
    assert.ok(items.find((item: { link: string }) => item.link === `/reviews/${review}`).is_read);
  });
});

Deno.test({
  name: "console: a lot that another administrator changed is a choice, and the newer fields stay",
  ignore: !hasBrowser,
}, async () => {
  const [administrator, other] = [await anAdministrator("lots"), await anAdministrator("lots")];
  const lot = await aLot({ name: "Choice" });
  await inExplorer(async (explorer) => {
    await openConsole(explorer, administrator, `/console/parking-lots/${lot}`);
    await explorer.fill("Phone", "03-1234-5678");
    const change = sending("PATCH", { max_height_m: 2.1 });
    assert.equal((await other.ask(`/admin/parking-lots/${lot}`, change)).status, 200);
    await explorer.click("Save");
    await explorer.sees("Changed meanwhile");
    assert.equal((await read(`/admin/parking-lots/${lot}`, administrator)).phone, null);
    await explorer.click("Save mine over it");
    await explorer.sees("Saved.");
    const saved = await read(`/admin/parking-lots/${lot}`, administrator);
    assert.deepEqual([saved.phone, saved.max_height_m], ["03-1234-5678", 2.1]);
    await explorer.open(`/console/parking-lots/${lot}/record`);
    await explorer.sees("03-1234-5678");
  });
});

Deno.test({
  name: "console: an app user is found, gets a preset, and is suspended with a reason that is on record",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("users", "search_presets");
  const person = await signUp({ displayName: MARKUP });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, `/console/users?email=${person.email}`);
    await page.locator(".console-table a").click();
    await explorer.sees(MARKUP);
    assert.equal(await page.$(".console img, .console b"), null);

    await page.locator("main a.button::-p-text(Search presets)").click();
    await page.waitForFunction(() => location.hash.includes("user-search-presets"));
    await explorer.open(`/console/user-search-presets/${person.id}`);
    await explorer.click("New preset");
    await explorer.fill("Name", "Near work");
    await explorer.click("Covered");
    await explorer.click("Save");
    await explorer.sees("Saved.");
    const presets = () => read(`/admin/user-search-presets?user_id=${person.id}`, administrator);
    assert.deepEqual(
      (await presets()).items.map(({ name, query_json }: { name: string; query_json: unknown }) => [name, query_json]),
      [["Near work", { attributes: ["covered"] }]],
    );
    await explorer.click("Delete");
    await explorer.sees("The user has no presets.");
    assert.deepEqual((await presets()).items, []);

    await explorer.open(`/console/users/${person.id}`);
    await page.locator("section ::-p-aria([name='Reason'])").fill("Repeated advertising");
    await explorer.click("Suspend");
    await explorer.sees("Suspended.");
    assert.equal((await read(`/admin/users/${person.id}`, administrator)).status, "suspended");
    await explorer.sees("Reason: Repeated advertising");
  });
});

Deno.test({
  name: "console: a purchase of the sandbox is marked in the list, on its page and at its user, and no other is",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("users");
  const plan = await aPlan();
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, "/console");
    for (const environment of ["Production", "Sandbox"] as const) {
      const user = await signUp();
      const { signed_transaction } = await apple.buy({ product_id: plan, environment });
      const { id } = await verify(user, { platform: "ios", receipt: signed_transaction, product_id: plan });
      const marks = async (path: string, link: string) => {
        await explorer.open(path);
        const found = await page.waitForSelector(link);
        return await found!.evaluate((element) =>
          [...element.parentElement!.querySelectorAll(".chip")].map((chip) => chip.textContent)
        );
      };
      const expected = environment === "Sandbox" ? ["Sandbox"] : [];
      const link = `.console a[href="#/console/subscriptions/${id}"]`;
      assert.deepEqual(await marks(`/console/subscriptions?user_id=${user.id}`, link), expected);
      assert.deepEqual(await marks(`/console/users/${user.id}`, link), expected);
      await explorer.open(`/console/subscriptions/${id}`);
      const heading = await page.waitForSelector(".console h2 ::-p-text(" + plan + ")");
      const text = await heading!.evaluate((element) => element.closest("h2")!.textContent);
      assert.equal(text.includes("Sandbox"), environment === "Sandbox", text);
    }
  });
});

Deno.test({
  name: "console: an entry of reference data is added, edited and deleted, and an error is shown at its field",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("content");
  const slug = `t${crypto.randomUUID().slice(0, 8)}`;
  const tags = async () => (await read(`/admin/tags?q=${slug}`, administrator)).items;
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, "/console/reference/tags/new");
    await page.waitForSelector(".console-schema input[name=slug]");
    await page.locator(".console-schema input[name=name]").fill("Tag");
    await page.locator(".console-schema input[name=slug]").fill(`${slug}-wrong`);
    await page.locator(".console-schema button[type=submit]").click();
    const error = await page.waitForSelector(".console-schema input[name=slug][aria-invalid]");
    assert.ok(await error!.evaluate((input) => input.getAttribute("aria-describedby")?.includes("error")));
    await page.locator(".console-schema input[name=slug]").fill(slug);
    await page.locator(".console-schema button[type=submit]").click();
    await explorer.sees("Added.");
    assert.deepEqual((await tags()).map(({ name, is_active }: Record<string, unknown>) => [name, is_active]), [[
      "Tag",
      true,
    ]]);

    await page.waitForFunction(() => location.hash.split("/").length === 5);
    await page.waitForSelector(".console-schema input[name=name_en]");
    await page.locator(".console-schema input[name=name_en]").fill("English");
    await page.locator(".console-schema button[type=submit]").click();
    await explorer.sees("Saved.");
    assert.deepEqual((await tags()).map(({ name, name_en }: Record<string, unknown>) => [name, name_en]), [[
      "Tag",
      "English",
    ]]);
    await explorer.click("Delete");
    await explorer.click("Delete it");
    await explorer.sees("Deleted.");
    assert.deepEqual(await tags(), []);
  });
});

Deno.test({
  name: "console: a report of a wrong price leads to a price that was simulated, and both are done with one save",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const lot = await aLot({ name: "Reported" });
  const rules = [{ category: "time_band", per_minutes: 30, price_minor: 300, day_type: "all" }];
  const put = await administrator.ask(
    `/admin/parking-lots/${lot}/pricing-rules`,
    sending("PUT", { pricing_rules: rules }),
  );
  assert.equal(put.status, 200, await put.text());
  const report = { parking_lot_id: lot, report_type: "price", description: "The sign says 330." };
  const { id } = await sent("/error-reports", await signUp(), "POST", report);
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, `/console/error-reports/${id}`);
    await explorer.click("Take the report");
    await page.waitForSelector(".price-rules input");
    const figures = () => page.$$eval(".price-stays tbody td:nth-child(4)", (cells) => cells.map((c) => c.textContent));
    await explorer.fill("Price, rule 1", "330");
    await page.waitForFunction(() =>
      document.querySelector(".price-stays tbody td:nth-child(4)")?.textContent === "¥660"
    );
    assert.deepEqual(await figures(), ["¥660", "¥1,980", "¥7,920", "¥7,920"]);
    await explorer.sees("+¥60");
    await explorer.sees("was: Every day, 0:00 to 24:00: ¥300 for each 30 min");

    // The service names what is wrong while it is typed, at its rule.
    await explorer.fill("From, rule 1", "25:00");
    await explorer.sees("Must be a time of day from 00:00 to 24:00.");
    await explorer.fill("From, rule 1", "08:00");
    await explorer.fill("Until, rule 1", "20:00");
    await explorer.sees("no price from 20:00");
    await explorer.fill("From, rule 1", "");
    await explorer.fill("Until, rule 1", "");
    await explorer.fill("Reason, for the record and the driver", "New sign");
    await explorer.click("Save with this reason");
    await explorer.sees("Resolved.");
    const { pricing_rules } = await read(`/admin/parking-lots/${lot}`, administrator);
    assert.deepEqual(pricing_rules.map((rule: Record<string, unknown>) => rule["price_minor"]), [330]);
    assert.equal((await read(`/admin/error-reports/${id}`, administrator)).status, "resolved");
  });
});

Deno.test({
  name: "console: the text of a sign is read, refused with what was not read, and taken over as rules",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const lot = await aLot({ name: "With a sign" });
  const rules = [{ category: "time_band", per_minutes: 60, price_minor: 300, day_type: "all" }];
  const path = `/admin/parking-lots/${lot}/pricing-rules`;
  const put = await administrator.ask(path, sending("PUT", { pricing_rules: rules }));
  assert.equal(put.status, 200, await put.text());
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, `/console/parking-lots/${lot}/price`);
    await explorer.click("From the sign");
    await explorer.fill("Text of the sign", "8:00-20:00 30分200円 20:00-8:00 60分100円 <b>会員</b>は半額");
    await explorer.click("Read the sign");
    await explorer.sees("Parts of the sign were not read");
    const marked = await page.$$eval(".sign-text mark", (marks) => marks.map((mark) => mark.textContent));
    assert.ok(marked.some((text) => text?.includes("会員")), String(marked));
    assert.equal(
      await page.$eval(".price-sign [role=status] button", (button) => (button as HTMLButtonElement).disabled),
      true,
    );

    await explorer.fill("Text of the sign", "8:00-20:00 30分200円 20:00-8:00 60分100円 駐車後24時間最大1,200円");
    await explorer.click("Read the sign");
    await explorer.sees("Everything on the sign was read.");
    const first = await page.$$eval(
      ".price-sign tbody tr:first-child td.number",
      (cells) => cells.map((c) => c.textContent),
    );
    assert.equal(first[0], "¥300");
    assert.equal((await page.$$(".price-sign tbody tr")).length, 8);
    await explorer.click("Put the rules into the editor");
    await explorer.click("Save the prices");
    await explorer.sees("The prices are saved.");
    const { pricing_rules } = await read(`/admin/parking-lots/${lot}`, administrator);
    assert.deepEqual(
      pricing_rules.map((
        rule: Record<string, unknown>,
      ) => [rule["category"], rule["price_minor"] ?? rule["cap_price_minor"]]),
      [["time_band", 200], ["time_band", 100], ["cap", 1200]],
    );
    assert.deepEqual(await findings(explorer), []);
  });
});

Deno.test({
  name: "console: a price of a band is for some units only, and then for any number again",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const lot = await aLot({ name: "Steps" });
  const band = { time_start: "08:00", time_end: "22:00", day_type: "all" };
  const put = await administrator.ask(
    `/admin/parking-lots/${lot}/pricing-rules`,
    sending("PUT", {
      pricing_rules: [
        { category: "time_band", per_minutes: 60, price_minor: 120, max_units: 4, ...band },
        { category: "time_band", per_minutes: 60, price_minor: 30, day_type: "all" },
      ],
    }),
  );
  assert.equal(put.status, 200, await put.text());
  const stored = async () =>
    (await read(`/admin/parking-lots/${lot}`, administrator)).pricing_rules
      .map((rule: Record<string, unknown>) => rule["max_units"]);
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, `/console/parking-lots/${lot}/price`);
    await explorer.fill("Units, rule 1", "2");
    // Twelve hours from 8:00: 2 x 120 and 10 x 30.
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".price-stays tbody td:nth-child(4)")].some((cell) => cell.textContent === "¥540")
    );
    await explorer.sees(
      "was: Every day, 08:00 to 22:00: ¥120 for each 60 min, for at most 4 units each time these hours come",
    );
    await explorer.fill("Units, rule 1", "0");
    await explorer.sees("Must be at least 1.");
    await explorer.fill("Units, rule 1", "2");
    assert.deepEqual(await findings(explorer), []);
    await explorer.click("Save the prices");
    await explorer.sees("The prices are saved.");
    assert.deepEqual(await stored(), [2, null]);
    await explorer.click("for any number of units");
    await page.waitForFunction(() => !document.querySelector("input[aria-label='Units, rule 1']"));
    await explorer.click("for some units only");
    await page.waitForSelector("input[aria-label='Units, rule 1']");
    await explorer.click("for any number of units");
    await explorer.click("Save the prices");
    await page.waitForFunction(() => document.querySelector(".price-rules .is-changed") === null);
  });
});

Deno.test({
  name: "console: prices that another administrator saved meanwhile are shown and stay",
  ignore: !hasBrowser,
}, async () => {
  const [administrator, other] = [await anAdministrator("lots"), await anAdministrator("lots")];
  const lot = await aLot({ name: "Two editors" });
  const put = (price: number) =>
    other.ask(
      `/admin/parking-lots/${lot}/pricing-rules`,
      sending("PUT", {
        pricing_rules: [{ category: "time_band", per_minutes: 30, price_minor: price, day_type: "all" }],
      }),
    );
  await (await put(300)).body?.cancel();
  await inExplorer(async (explorer) => {
    await openConsole(explorer, administrator, `/console/parking-lots/${lot}/price`);
    await explorer.fill("Price, rule 1", "330");
    await (await put(400)).body?.cancel();
    await explorer.click("Save the prices");
    await explorer.sees("Changed meanwhile");
    await explorer.sees("¥400 for each 30 min");
    const { pricing_rules } = await read(`/admin/parking-lots/${lot}`, administrator);
    assert.deepEqual(pricing_rules.map((rule: Record<string, unknown>) => rule["price_minor"]), [400]);
  });
});

Deno.test({
  name: "console: a colleague is invited with one area, gets another one, and is suspended",
  ignore: !hasBrowser,
}, async () => {
  const chief = await anAdministrator("admins");
  const email = `colleague-${crypto.randomUUID()}@example.com`;
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, chief, "/console/admins/new");
    await page.locator(".console-schema input[name=email]").fill(email);
    await page.locator(".console-schema input[name=name]").fill("Colleague");
    await page.locator(".console-schema input[value=reviews]").click();
    await page.locator(".console-schema button[type=submit]").click();
    await explorer.sees("Added.");
    await page.waitForFunction(() => !location.hash.endsWith("/new"));
    const id = page.url().split("/").at(-1)!;
    const colleague = () => read(`/admin/admins/${id}`, chief);
    assert.deepEqual([(await colleague()).email, (await colleague()).areas], [email, ["reviews"]]);
    await page.waitForSelector(".console-schema input[value=support]");
    await page.locator(".console-schema input[value=support]").click();
    await explorer.click("Save");
    await explorer.sees("Saved.");
    assert.deepEqual((await colleague()).areas.toSorted(), ["reviews", "support"]);
    await page.locator(".console-panel ::-p-aria([name='Reason'])").fill("Left the team");
    await explorer.click("Suspend");
    await explorer.sees("Suspended.");
    assert.equal((await colleague()).status, "suspended");
  });
});

Deno.test({
  name: "console: lots of a file are checked, a bad cell is corrected, and the valid rows are imported",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const source = `file-${crypto.randomUUID().slice(0, 8)}`;
  const bad = new Map([[3, "95"], [10, "north"], [250, ""], [499, "-91"]]);
  const rows = Array.from({ length: 500 }, (_, nth) => `${nth},"Lot, ${nth}",${bad.get(nth) ?? "-35.5"},100.5,12`);
  const file = await Deno.makeTempFile({ suffix: ".csv" });
  await Deno.writeTextFile(file, `id,name,latitude,longitude,capacity\n${rows.join("\n")}\n`);
  try {
    await inExplorer(async (explorer) => {
      const { page } = explorer;
      await openConsole(explorer, administrator, "/console/parking-lots/import");
      const input = await page.waitForSelector<"input">(".console-import input[type=file]" as "input");
      await input!.uploadFile(file);
      await explorer.click("Read the file");
      await explorer.sees("500 rows");
      await page.locator(".console-import input[name=source]").fill(source);
      await explorer.click("Check without writing");
      await explorer.sees("496 new, 0 changed, 0 unchanged, 4 rejected.");
      const wrong = await page.$$eval(".console-import-rows td.is-wrong", (cells) => cells.length);
      assert.ok(wrong >= 3, String(wrong));
      const stored = () => read(`/admin/parking-lots?source=${source}`, administrator);
      assert.deepEqual((await stored()).items, [], "nothing is written before");
      await page.locator("::-p-aria([name='latitude, row 5'])").fill("-35.5");
      await page.keyboard.press("Tab");
      await explorer.click("Check again");
      await explorer.sees("497 new, 0 changed, 0 unchanged, 3 rejected.");
      await explorer.click("Import 497 lots");
      await explorer.sees("What the import did");
      await explorer.sees("497 new, 0 changed, 0 unchanged, 3 rejected.");
      assert.ok((await stored()).items.length > 0);
    });
  } finally {
    await Deno.remove(file);
  }
});

Deno.test({
  name: "console: a file in Latin-1 is read in the encoding that is chosen, and its outlines are those of the lots",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const source = `file-${crypto.randomUUID().slice(0, 8)}`;
  const area = { type: "Polygon", coordinates: [[[6.14, 46.2], [6.15, 46.2], [6.15, 46.21], [6.14, 46.2]]] };
  const outline = JSON.stringify(area).replaceAll('"', '""');
  const rows = ["id;name;area", `1;Genève, Parking;"${outline}"`, '2;Genève, gare;"{broken"', "3;Köln", ""];
  const file = await Deno.makeTempFile({ suffix: ".csv" });
  await Deno.writeFile(file, encoded(rows.join("\r\n"), "windows-1252"));
  try {
    await inExplorer(async (explorer) => {
      const { page } = explorer;
      await openConsole(explorer, administrator, "/console/parking-lots/import");
      const input = await page.waitForSelector<"input">(".console-import input[type=file]" as "input");
      await input!.uploadFile(file);
      await explorer.click("Read the file");
      await explorer.sees("Choose the one in which the text is right.");
      await explorer.sees("1;Genève, Parking;");
      await explorer.sees("1;Gen钁e, Parking;");
      assert.equal(await page.$(".console-import input[name=source]"), null, "nothing is read before");
      await page.locator(".console-import select[name=encoding]").fill("windows-1252");
      await explorer.sees("2 rows");
      await explorer.sees("Row 4: 2 fields under a header of 3");
      await page.locator(".console-import input[name=source]").fill(source);
      await explorer.click("Check without writing");
      await explorer.sees("1 new, 0 changed, 0 unchanged, 1 rejected.");
      await explorer.click("Import 1 lots");
      await explorer.sees("What the import did");
      const { items } = await read(`/admin/parking-lots?source=${source}`, administrator);
      assert.deepEqual(items.map(({ name }: { name: string }) => name), ["Genève, Parking"]);
      const lot = await read(`/admin/parking-lots/${items[0].id}`, administrator);
      assert.deepEqual(lot.area, area);
    });
  } finally {
    await Deno.remove(file);
  }
});

Deno.test({
  name: "console: keys open and decide the entries of a queue, and find a lot; they can be turned off",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("reviews", "lots");
  const name = `Keys ${crypto.randomUUID().slice(0, 8)}`;
  const lot = await aLot({ name });
  const reviews = [await aReview(lot, "One"), await aReview(lot, "Two"), await aReview(lot, "Three")];
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, `/console/reviews?parking_lot_id=${lot}`);
    await explorer.sees("Three");
    await page.keyboard.press("j");
    for (const review of reviews) {
      await page.waitForFunction((id) => location.hash.includes(id), {}, review);
      await page.waitForSelector(".console-queue-open button.primary");
      await page.keyboard.press("e");
    }
    await explorer.sees("There is no further entry.");
    for (const review of reviews) {
      assert.equal((await read(`/admin/reviews/${review}`, administrator)).status, "approved");
    }
    await page.keyboard.down("Control");
    await page.keyboard.press("k");
    await page.keyboard.up("Control");
    await page.waitForFunction(() => document.activeElement?.matches(".console-finder input"));
    await page.keyboard.type(name);
    await page.waitForSelector(`.console-found a[href="#/console/parking-lots/${lot}"]`);
    await page.keyboard.press("Enter");
    await page.waitForFunction((id) => location.hash.endsWith(id), {}, lot);
    await page.waitForSelector(".console-schema");
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("?");
    await explorer.click("Single letters are keys");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { hidden: true });
    await page.keyboard.press("?");
    assert.equal(await page.$("dialog[open]"), null);
  });
});
