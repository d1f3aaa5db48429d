/// <reference lib="dom" />
// The explorer (apps/web/) in a real browser, for tests that use it as a person does.
import assert from "node:assert/strict";
import type { BrowserContext, Page } from "puppeteer-core";
import { stack } from "../support/stack.ts";
import { withBrowser } from "./chromium.ts";

export interface Explorer {
  readonly page: Page;
  /** Opens an address of the application, for example `/lots/<id>`. */
  open(path: string): Promise<void>;
  /** Signs in by the dialog. */
  signIn(person: { readonly email: string; readonly password: string }): Promise<void>;
  /** Clicks the button or link with this accessible name. */
  click(name: string): Promise<void>;
  /** Fills the field with this label. */
  fill(label: string, value: string): Promise<void>;
  /** Another tab of the same browser, where the same person is signed in. */
  secondTab(path: string): Promise<Explorer>;
  /** A tab of another browser, which has nothing of this one in its storage. */
  elsewhere(path: string): Promise<Explorer>;
  /** Waits until the page shows the text. */
  sees(text: string): Promise<void>;
}

export interface ExplorerOptions {
  readonly width?: number;
  readonly height?: number;
  /** `en` by default. */
  readonly language?: "en" | "ja";
  /** The address of the platform for the browser, by default that of the gateway. */
  readonly apiUrl?: string;
}

const TIMEOUT_MS = 60_000;

/** Runs a visit. It fails after an error in the page or a request to another machine. */
export async function inExplorer(
  run: (explorer: Explorer) => Promise<void>,
  { width = 1200, height = 900, language = "en", apiUrl = stack().apiUrl }: ExplorerOptions = {},
): Promise<void> {
  const problems: string[] = [];
  await withBrowser(async (browser) => {
    const newTab: NewTab = async (context) => {
      const page = await context.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.setViewport({ width, height });
      await page.evaluateOnNewDocument((language) => localStorage.setItem("language", language), language);
      watch(page, apiUrl, problems);
      return explorerOf(page, apiUrl, newTab);
    };
    const explorer = await newTab(browser.defaultBrowserContext());
    await run(explorer).catch(async (error) => {
      const shown = await explorer.page.evaluate(() => document.body.innerText).catch(() => "");
      throw new Error(`${error}\n${problems.join("\n")}\nThe page shows:\n${shown.slice(0, 2_000)}`, { cause: error });
    });
  });
  assert.deepEqual(problems, []);
}

/** Notes errors of the page, and requests to another machine. */
function watch(page: Page, apiUrl: string, problems: string[]): void {
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("console", (message) => {
    // The browser writes every 4xx response and lost connection to the console; the page shows those that matter.
    if (message.type() === "error" && !/^(Failed to load resource|WebSocket connection to )/.test(message.text())) {
      problems.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    if (!/^(blob:|data:)/.test(request.url()) && new URL(request.url()).origin !== apiUrl) {
      problems.push(`foreign request: ${request.url()}`);
    }
  });
}

type NewTab = (context: BrowserContext) => Promise<Explorer>;

function explorerOf(page: Page, apiUrl: string, newTab: NewTab): Explorer {
  const openIn = async (context: BrowserContext, path: string) => {
    const tab = await newTab(context);
    await tab.open(path);
    return tab;
  };
  const named = (name: string) => page.locator(`::-p-aria([name=${JSON.stringify(name)}])`);
  const explorer: Explorer = {
    page,
    open: async (path) => {
      // A tab in the background draws nothing.
      await page.bringToFront();
      await page.goto(`${apiUrl}/explore/#${path}`);
      await page.waitForSelector("header.top");
    },
    signIn: async ({ email, password }) => {
      await page.locator("header.top .sign-in").click();
      // In any language.
      await page.locator("dialog input[type=email]").fill(email);
      await page.locator("dialog input[type=password]").fill(password);
      await page.locator("dialog button[type=submit]").click();
      await page.waitForSelector("dialog", { hidden: true });
    },
    click: async (name) => {
      await page.bringToFront();
      await named(name).click();
    },
    fill: (label, value) => named(label).fill(value),
    secondTab: (path) => openIn(page.browserContext(), path),
    elsewhere: async (path) => openIn(await page.browser().createBrowserContext(), path),
    sees: async (text) => {
      await page.waitForFunction((text) => document.body.innerText.includes(text), { polling: 200 }, text);
    },
  };
  return explorer;
}
