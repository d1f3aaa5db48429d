/// <reference lib="dom" />
// The explorer without a connection: what opens, what counts on, what waits and is sent once; lost parts and new versions.
import assert from "node:assert/strict";
import type { HTTPRequest, Page } from "puppeteer-core";
import { anAdministrator } from "../api/administrators.ts";
import { eventually } from "../support/eventually.ts";
import { asUser, type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { age, aPricedLot, post } from "../api/sessions.ts";
import { type Proxy, proxyTo } from "../realtime/proxy.ts";
import { hasBrowser } from "../support/browser.ts";
import { choosePhoto, type Explorer, inExplorer, moveClock, shortenWaits } from "./explorer.ts";

const ignore = !hasBrowser;

/** Waits until the browser has the application for times without a connection. */
async function kept(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, { polling: 50 });
}

/** Has the browser keep the application at once. By itself the page does so when it has loaded everything. */
async function keep(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("service_worker.js", { updateViaCache: "none" });
  });
  await kept(page);
}

/** Opens the page again, without a connection. */
async function openOffline({ page }: Explorer, proxy: Proxy, path: string): Promise<void> {
  proxy.setOffline(true);
  await page.evaluate((path) => history.replaceState(null, "", `#${path}`), path);
  await page.reload();
  await page.waitForSelector("header.top");
}

/** A running session of ten minutes at a lot of its own. */
async function aSession(person: Person, name: string): Promise<{ id: string; lot: string }> {
  const lot = await aPricedLot({ name });
  const { session_id } = await (await post("", person.token, { parking_lot_id: lot })).json();
  await age(session_id, 10);
  return { id: session_id, lot };
}

/** What the browser keeps in a store of the application. */
function entriesOf<Entry>(page: Page, store: "reads" | "waiting"): Promise<Entry[]> {
  return page.evaluate((store) =>
    new Promise<Entry[]>((resolve) => {
      const opening = indexedDB.open("explorer");
      opening.onsuccess = () => {
        const all = opening.result.transaction(store).objectStore(store).getAll();
        all.onsuccess = () => {
          opening.result.close();
          resolve(all.result);
        };
      };
    }), store);
}

/** Waits until the entries of a store are as they must be. */
async function untilKept<Entry>(page: Page, store: "reads" | "waiting", isRight: (entries: Entry[]) => boolean) {
  await eventually(async () => isRight(await entriesOf<Entry>(page, store)) || undefined);
}

interface Read {
  readonly user: string;
  readonly address: string;
}

interface Waiting {
  readonly id: string;
  readonly user: string;
  readonly kind: string;
  readonly body: string;
}

/** Tells the page that the connection is back, as the browser does where it knows. */
async function goOnline(page: Page, proxy: Proxy): Promise<void> {
  proxy.setOffline(false);
  await page.evaluate(() => dispatchEvent(new Event("online")));
}

Deno.test(
  { name: "explorer offline: a guest sees the last search, for the stay of then, and a lot of it", ignore },
  async () => {
    const [lat, lng] = [-(45 + Math.random()), -(110 + Math.random())];
    const lot = await aPricedLot({ lat, lng, name: "Basement lot" });
    await using proxy = proxyTo(stack().apiUrl);
    await inExplorer(async (explorer) => {
      const { page, open, sees } = explorer;
      await shortenWaits(page);
      await open(`/?lat=${lat}&lng=${lng}`);
      await sees("Basement lot");
      await open(`/lots/${lot}`);
      await sees("Basement lot");
      await kept(page);
      // Half an hour later the usual stay is another one.
      await moveClock(page, 30);
      await openOffline(explorer, proxy, "/");
      await sees("Basement lot");
      await sees("No connection. The page shows what was known");
      assert.match(page.url(), /entry=.*exit=/, "the address says for which stay");
      await openOffline(explorer, proxy, `/lots/${lot}`);
      await sees("Basement lot");
      await sees("¥");
      assert.match(page.url(), /entry_at=/);
      // A page that was never opened is there; what it shows is not.
      await open("/rewards");
      await sees("Sign in to see this page.");
      // With a connection the page reads again by itself.
      await open("/");
      await sees("No connection. The page shows what was known");
      await goOnline(page, proxy);
      await page.waitForFunction(() => !document.body.innerText.includes("No connection."), { polling: 50 });
    }, { apiUrl: proxy.apiUrl, keepsApplication: true });
  },
);

Deno.test({ name: "explorer offline: a saved lot opens that this browser never opened", ignore }, async () => {
  const person = await signUp();
  const lot = await aPricedLot({ name: "Saved lot" });
  await (await asUser(person)("/me/saved-parking-lots", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ parking_lot_id: lot }),
  })).body?.cancel();
  await using proxy = proxyTo(stack().apiUrl);
  await inExplorer(async (explorer) => {
    const { page, open, sees, signIn } = explorer;
    await shortenWaits(page);
    await open("/account/saved");
    await signIn(person);
    await sees("Saved lot");
    await kept(page);
    const isLotKept = ({ address }: Read) => address.startsWith(`/functions/v1/parking-lots/${lot}?`);
    await untilKept<Read>(page, "reads", (reads) => reads.some(isLotKept));
    await openOffline(explorer, proxy, "/account/saved");
    await sees("Saved lot");
    await page.evaluate((id) => location.hash = `#/lots/${id}`, lot);
    await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Saved lot", { polling: 50 });

    // Who signs out leaves nothing behind.
    proxy.setOffline(false);
    const values = () =>
      page.evaluate(() => ["last_search", "parking_plan", "vehicle"].map((key) => localStorage.getItem(key)));
    await page.evaluate(() => {
      localStorage.setItem("vehicle", '{"height_m":"2.1"}');
      localStorage.setItem("last_search", "{}");
      localStorage.setItem("parking_plan", "{}");
    });
    await open("/account");
    await explorer.click("Sign out");
    await sees("Sign in to see this page.");
    await untilKept<Read>(page, "reads", (reads) => reads.every(({ user }) => user === ""));
    assert.deepEqual(await values(), [null, null, null]);
  }, { apiUrl: proxy.apiUrl, keepsApplication: true });
});

Deno.test({
  name: "explorer offline: a running session opens, counts on, ends at the time of the tap, and its end is sent once",
  ignore,
}, async () => {
  const person = await signUp();
  const { id } = await aSession(person, "Second basement");
  await using proxy = proxyTo(stack().apiUrl);
  await inExplorer(async (explorer) => {
    const { page, sees, click } = explorer;
    await shortenWaits(page);
    await explorer.open("/session");
    await explorer.signIn(person);
    await sees("¥200");
    await keep(page);
    proxy.setOffline(true);
    // The open page says so, and its meter goes on by the curve that it knows.
    await sees("Offline. The page follows again when there is a connection.");
    await sees("Without a connection the fee goes on by the prices that were read last.");
    await sees("¥400 from");
    await openOffline(explorer, proxy, "/session");
    await sees("Second basement");
    await sees("¥200");
    await click("End parking");
    await click("End and keep the receipt");
    await sees("1 change waits for a connection.");
    await sees("The end of this session waits for a connection.");
    const tapped = Date.now();
    const waits = await entriesOf<Waiting>(page, "waiting");
    assert.equal(waits.length, 1);
    // It outlives the page.
    await openOffline(explorer, proxy, "/session");
    await sees("1 change waits for a connection.");
    // The browser does not always know that there is a connection: the page tries again by itself.
    proxy.setOffline(false);
    await sees("You are not parked.");
    await page.waitForFunction(() => !document.body.innerText.includes("waits for a connection"), { polling: 50 });
    const session = await (await asUser(person)(`/me/parking-sessions/${id}`)).json();
    assert.deepEqual([session.status, session.total_amount_minor], ["ended", 200]);
    assert.ok(Date.parse(session.ended_at) <= tapped, "the end is the tap, not the sending");
    // The same request with the same key has the first reply: it was sent with its key.
    const again = await post(`/${id}/finalize`, person.token, JSON.parse(waits[0]!.body), {
      "Idempotency-Key": waits[0]!.id,
    });
    await again.body?.cancel();
    assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [200, "true"]);
  }, { apiUrl: proxy.apiUrl, keepsApplication: true });
});

Deno.test({
  name: "explorer offline: notes wait; a change that the service refuses shows the reason and can be discarded",
  ignore,
}, async () => {
  const person = await signUp();
  const { id } = await aSession(person, "Lot of notes");
  await (await post(`/${id}/finalize`, person.token, { exit_at: new Date().toISOString() })).body?.cancel();
  const other = await aSession(person, "Lot of two ends");
  await using proxy = proxyTo(stack().apiUrl);
  await inExplorer(async (explorer) => {
    const { page, sees, click } = explorer;
    await shortenWaits(page);
    await explorer.open("/session");
    await explorer.signIn(person);
    await sees("Lot of two ends");
    await explorer.open(`/session/${id}`);
    await sees("Memo");
    await keep(page);
    await openOffline(explorer, proxy, `/session/${id}`);
    await explorer.fill("Memo", "Pillar <b>B2</b>");
    await click("Save");
    await sees("1 change waits for a connection.");
    await page.evaluate(() => location.hash = "#/session");
    await click("End parking");
    await click("End and keep the receipt");
    await sees("2 changes wait for a connection.");
    // Meanwhile the session is ended elsewhere, at another time.
    await (await post(`/${other.id}/finalize`, person.token, { exit_at: new Date(Date.now() - 300_000).toISOString() }))
      .body?.cancel();
    await goOnline(page, proxy);
    await sees("A change that you made without a connection was not accepted.");
    await sees("This session has ended.");
    const session = await (await asUser(person)(`/me/parking-sessions/${id}`)).json();
    assert.equal(session.memo, "Pillar <b>B2</b>");
    await click("Discard");
    await page.waitForFunction(() => !document.body.innerText.includes("was not accepted"), { polling: 50 });
  }, { apiUrl: proxy.apiUrl, keepsApplication: true });
});

Deno.test({
  name: "explorer offline: a photo cannot wait, and the end of a session that waits is not written twice",
  ignore,
}, async () => {
  const person = await signUp();
  await aSession(person, "Lot of a photo");
  await using proxy = proxyTo(stack().apiUrl);
  await inExplorer(async ({ page, open, signIn, sees, click, fill }) => {
    await shortenWaits(page);
    await open("/session");
    await signIn(person);
    await sees("¥200");
    await keep(page);
    proxy.setOffline(true);
    await click("End parking");
    await page.locator("dialog input[value=other]").click();
    await fill("Amount of the machine (JPY)", "900");
    await choosePhoto(page, "receipt");
    await click("End and keep the receipt");
    await sees("Photos cannot be sent without a connection.");
    const kinds = async () => (await entriesOf<Waiting>(page, "waiting")).map(({ kind }) => kind).sort();
    assert.deepEqual(await kinds(), ["session_end"]);
    await click("Remove photo 1");
    await click("End and keep the receipt");
    await sees("2 changes wait for a connection.");
    assert.deepEqual(await kinds(), ["error_report", "session_end"]);
  }, { apiUrl: proxy.apiUrl, keepsApplication: true });
});

Deno.test({
  name:
    "explorer offline: signing out loses nothing unasked, and what waits is not sent or kept when another user is there",
  ignore,
}, async () => {
  const [person, other] = [await signUp(), await signUp()];
  const { id } = await aSession(person, "Lot of one of two");
  await using proxy = proxyTo(stack().apiUrl);
  await inExplorer(async (explorer) => {
    const { page, open, sees, click } = explorer;
    await shortenWaits(page);
    await open("/session");
    await explorer.signIn(person);
    await sees("¥200");
    await keep(page);
    await openOffline(explorer, proxy, "/session");
    await click("End parking");
    await click("End and keep the receipt");
    await sees("The end of this session waits for a connection.");
    await open("/account");
    await click("Sign out");
    await sees("Changes that were not sent are lost when you sign out.");
    await click("Sign out and lose them");
    await sees("There is no connection.");
    await page.keyboard.press("Escape");
    await sees("1 change waits for a connection.");
    assert.equal((await entriesOf<Waiting>(page, "waiting")).length, 1);

    // Another user has signed in in this browser, for example in another tab by the link of a mail.
    await page.evaluate(({ id, token, refreshToken }) => {
      const name = Object.keys(localStorage).find((key) => /^sb-.*-auth-token$/.test(key))!;
      const session = JSON.parse(localStorage.getItem(name)!);
      const theirs = { ...session, user: { ...session.user, id }, access_token: token, refresh_token: refreshToken };
      localStorage.setItem(name, JSON.stringify(theirs));
    }, other);
    await page.reload();
    await untilKept<Waiting>(page, "waiting", (waits) => waits.length === 0);
    await untilKept<Read>(
      page,
      "reads",
      (reads) => reads.every(({ user }) => user === "" || user === other.id),
    );
    await open("/session");
    await goOnline(page, proxy);
    await sees("You are not parked.");
    assert.ok(!await page.evaluate(() => document.body.innerText.includes("Lot of one of two")));
    assert.equal((await (await asUser(person)(`/me/parking-sessions/${id}`)).json()).status, "parking");
  }, { apiUrl: proxy.apiUrl, keepsApplication: true });
});

/** Answers requests for a part of the application otherwise, and counts them. */
async function instead(page: Page, part: RegExp, answer: (request: HTTPRequest, count: number) => Promise<void>) {
  let count = 0;
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    if (part.test(request.url())) void answer(request, ++count);
    else void request.continue();
  });
  return () => count;
}

Deno.test({ name: "explorer offline: a change does not overtake one that cannot be sent yet", ignore }, async () => {
  const person = await signUp();
  const lots = ["Lot of the first memo", "Lot of the second memo"];
  const ids: string[] = [];
  for (const name of lots) {
    const lot = await aPricedLot({ name });
    const { session_id } = await (await post("", person.token, { parking_lot_id: lot })).json();
    await (await post(`/${session_id}/finalize`, person.token, { exit_at: new Date().toISOString() })).body?.cancel();
    ids.push(session_id);
  }
  const memos = () =>
    Promise.all(ids.map(async (id) => (await (await asUser(person)(`/me/parking-sessions/${id}`)).json()).memo));
  await inExplorer(async ({ page, open, signIn, sees, click, fill }) => {
    let isLost = true;
    await instead(
      page,
      new RegExp(`/me/parking-sessions/${ids[0]}$`),
      (request) => isLost && request.method() === "PATCH" ? request.abort("connectionfailed") : request.continue(),
    );
    await open("/session");
    await signIn(person);
    for (const [n, id] of ids.entries()) {
      await page.evaluate((id) => location.hash = `#/session/${id}`, id);
      await sees(lots[n]!);
      await fill("Memo", `Memo ${n + 1}`);
      await click("Save");
      await sees(n === 0 ? "1 change waits for a connection." : "2 changes wait for a connection.");
    }
    assert.deepEqual(await memos(), [null, null], "the second one waits for the first one");
    isLost = false;
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await eventually(async () => (await memos()).every((memo) => memo !== null) || undefined);
    assert.deepEqual(await memos(), ["Memo 1", "Memo 2"]);
  });
});

Deno.test({
  name: "explorer: a part that is lost once is requested again, and the page goes on without a reload",
  ignore,
}, async () => {
  const lot = await aPricedLot({ name: "Lot of a lost part" });
  await inExplorer(async ({ page, open, sees }) => {
    const requests = await instead(
      page,
      /\/lot_page-\w+\.js/,
      (request, count) => count === 1 ? request.abort("connectionfailed") : request.continue(),
    );
    await open("/account");
    await sees("Sign in to see this page.");
    await page.evaluate((id) => {
      document.body.dataset["mark"] = "first";
      location.hash = `#/lots/${id}`;
    }, lot);
    await sees("Lot of a lost part");
    assert.deepEqual([requests(), await page.evaluate(() => document.body.dataset["mark"])], [2, "first"]);
  });
});

Deno.test({
  name: "explorer: a part that the host does not have reloads the page once, and then shows a message with a button",
  ignore,
}, async () => {
  const lot = await aPricedLot({ name: "Lot of a gone part" });
  await inExplorer(async ({ page, open, sees, click }) => {
    let isGone = true;
    await instead(
      page,
      /\/lot_page-\w+\.js/,
      (request) => isGone ? request.respond({ status: 410, body: "" }) : request.continue(),
    );
    let loads = 0;
    page.on("load", () => loads++);
    await open("/account");
    await sees("Sign in to see this page.");
    await page.evaluate((id) => location.hash = `#/lots/${id}`, lot);
    await sees("This part of the page could not be loaded.");
    assert.equal(loads, 2, "the first visit and one reload");
    isGone = false;
    await click("Reload");
    await sees("Lot of a gone part");
  });
});

/** The host of the application with a version of its own: the files of the gateway, under another version. */
function hostOf(version: () => string) {
  const { apiUrl } = stack();
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers, body } = request;
    const passed = new Headers(headers);
    passed.delete("accept-encoding");
    if (/\/explore\/($|service_worker\.js$)/.test(pathname)) passed.delete("if-none-match");
    const reply = await fetch(`${apiUrl}${pathname}${search}`, { method, headers: passed, body, redirect: "manual" });
    if (!/\/explore\/($|service_worker\.js$)/.test(pathname)) return reply;
    const text = (await reply.text()).replace(/((?:name="version" content|"version")[=:]")(\w+)/, `$1${version()}$2`);
    const { status } = reply;
    return new Response(text, { status, headers: { "content-type": reply.headers.get("content-type")! } });
  });
}

Deno.test({
  name: "explorer: a new version is offered and never forced, and the page goes on with it after the button",
  ignore,
}, async () => {
  let version = "1";
  await using host = hostOf(() => version);
  await inExplorer(async ({ page, open, sees, click }) => {
    const shown = () => page.$eval("meta[name=version]", (meta) => (meta as HTMLMetaElement).content[0]);
    await open("/account");
    await sees("Sign in to see this page.");
    await kept(page);
    assert.equal(await shown(), "1");
    await page.evaluate(() => document.body.dataset["mark"] = "first");
    version = "2";
    await page.evaluate(async () => await (await navigator.serviceWorker.ready).update());
    await sees("A new version is there.");
    assert.deepEqual([await shown(), await page.evaluate(() => document.body.dataset["mark"])], ["1", "first"]);
    await Promise.all([page.waitForNavigation(), click("Reload")]);
    await sees("Sign in to see this page.");
    assert.equal(await shown(), "2");
    // A page of the newest version is not offered it.
    await kept(page);
    assert.ok(!await page.evaluate(() => document.body.innerText.includes("A new version is there.")));
  }, { apiUrl: `http://127.0.0.1:${host.addr.port}`, keepsApplication: true });
});

Deno.test({ name: "explorer: a browser whose language is none loses no page", ignore }, async () => {
  const person = await signUp();
  await aSession(person, "Lot without a locale");
  const administrator = await anAdministrator("users", "notifications");
  await inExplorer(async ({ page, open, sees, signIn, click, elsewhere }) => {
    assert.throws(() => new Intl.Locale("en-US@posix"), RangeError);
    assert.equal(await page.evaluate(() => navigator.language), "en-US@posix");
    await open("/session");
    await signIn(person);
    await sees("¥200");
    await click("End parking");
    await sees("When did you leave?");
    await open("/");
    await page.waitForSelector(".maplibregl-canvas");
    // The charts of the console are of a library that asks for the numbers of the browser's language.
    const console = await elsewhere("/console");
    await console.signIn(administrator);
    await console.page.waitForSelector(".chart-drawing canvas");
  }, { hasLocale: false, hasMaps: true });
});

Deno.test({ name: "explorer: who goes back comes to the same place of the page", ignore }, async () => {
  const lot = await aPricedLot({ name: "Lot with a long page" });
  await inExplorer(async ({ page, open, sees }) => {
    await open(`/lots/${lot}`);
    await sees("Lot with a long page");
    await page.evaluate(() => scrollTo(0, 500));
    await page.waitForFunction(() => scrollY === 500);
    await page.evaluate(() => location.hash = "#/account");
    await sees("Sign in to see this page.");
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.goBack();
    await page.waitForFunction(() => scrollY === 500, { polling: 50 });
    assert.ok(await page.evaluate(() => document.body.innerText.includes("Lot with a long page")));
    await page.reload();
    await page.waitForFunction(() => scrollY === 500, { polling: 50 });
  }, { width: 360, height: 640 });
});
