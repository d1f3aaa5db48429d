/// <reference lib="dom" />
// /docs/ in a real browser: finds an operation, sends it, opens a guide, and nothing leaves the machine.
import assert from "node:assert/strict";
import type { RunOptions } from "axe-core";
import type { HTTPRequest, HTTPResponse, Page } from "puppeteer-core";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { hasBrowser } from "../support/browser.ts";
import { onlyLong } from "../support/sizes.ts";
import { loadAxe } from "./axe.ts";
import { tabIn, withContext } from "./shared_browser.ts";

/** Runs a visit. It fails after an error in the page or a request to another host. */
async function visit(run: (page: Page) => Promise<void>): Promise<void> {
  const { apiUrl } = stack();
  const problems: string[] = [];
  await withContext(async (context) => {
    const page = await tabIn(context);
    await page.setViewport({ width: 1280, height: 900 });
    page.on("pageerror", (error) => problems.push(`error: ${error}`));
    page.on("console", (message) => {
      if (["error", "warn"].includes(message.type())) problems.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol !== "data:" && url.origin !== apiUrl) problems.push(`foreign request: ${url}`);
    });
    await run(page);
  });
  assert.deepEqual(problems, []);
}

/** Waits until the page shows the text. */
async function sees(page: Page, text: string): Promise<void> {
  await page.waitForFunction((text) => document.body.innerText.includes(text), {}, text);
}

/** Types into the search, which shows itself when its script has run. */
async function search(page: Page, words: string): Promise<void> {
  await page.waitForSelector("search:not([hidden])");
  await page.keyboard.press("/");
  await page.waitForSelector("search input:focus");
  await page.keyboard.type(words);
}

/** Clicks, and waits until the page that the link leads to has loaded: keys pressed before reach nobody. */
async function follow(page: Page, link: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.locator(link).click()]);
}

async function find(page: Page, words: string, result: string): Promise<void> {
  await search(page, words);
  await follow(page, `::-p-xpath(//ul[@id="results"]//a[contains(., "${result}")])`);
}

interface Violation {
  readonly id: string;
  readonly impact: string;
}

/** The rules of axe-core that the page breaks. */
async function broken(page: Page): Promise<Violation[]> {
  await loadAxe(page);
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: RunOptions): Promise<{ violations: Violation[] }> };
    };
    const { violations } = await axe.run({ resultTypes: ["violations"], selectors: false });
    return violations.map(({ id, impact }) => ({ id, impact }));
  });
}

/** The elements of the reference that look different without the frame's style, also those with the focus. */
const changed = (page: Page) =>
  page.evaluate(() => {
    const names = [
      "font",
      "color",
      "margin",
      "padding",
      "border",
      "outline",
      "boxSizing",
      "display",
      "maxWidth",
    ] as const;
    const look = (element: Element) => {
      const style = getComputedStyle(element);
      return `${element.tagName} ${names.map((name) => style[name]).join(" | ")}`;
    };
    const { sheet } = document.querySelector<HTMLLinkElement>('link[href^="frame-"]')!;
    const content = document.getElementById("content")!;
    const all = [...content.querySelectorAll("*")];
    const controls = all.filter((one): one is HTMLElement => one.matches("button, a, input, section[tabindex]"));
    const looks = (isDisabled: boolean) => {
      sheet!.disabled = isDisabled;
      const atRest = (element: Element) => {
        for (const animation of document.getAnimations()) animation.finish();
        return look(element);
      };
      (document.activeElement as HTMLElement | null)?.blur();
      const unfocused = all.map(atRest);
      const focused = controls.slice(0, 100).map((one) => {
        one.focus({ preventScroll: true });
        return atRest(one);
      });
      return [...unfocused, ...focused];
    };
    const own = looks(true);
    const shown = looks(false);
    return { elements: all.length, different: shown.flatMap((text, n) => text === own[n] ? [] : [[text, own[n]!]]) };
  });

/** Another place of the reference, which is open. */
async function openOperation(page: Page, name: string, request: string): Promise<void> {
  await page.evaluate((name) => location.hash = name, name);
  await page.locator(`::-p-aria(Test Request (${request}))`).click();
}

/** Sends the request that is open, and returns it with its response. */
async function send(page: Page, path: string): Promise<[HTTPRequest, HTTPResponse]> {
  const isOf = (one: { url(): string }) => new URL(one.url()).pathname === path;
  const sent = Promise.all([page.waitForRequest(isOf), page.waitForResponse(isOf)]);
  await page.locator('::-p-xpath(//button[starts-with(normalize-space(.), "Send")])').click();
  return await sent;
}

Deno.test(
  { name: "GET /docs/reference.html: from the search to requests and to a guide", ignore: !hasBrowser },
  async (test) => {
    const { email, password, id } = await signUp();
    await visit(async (page) => {
      // The platform of the tests has no sample people: its list has this user.
      await page.setRequestInterception(true);
      page.on("request", async (request) => {
        if (new URL(request.url()).pathname !== "/") return await request.continue();
        const platform = {
          keys: { publishable: stack().publishableKey },
          sample_people: [{ email, password, description: "new" }],
        };
        await request.respond({ status: 200, contentType: "application/json", body: JSON.stringify(platform) });
      });

      await test.step("the search leads to an operation", async () => {
        await page.goto(`${stack().apiUrl}/docs`);
        await find(page, "calc-fee", "POST /v1/parking-lots/{id}/calc-fee");
        await sees(page, "Fees are never guessed.");
        assert.match(page.url(), /reference\.html#tag\/parking-lots\/calculateFee$/);
      });

      await test.step("it has groups by job, and samples in four languages", async () => {
        for (const text of ["Drive", "Account", "Rewards", "Pay", "Operate", "Machines", "createParkingClient"]) {
          await sees(page, text);
        }
      });

      await test.step("the site's style changes nothing of it, and both fit into 360 pixels", async () => {
        for (const width of [360, 1280]) {
          await page.setViewport({ width, height: 800 });
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
          const { elements, different } = await changed(page);
          assert.ok(elements > 200, String(elements));
          assert.deepEqual(different, [], String(width));
        }
      });

      await test.step("an operation has enough contrast, and each of its controls a name, in light and in dark", async () => {
        for (const value of ["light", "dark"]) {
          await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
          await page.waitForFunction((look) => document.body.classList.contains(look), {}, `${value}-mode`);
          const found = await broken(page);
          assert.deepEqual(
            found.filter(({ id, impact }) => impact === "critical" || id === "color-contrast"),
            [],
            value,
          );
        }
      });

      await test.step("a request without example headers is sent to this platform and its response is shown", async () => {
        await openOperation(page, "tag/reference-data/listCodes", "get /v1/codes");
        const [request, response] = await send(page, "/functions/v1/codes");
        const sent = Object.keys(request.headers());
        assert.deepEqual(sent.filter((name) => /^(if-none-match|x-read-after|idempotency-key)$/.test(name)), []);
        assert.equal(response.status(), 200);
        await sees(page, "200 OK");
        await page.keyboard.press("Escape");
      });

      await test.step("a sample person is chosen, and requests have their token", async () => {
        await page.waitForSelector("#person:not([hidden])");
        const signedIn = page.waitForResponse((response) => response.url().includes("/auth/v1/token"));
        await page.select("#person", email);
        assert.equal((await signedIn).status(), 200);
        await openOperation(page, "tag/me/readMe", "get /v1/me");
        await page.waitForFunction(() => /Bearer Token/.test(document.body.innerText));
        const [, response] = await send(page, "/functions/v1/me");
        assert.equal((await response.json()).user_id, id);
        await page.keyboard.press("Escape");
      });

      await test.step("the search leads to a guide, and a link of the guide to an anchor", async () => {
        await find(page, "idempotency", "Idempotency");
        await sees(page, "A client sends a POST with a key that it generates");
        assert.match(page.url(), /\/docs\/clients\/requests\.html#idempotency$/);
        assert.equal(await page.$eval(":target", (heading) => heading.textContent), "Idempotency");
        await follow(page, 'nav a[href="authentication.html"]');
        await page.waitForSelector('nav a[aria-current="page"]::-p-text(Authentication)');
      });
    });
  },
);

Deno.test({
  name: "GET /docs/: the search finds pages by Japanese words, and shows that nothing was found",
  ignore: !hasBrowser,
}, async () => {
  await visit(async (page) => {
    await page.goto(`${stack().apiUrl}/docs/`);
    await find(page, "料金", "Parking fees");
    assert.match(page.url(), /\/domains\/fees\.html/);
    await search(page, "ほげほげ");
    await sees(page, "Nothing was found for “ほげほげ”.");
  });
});

Deno.test({
  name: "GET /docs/: a guide is accessible and fits into 360 pixels, in light and in dark",
  ignore: !hasBrowser,
}, async () => {
  const isEach = onlyLong("AXE_WIDE");
  await visit(async (page) => {
    for (const value of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      for (const width of [360, 1280]) {
        await page.setViewport({ width, height: 800 });
        for (const path of ["", "clients/requests.html", "clients/console.html"]) {
          await page.goto(`${stack().apiUrl}/docs/${path}`);
          // Each width, and each of light and dark.
          if (isEach || (value === "dark") === (width === 360)) {
            assert.deepEqual(await broken(page), [], `${path} ${value} ${width}`);
          }
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, path);
        }
      }
    }
    await page.setViewport({ width: 360, height: 800 });
    await page.locator('button[popovertarget="pages"]').click();
    await follow(page, 'nav a[href="../domains/fees.html"]');
    // The first stop of the keyboard leads past the header.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "content");
  });
});
