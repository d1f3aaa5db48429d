/// <reference lib="dom" />
// The explorer (web/) in a real browser, for tests that use it as a person does.
import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
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
  /** Waits until the page shows the text. */
  sees(text: string): Promise<void>;
}

export interface ExplorerOptions {
  readonly width?: number;
  readonly height?: number;
  /** `en` by default. */
  readonly language?: "en" | "ja";
}

const TIMEOUT_MS = 30_000;

/** Runs a visit. It fails after an error in the page or a request to another machine. */
export async function inExplorer(
  run: (explorer: Explorer) => Promise<void>,
  { width = 1200, height = 900, language = "en" }: ExplorerOptions = {},
): Promise<void> {
  const { apiUrl } = stack();
  const problems: string[] = [];
  await withBrowser(async (browser) => {
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.setViewport({ width, height });
    page.on("pageerror", (error) => problems.push(`error: ${error}`));
    page.on("console", (message) => {
      // The browser writes every 4xx response to the console; the page shows those that matter.
      if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) {
        problems.push(`console: ${message.text()}`);
      }
    });
    page.on("request", (request) => {
      if (!/^(blob:|data:)/.test(request.url()) && new URL(request.url()).origin !== apiUrl) {
        problems.push(`foreign request: ${request.url()}`);
      }
    });
    await page.evaluateOnNewDocument((language) => localStorage.setItem("language", language), language);
    const explorer: Explorer = {
      page,
      open: async (path) => {
        await page.goto(`${apiUrl}/explore/#${path}`);
        await page.waitForSelector("header.top");
      },
      signIn: async ({ email, password }) => {
        await explorer.click("Sign in");
        await explorer.fill("Mail address", email);
        await explorer.fill("Password", password);
        await page.locator("dialog button[type=submit]").click();
        await page.waitForSelector("dialog", { hidden: true });
      },
      click: (name) => page.locator(`::-p-aria([name=${JSON.stringify(name)}])`).click(),
      fill: (label, value) => page.locator(`::-p-aria([name=${JSON.stringify(label)}])`).fill(value),
      sees: async (text) => {
        await page.waitForFunction((text) => document.body.innerText.includes(text), {}, text);
      },
    };
    await run(explorer).catch(async (error) => {
      const shown = await page.evaluate(() => document.body.innerText).catch(() => "");
      throw new Error(`${error}\n${problems.join("\n")}\nThe page shows:\n${shown.slice(0, 2_000)}`, { cause: error });
    });
  });
  assert.deepEqual(problems, []);
}
