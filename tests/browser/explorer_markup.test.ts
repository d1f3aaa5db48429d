/// <reference lib="dom" />
// The explorer: markup in the data of lots, reviews, people, tickets and notifications is text on every page.
import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { anAdministrator } from "../api/administrators.ts";
import { inDatabase } from "../api/lots.ts";
import { notify, notifyAdmins } from "../realtime/activities.ts";
import { signUp } from "../support/people.ts";
import { newLot, newUser } from "../support/rows.ts";
import { hasBrowser } from "../support/browser.ts";
import { type Explorer, inExplorer } from "./explorer.ts";
import { clickPin } from "./map.ts";

/** Elements that a payload makes have the attribute `data-made`. */
const PAYLOADS = [
  `<img data-made src=x onerror=alert(1)>`,
  `<svg data-made onload=alert(1)></svg>`,
  `<script data-made>alert(1)</script>`,
  `"><img data-made src=x onerror=alert(1)>`,
  `'><svg/data-made/onload=alert(1)>`,
  `" onfocus="alert(1)" autofocus data-made="`,
  `</title><script data-made>alert(1)</script>`,
  `</textarea></style><img data-made src=x>`,
  `<iframe data-made srcdoc="<script>alert(1)</script>">`,
  `<a data-made href="javascript:alert(1)">link</a>`,
  `javascript:alert(document.domain)`,
  `{{constructor.constructor('alert(1)')()}}`,
  "${alert(1)} `#{alert(1)}`",
  `&lt;b&gt;&#x41;&amp;nbsp;`,
  `<!-- comment --><![CDATA[ x ]]>`,
  `**bold** [link](javascript:alert(1)) # heading`,
  `\u202Egnikrap\u202C \u200B\u200D\uFEFFzero`,
  `null undefined NaN [object Object]`,
  `${"very-long-word".repeat(5)}End`,
  `駐車場 🅿️ 👨‍👩‍👧 ﷽ e\u0301 ñ`,
] as const;

const LOCATION = { lat: -41 - Math.random(), lng: -120 - Math.random() };

let seeded: ReturnType<typeof seed> | undefined;

/** The payloads in all that people write, about 20 lots near one place. */
async function seed() {
  const person = await signUp({ displayName: PAYLOADS[0] });
  const words = `of-${crypto.randomUUID()}`;
  const { lots, ticket, names } = await inDatabase(async (sql) => {
    const lots: string[] = [];
    const [ticketIds, users]: [string[], string[]] = [[], []];
    for (const [index, payload] of PAYLOADS.entries()) {
      const at = { lat: LOCATION.lat + index * 0.0002, lng: LOCATION.lng };
      const lot = await newLot(sql, { ...at, name: payload, address: `${payload} 1` });
      lots.push(lot);
      const author = await newUser(sql, payload);
      users.push(author);
      await sql`insert into public.saved_parking_lots (user_id, parking_lot_id) values (${person.id}, ${lot})`;
      await sql`
        insert into public.reviews (parking_lot_id, user_id, rating, comment) values (${lot}, ${person.id}, 3, ${payload})`;
      await sql`
        insert into public.reviews (parking_lot_id, user_id, rating, comment, status)
        values (${lots[0]!}, ${author}, 4, ${payload}, 'approved')`;
      await sql`
        insert into public.error_reports (user_id, parking_lot_id, parking_lot_name, report_type, description)
        values (${author}, ${lots[0]!}, ${payload}, 'name_or_address', ${payload})`;
      const [row] = await sql<{ id: string }[]>`
        insert into public.support_tickets (user_id, category, subject) values (${person.id}, 'other', ${payload})
        returning id`;
      ticketIds.push(row!.id);
      await sql`
        insert into public.support_messages (ticket_id, author, body) values (${ticketIds[0]!}, 'user', ${payload})`;
      await sql`
        insert into public.search_presets (user_id, name, query_json) values (${person.id}, ${payload}, '{}')`;
      await notify(sql, person.id, { title: payload, body: payload, data: sql.json({ parking_lot_id: payload }) });
      const draft = { is_composed: true, status: "draft", sent_at: null };
      await notify(sql, null, { title: payload, body: payload, ...draft });
    }
    // The newest are in the sidebar of the console.
    for (const payload of PAYLOADS) await notifyAdmins(sql, { title: payload, body: payload });
    await sql`update auth.users set email = replace(email, '@example.test', ${`@${words}.test`}) where id in ${
      sql(users)
    }`;
    // Names are stored as other users see them (private.shown_name).
    const named = await sql<{ name: string }[]>`select display_name as name from public.app_users where id in ${
      sql(users)
    }`;
    return { lots, ticket: ticketIds[0]!, names: named.map(({ name }) => name) };
  });
  return { person, lots, ticket, words, names };
}

/** The payloads that no visible text of the page has. Fields of forms count with their values and choices. */
function missing(page: Page, payloads: readonly string[]): Promise<string[]> {
  return page.evaluate((payloads) => {
    const texts: string[] = [];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      const { data, parentElement } = nodes.currentNode as Text;
      if (parentElement?.checkVisibility() || parentElement instanceof HTMLOptionElement) texts.push(data);
    }
    for (const field of document.querySelectorAll("input, textarea")) texts.push((field as HTMLInputElement).value);
    // Texts are stored in NFC.
    const shown = texts.map((text) => text.normalize("NFC"));
    return payloads.filter((payload) => !shown.some((text) => text.includes(payload.normalize("NFC"))));
  }, payloads);
}

/** Waits until the page shows every payload, and checks that none of them became more than text. */
async function showsAsText({ page }: Explorer, where: string, payloads: readonly string[] = PAYLOADS): Promise<void> {
  const deadline = Date.now() + 30_000;
  let left = await missing(page, payloads);
  while (left.length > 0 && Date.now() < deadline) {
    // A list may begin with the data of other tests.
    await (await page.$('::-p-aria([name="Show more"][role="button"])'))?.click();
    await page.waitForNetworkIdle({ idleTime: 200 }).catch(() => {});
    left = await missing(page, payloads);
  }
  assert.deepEqual(left, [], `${where}: not shown`);
  const wrong = await page.evaluate(() => {
    const made = [...document.querySelectorAll("[data-made], [src='x'], iframe, main script, [onfocus]")];
    const links = [...document.querySelectorAll("a")].filter(({ protocol }) => !/^https?:$/.test(protocol));
    const { violations } = globalThis as unknown as { violations: string[] };
    return [...[...made, ...links].map(({ outerHTML }) => outerHTML), ...violations];
  });
  assert.deepEqual(wrong, [], where);
  assert.equal(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    0,
    `${where} is wider than the window`,
  );
}

/** Notes dialogs of the browser, and what the page's policy stopped. */
async function watch({ page }: Explorer): Promise<string[]> {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.evaluateOnNewDocument(() => {
    const violations: string[] = [];
    Object.assign(globalThis, { violations });
    addEventListener(
      "securitypolicyviolation",
      ({ violatedDirective, blockedURI }) => violations.push(`${violatedDirective}: ${blockedURI}`),
    );
  });
  return dialogs;
}

Deno.test({
  name: "explorer: markup in names, addresses, comments, tickets and notifications is text on the pages of users",
  ignore: !hasBrowser,
}, async () => {
  const { person, lots, ticket } = await (seeded ??= seed());
  await inExplorer(async (explorer) => {
    const dialogs = await watch(explorer);
    await explorer.open(`/?lat=${LOCATION.lat}&lng=${LOCATION.lng}&radius=2000`);
    await showsAsText(explorer, "the list of the map page");
    await clickPin(explorer.page, lots[0]!, LOCATION);
    await showsAsText(explorer, "the lot chosen on the map");

    await explorer.signIn(person);
    await showsAsText(explorer, "the map page of a signed-in person");
    for (const [index, lot] of lots.entries()) {
      await explorer.open(`/lots/${lot}`);
      await showsAsText(explorer, `lot ${index}`, [PAYLOADS[index]!, `${PAYLOADS[index]} 1`]);
      assert.ok((await explorer.page.title()).startsWith(PAYLOADS[index]!.trim().slice(0, 5)), "the title is text");
    }
    await explorer.open(`/lots/${lots[0]}`);
    await showsAsText(explorer, "the reviews of a lot");
    for (
      const path of [
        "/account/saved",
        "/account/searches",
        "/account/reviews",
        "/account/support",
        `/account/support/${ticket}`,
        "/inbox",
      ]
    ) {
      await explorer.open(path);
      await showsAsText(explorer, path);
    }
    await explorer.open("/account/profile");
    const name = await explorer.page.waitForSelector("input[name=display_name]");
    assert.equal(await name!.evaluate((input) => (input as HTMLInputElement).value), PAYLOADS[0]);
    assert.deepEqual(dialogs, []);
  }, { width: 360, height: 740, hasMaps: true });
});

Deno.test({
  name: "explorer: markup in what people write is text in the queues and lists of the console",
  ignore: !hasBrowser,
}, async () => {
  const { person, lots, ticket, words, names } = await (seeded ??= seed());
  assert.equal(names.length, PAYLOADS.length);
  const administrator = await anAdministrator(
    "lots",
    "reviews",
    "support",
    "users",
    "notifications",
    "search_presets",
  );
  await inExplorer(async (explorer) => {
    const dialogs = await watch(explorer);
    await explorer.open("/console");
    await explorer.signIn(administrator);
    const ofPerson = `user_id=${person.id}`;
    const pages = [
      ["/console/reviews", `?${ofPerson}`],
      ["/console/support-tickets", `?${ofPerson}`],
      [`/console/support-tickets/${ticket}`, ""],
      ["/console/error-reports", `?parking_lot_id=${lots[0]}`],
      ["/console/users", `?email=${words}`],
      [`/console/user-search-presets/${person.id}`, ""],
      ["/console/user-notifications", ""],
    ] as const;
    for (const [path, query] of pages) {
      await explorer.open(`${path}${query}`);
      await showsAsText(explorer, path, path === "/console/users" ? names : PAYLOADS);
    }
    await explorer.open(`/console/parking-lots/${lots[0]}`);
    await showsAsText(explorer, "a lot in the console", [PAYLOADS[0], `${PAYLOADS[0]} 1`]);
    await explorer.page.locator(".console-sidebar summary").click();
    await showsAsText(explorer, "the notifications to administrators");
    assert.deepEqual(dialogs, []);
  });
});
