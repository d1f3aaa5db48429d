/// <reference lib="dom" />
// The console of the explorer: what an administrator sees and does there, and what the service has afterwards.
import assert from "node:assert/strict";
import { type Administrator, anAdministrator, sending } from "../api/administrators.ts";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { aLot } from "../api/lots.ts";
import { aPlan, apple, verify } from "../api/purchases.ts";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { hasBrowser } from "../support/browser.ts";
import { type Explorer, inExplorer } from "./explorer.ts";

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

Deno.test({
  name: "console: an administrator sees the screens of their areas, and a plain user sees none",
  ignore: !hasBrowser,
}, async () => {
  const [administrator, chief] = [await anAdministrator("reviews", "support"), await anAdministrator("admins")];
  await inExplorer(async (explorer) => {
    await openConsole(explorer, administrator, "/console");
    await explorer.sees("Open work");
    const names = await explorer.page.$$eval(".console-nav a", (links) => links.map((link) => link.textContent));
    assert.deepEqual(
      names.filter((name) => name !== null).slice(0, 6),
      ["Overview", "Reviews", "Support tickets", "Jobs", "Dead messages", "Record of acts"],
    );
    await explorer.open("/console/users");
    const rejected = await (await administrator.ask("/admin/users")).json();
    await explorer.sees(rejected.error.message);

    // An area that is taken away is offered until the service rejects the next request.
    await explorer.open("/console");
    await explorer.sees("Open work");
    const areas = sending("PATCH", { areas: ["support"] });
    assert.equal((await chief.ask(`/admin/admins/${administrator.id}`, areas)).status, 200);
    await explorer.page.locator(".console-nav a[href='#/console/reviews']").click();
    await explorer.sees((await (await administrator.ask("/admin/reviews")).json()).error.message);
    await explorer.page.waitForFunction(() =>
      document.querySelector(".console-nav a[href='#/console/reviews']") === null
    );
    await explorer.click("Sign out");
    await explorer.sees("Sign in as an administrator");
    await explorer.signIn(await signUp());
    await explorer.sees("this account is not an active administrator");
    assert.equal(await explorer.page.$(".console-nav"), null);
    assert.equal(await explorer.page.$("header a[href='#/console']"), null);
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
    assert.ok(page.url().includes(second));
    assert.ok(await page.evaluate(() => document.activeElement?.matches(".console-queue-open")));
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
    await page.waitForSelector("::-p-aria([name='Reject'])");
    const seen = await read(`/admin/reviews/${third}`, other);
    const approval = { status: "approved", seen_updated_at: seen.updated_at };
    assert.equal((await other.ask(`/admin/reviews/${third}`, sending("PATCH", approval))).status, 200);
    await page.locator(".console-queue-open textarea").fill("Not kind");
    await explorer.click("Reject");
    await explorer.sees("Changed meanwhile");
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
    const idOfPage = () => explorer.page.url().split("/").at(-1)!;
    await openConsole(explorer, administrator, `/console/user-notifications/new?user_id=${receiver.id}`);
    await explorer.fill("Title", "Autumn");
    await explorer.fill("Text", "New lots at the station.");
    await explorer.click("Count the receivers");
    await explorer.sees("Receivers: 1. Devices: 1.");
    await explorer.click("Save");
    await explorer.sees("Delivered: 0");
    const id = idOfPage();
    assert.equal((await read(`/admin/user-notifications/${id}`, administrator)).status, "draft");
    await explorer.click("Send now");
    const counted = explorer.sees("Delivered: 1");
    await eventually(async () => {
      await (await dispatch()).body?.cancel();
      return (await read(`/admin/user-notifications/${id}`, administrator)).status === "sent" || undefined;
    }, 30_000);
    await counted;
    const inbox = await (await ask("/me/notifications", { headers: bearer(receiver.token) })).json();
    assert.deepEqual(inbox.items.map(({ title }: { title: string }) => title), ["Autumn"]);

    await explorer.open(`/console/user-notifications/new?user_id=${receiver.id}`);
    await explorer.fill("Title", "Winter");
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
            row.innerText.includes("Posted a review") && row.innerText.includes(author)
          ),
        {},
        id.slice(0, 8),
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
    await explorer.sees("phone: – → 03-1234-5678");
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

    await explorer.click("Search presets");
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
    await explorer.sees("reason: Repeated advertising");
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
