/// <reference lib="dom" />
// Work of administrators from its question to its end: a wrong price in few clicks, many reviews by keys alone, a badge that
// is built and counted, and questions of own areas only.
import assert from "node:assert/strict";
import { type Administrator, anAdministrator, sending } from "../api/administrators.ts";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { aLot, inDatabase } from "../api/lots.ts";
import { hasBrowser } from "../support/browser.ts";
import { signUp } from "../support/people.ts";
import { runJob } from "../support/rows.ts";
import { volume } from "../support/sizes.ts";
import { type Explorer, inExplorer } from "./explorer.ts";

async function openConsole(explorer: Explorer, administrator: Administrator, path: string): Promise<void> {
  await explorer.open(path);
  await explorer.signIn(administrator);
  await explorer.page.waitForSelector(".console");
}

async function read(path: string, administrator: Administrator) {
  const response = await administrator.ask(path);
  assert.equal(response.status, 200, path);
  return await response.json();
}

Deno.test({
  name: "console: a driver's wrong price is a question of the overview, and is corrected in at most 12 clicks",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const name = `Price ${crypto.randomUUID().slice(0, 8)}`;
  const lot = await aLot({ name });
  const rules = [{ category: "time_band", per_minutes: 30, price_minor: 300, day_type: "all" }];
  const path = `/admin/parking-lots/${lot}/pricing-rules`;
  const put = await administrator.ask(path, sending("PUT", { pricing_rules: rules }));
  assert.equal(put.status, 200, await put.text());
  const driver = await signUp({ displayName: "Aoi" });
  const report = { parking_lot_id: lot, report_type: "price", description: "The sign says 330." };
  const posted = await ask("/error-reports", { method: "POST", ...jsonBody(report, bearer(driver.token)) });
  assert.equal(posted.status, 201, await posted.clone().text());
  const { id } = await posted.json();
  // Twenty others, so that the list is longer than the window.
  const others = [await signUp(), await signUp()];
  for (const other of others) {
    await inDatabase((sql) =>
      sql`insert into public.error_reports (parking_lot_id, parking_lot_name, user_id, report_type, description)
        select ${lot}, 'Another', ${other.id}, 'other', 'Other ' || n from generate_series(1, 10) n`
    );
  }
  // The oldest report is the first question.
  await inDatabase((sql) => sql`update public.error_reports set created_at = '2020-01-01T00:00:00Z' where id = ${id}`);
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, "/console");
    await page.waitForSelector(`.questions a[href="#/console/error-reports/${id}"]`);
    const start = performance.now();
    await page.evaluate(() => {
      (globalThis as unknown as { clicks: number }).clicks = 0;
      addEventListener(
        "click",
        (event) => event.isTrusted && (globalThis as unknown as { clicks: number }).clicks++,
        true,
      );
    });
    await page.locator(`.questions a[href="#/console/error-reports/${id}"]`).click();
    await explorer.sees("The sign says 330.");
    await explorer.click("Take the report");
    await page.waitForSelector(".price-rules input");
    await explorer.fill("Price, rule 1", "330");
    await page.waitForFunction(() =>
      document.querySelector(".price-stays tbody td:nth-child(4)")?.textContent === "¥660"
    );
    await explorer.fill("Reason, for the record and the driver", "The photo of the sign");
    await explorer.click("Save with this reason");
    await explorer.sees("Resolved.");
    const clicks = await page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks);
    console.log(`A wrong price: ${clicks} clicks, ${Math.round(performance.now() - start)} ms`);
    assert.ok(clicks <= 12, `${clicks} clicks`);
    const { pricing_rules } = await read(`/admin/parking-lots/${lot}`, administrator);
    assert.deepEqual(pricing_rules.map((rule: Record<string, unknown>) => rule["price_minor"]), [330]);
    assert.equal((await read(`/admin/error-reports/${id}`, administrator)).status, "resolved");
  });
});

const REVIEWS = volume("REVIEWS_BY_KEYS", 60, 200);

Deno.test({
  name: `console: ${REVIEWS} reviews are decided by keys alone, each once, and none is lost`,
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("reviews");
  const lot = await aLot({ name: "Many reviews" });
  await inDatabase(async (sql) => {
    const users = await sql<{ id: string }[]>`
      insert into auth.users (id, email) select gen_random_uuid(), gen_random_uuid() || '@example.test'
      from generate_series(1, ${REVIEWS}) returning id`;
    await sql`
      insert into public.reviews (parking_lot_id, user_id, rating, comment, created_at)
      select ${lot}, u.id, 4, 'Review', now() - interval '1 day' + u.n * interval '1 second'
      from unnest(${users.map(({ id }) => id)}::uuid[]) with ordinality u (id, n)`;
  });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, `/console/reviews?parking_lot_id=${lot}`);
    await page.waitForSelector(".console-lines a");
    const openId = () => new URL(page.url()).hash.split(/[/?]/)[3];
    const opened: string[] = [];
    const start = performance.now();
    await page.keyboard.press("j");
    for (let n = 0; n < REVIEWS; n++) {
      await page.waitForFunction(
        (before) => {
          const id = location.hash.split(/[/?]/)[3];
          return id !== undefined && id !== "" && id !== before &&
            document.querySelector(`[data-entry="${id}"] button.primary`) !== null;
        },
        { polling: 50 },
        opened.at(-1) ?? "",
      );
      const id = openId()!;
      opened.push(id);
      // There and back again: nothing is decided by looking.
      if (n === 5) {
        await page.keyboard.press("j");
        await page.waitForSelector(`[data-entry]:not([data-entry="${id}"])`);
        await page.keyboard.press("k");
        await page.waitForSelector(`[data-entry="${id}"] button.primary`);
      }
      await page.keyboard.press("e");
    }
    await explorer.sees("There is no further entry.");
    console.log(`${REVIEWS} reviews by keys: ${Math.round((performance.now() - start) / 1000)} s`);
    assert.equal(new Set(opened).size, REVIEWS, "each was open once");
    const [counts] = await inDatabase((sql) =>
      sql<{ approved: number; acts: number; twice: number }[]>`
        select (select count(*)::integer from public.reviews where parking_lot_id = ${lot} and status = 'approved') as approved,
          count(*)::integer as acts, (count(*) - count(distinct l.target_id))::integer as twice
        from public.admin_activity_logs l
        where l.action = 'review.approve'
          and l.target_id in (select r.id::text from public.reviews r where r.parking_lot_id = ${lot})`
    );
    assert.deepEqual({ ...counts }, { approved: REVIEWS, acts: REVIEWS, twice: 0 });
  });
});

Deno.test({
  name: "console: a badge is built by choices, its users are counted before it is saved, and a nested condition stays",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("rewards");
  const name = `Badge ${crypto.randomUUID().slice(0, 8)}`;
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, administrator, "/console/reference/badges/new");
    await page.waitForSelector(".badge-builder");
    await page.locator("input[name=name]").fill(name);
    await page.locator("textarea[name=description]").fill("Parked at night");
    await page.locator("input[name=icon]").fill("moon");
    await page.locator("input[name=category]").fill("parking");
    await explorer.click("Finished a session");
    await page.select(".badge-builder > .field select", "distinct_lots");
    await explorer.click("hours (Japan)");
    await explorer.click("days of the week");
    await page.select("select[aria-label='Condition 2']", "not");
    await page.locator("input[name=threshold]").fill("3");
    await explorer.sees("Users who would have it now: ");
    await page.locator(".console-schema button[type=submit]").click();
    await explorer.sees("Added.");
    await page.waitForFunction(() => !location.hash.endsWith("/new"));
    const id = page.url().split("/").at(-1)!;
    const where = { all: [{ hours: { from: 22, to: 5 } }, { not: { weekdays: [0, 6] } }] };
    const stored = async () => await read(`/admin/badges/${id}`, administrator);
    assert.deepEqual((await stored()).conditions, { activity: ["session_end"], measure: "distinct_lots", where });

    const nested = { any: [{ all: [{ hours: { from: 1, to: 2 } }] }, { weekdays: [1] }] };
    const conditions = { activity: ["session_end"], measure: "count", where: nested };
    const changed = await administrator.ask(`/admin/badges/${id}`, sending("PATCH", { conditions }));
    assert.equal(changed.status, 200, await changed.text());
    await page.reload();
    await explorer.sees("These conditions are nested.");
    await page.locator("input[name=threshold]").fill("4");
    await explorer.click("Save");
    await explorer.sees("Saved.");
    assert.deepEqual([(await stored()).threshold, (await stored()).conditions], [4, conditions]);
  });
});

Deno.test({
  name: "console: the overview has only what the administrator can decide, and shows when nothing waits",
  ignore: !hasBrowser,
}, async () => {
  const [support, stores] = [await anAdministrator("support"), await anAdministrator("store_sync")];
  const author = await signUp({ displayName: "Hanako" });
  const ticket = { category: "other", subject: "The machine took more", message: "¥1,800 instead of ¥1,500." };
  const posted = await ask("/support/tickets", { method: "POST", ...jsonBody(ticket, bearer(author.token)) });
  const { id } = await posted.json();
  await inDatabase((sql) =>
    sql`update public.support_tickets set status_changed_at = '2020-01-01T00:00:00Z' where id = ${id}`
  );
  await inDatabase((sql) => runJob(sql, "refresh_overview_now"));
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openConsole(explorer, support, "/console");
    await page.waitForSelector(`.questions a[href^="#/console/support-tickets/"]`);
    const kinds = () =>
      page.$$eval(".questions > li > span:first-child", (cells) => cells.map((cell) => cell.textContent));
    assert.deepEqual([...new Set(await kinds())].filter((kind) => !/Jobs|Messages/.test(kind ?? "")), ["Support"]);
    await explorer.click("Sign out");
    await explorer.sees("Sign in as an administrator");
    await explorer.signIn(stores);
    await page.waitForSelector(".questions-head");
    assert.deepEqual((await kinds()).filter((kind) => !/Stores|Jobs|Messages/.test(kind ?? "")), []);
  });
});
