/// <reference lib="dom" />
// The explorer (apps/web/) in a real browser, for tests that use it as a person does.
import assert from "node:assert/strict";
import { type BrowserContext, type ElementHandle, type Locator, type Page, ProtocolError } from "puppeteer-core";
import { eventually } from "../support/eventually.ts";
import { stack } from "../support/stack.ts";
import { tabIn, withContext } from "./shared_browser.ts";

export interface Explorer {
  readonly page: Page;
  /** Opens an address of the application, for example `/lots/<id>`. */
  open(path: string): Promise<void>;
  /** Signs in by the dialog. */
  signIn(person: { readonly email: string; readonly password: string }): Promise<void>;
  /**
   * Clicks the control with this accessible name, or else the link: rows that other tests added have links of any name.
   * Where several are shown it fails, rather than click one by chance.
   */
  click(name: string): Promise<void>;
  /** Fills the field with this label, likewise. */
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
  /** Whether the browser is that of a phone, with touch. */
  readonly isPhone?: boolean;
  /** `en` by default. */
  readonly language?: "en" | "ja";
  /** The address of the platform for the browser, by default that of the gateway. */
  readonly apiUrl?: string;
  /** False: the browser of a machine without a locale. */
  readonly hasLocale?: boolean;
  /** Whether the browser draws maps; false by default: the list is in the place of the map then. */
  readonly hasMaps?: boolean;
  /** Whether the browser keeps the application; false by default: to fetch all of it takes as long as a page. */
  readonly keepsApplication?: boolean;
}

const TIMEOUT_MS = 60_000;
/** So long an element may take to stand still before it is looked for again. */
const RETRY_MS = 5_000;

/**
 * Runs a visit. It fails after an error in the page or a request to another machine. A browser that is lost is no fault
 * of the page: the visit begins again in a new one, once.
 */
export async function inExplorer(
  run: (explorer: Explorer) => Promise<void>,
  options: ExplorerOptions = {},
): Promise<void> {
  await visit(run, options).catch((error) => {
    if (!isBrowserLost(error)) throw error;
    console.error(`The visit begins again, because the browser was lost: ${error}`);
    return visit(run, options);
  });
}

/** Whether the browser ended, or did not answer a command: no condition of the page that a test waits for. */
function isBrowserLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof ProtocolError && /timed out|closed/i.test(error.message) || isBrowserLost(error.cause);
}

async function visit(
  run: (explorer: Explorer) => Promise<void>,
  {
    width = 1200,
    height = 900,
    isPhone = false,
    language = "en",
    apiUrl = stack().apiUrl,
    hasLocale = true,
    hasMaps = false,
    keepsApplication = false,
  }: ExplorerOptions,
): Promise<void> {
  const problems: string[] = [];
  await withContext(async (own) => {
    const others = new Set<BrowserContext>();
    const newTab: NewTab = async (context) => {
      if (context !== own) others.add(context);
      const page = await tabIn(context);
      await page.setViewport({ width, height, isMobile: isPhone, hasTouch: isPhone });
      await page.evaluateOnNewDocument((language) => localStorage.setItem("language", language), language);
      if (!keepsApplication) await withoutWorker(page);
      watch(page, apiUrl, problems);
      return explorerOf(page, apiUrl, newTab);
    };
    const explorer = await newTab(own);
    await run(explorer).catch(async (error) => {
      const described = `${error}\n${problems.join("\n")}`;
      // Waiting for an element ends by its own deadline, where the browser has not answered either.
      const shown = await explorer.page.evaluate(() => document.body.innerText).catch((cause) => {
        throw new Error(`${described}\nThe page cannot be read: ${cause}`, {
          cause: isBrowserLost(cause) ? cause : error,
        });
      });
      throw new Error(`${described}\nThe page shows:\n${shown.slice(0, 2_000)}`, { cause: error });
    });
    for (const other of others) await other.close();
  }, { hasLocale, hasMaps });
  assert.deepEqual(problems, []);
}

/** A browser without service workers: each part of the application is requested when it is needed. */
async function withoutWorker(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(() => Reflect.deleteProperty(Navigator.prototype, "serviceWorker"));
}

/** Notes errors of the page, and requests to another machine. */
function watch(page: Page, apiUrl: string, problems: string[]): void {
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("console", (message) => {
    // The browser writes every 4xx response and lost connection to the console; the page shows those that matter.
    if (
      message.type() === "error" &&
      !/^(Failed to load resource|WebSocket connection to |TypeError: Failed to fetch$)/.test(message.text())
    ) {
      problems.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    if (!/^(blob:|data:)/.test(request.url()) && new URL(request.url()).origin !== apiUrl) {
      problems.push(`foreign request: ${request.url()}`);
    }
  });
}

/** Opens the sign-in dialog: by the header, or by the account where the map of a phone has no header. */
export async function openSignIn(page: Page): Promise<void> {
  await page.waitForSelector("header.top .sign-in");
  const click = async () => {
    for (const button of await page.$$("header.top .sign-in")) {
      if (await button.isVisible()) return await button.click().then(() => true);
    }
    return false;
  };
  if (await click()) return;
  const { hash } = new URL(page.url());
  await page.evaluate(() => location.hash = "#/account");
  // The header of the account comes with the next frame.
  await eventually(async () => await click() || undefined);
  await page.waitForSelector("dialog[open]");
  await page.evaluate((hash) => location.hash = hash, hash);
}

/** Moves the clock of the pages that are opened from now on by so many minutes. */
export async function moveClock(page: Page, minutes: number): Promise<void> {
  await page.evaluateOnNewDocument((minutes) => {
    const Now = Date;
    const moved = () => Now.now() + minutes * 60_000;
    globalThis.Date = new Proxy(Now, {
      construct: (target, values) => Reflect.construct(target, values.length === 0 ? [moved()] : values),
      get: (target, name) => name === "now" ? moved : Reflect.get(target, name),
    });
  }, minutes);
}

/**
 * Makes the short waits of the page, and of those opened later, ten times shorter: between attempts of a request, and
 * before an act that can still be stopped. Longer ones are deadlines, which a slow machine needs.
 */
export async function shortenWaits(page: Page): Promise<void> {
  const shorten = () => {
    const wait = globalThis.setTimeout;
    globalThis.setTimeout =
      ((run: TimerHandler, milliseconds = 0, ...values: unknown[]) =>
        wait(run, milliseconds < 3_000 ? milliseconds / 10 : milliseconds, ...values)) as typeof setTimeout;
  };
  await page.evaluateOnNewDocument(shorten);
  await page.evaluate(shorten);
}

/** A PNG of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Chooses a photo in the picker of this name, on an English page. */
export async function choosePhoto(page: Page, name: string): Promise<void> {
  const photo = await Deno.makeTempFile({ suffix: ".png" });
  await Deno.writeFile(photo, Uint8Array.fromBase64(PIXEL));
  await (await page.$(`input[name=${name}]`) as ElementHandle<HTMLInputElement>).uploadFile(photo);
  await page.waitForSelector("img[alt='Chosen photo 1']");
  await Deno.remove(photo);
}

const CONTROL = "button, input, select, textarea, summary, option, [role=button], [role=tab], [role=option]";
const FIELD = "input, select, textarea";

/** Scrolls an element to where no header or bar that stays in view covers it: a click meets what is on top. */
export const toTheMiddle = (element: ElementHandle<Element>): Promise<void> =>
  element.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));

/**
 * Selects the text of a field, which typing then replaces. A locator empties the field first, and a page that is drawn again
 * at that moment writes the former text in front of the new one. False: the field is none of text.
 */
function selectText(field: Element): boolean {
  const isText = field instanceof HTMLTextAreaElement ||
    field instanceof HTMLInputElement && /^(text|search|number|email|password|tel|url)$/.test(field.type);
  if (!isText) return false;
  if (field.disabled || field.readOnly) throw new Error("The field cannot be changed.");
  field.focus();
  field.select();
  return true;
}

/** Notes whether the next click meets neither the element nor one that was drawn in its place. */
function watchClick(element: Element): { readonly isOther: boolean } {
  const met = { isOther: false };
  document.addEventListener("click", ({ target }) => {
    const drawn = target instanceof Element ? target.closest(element.localName) : null;
    met.isOther = !element.contains(target as Node) && drawn?.textContent !== element.textContent;
  }, { capture: true, once: true });
  return met;
}

/** Acts on the element with this name that is shown: of the first kind that has one. */
async function onTheOnly(
  page: Page,
  name: string,
  kinds: readonly string[],
  perform: (element: Locator<Element>) => Promise<void>,
): Promise<void> {
  const find = async () => {
    const all = await page.$$(`::-p-aria([name=${JSON.stringify(name)}])`);
    for (const kind of kinds) {
      const found: ElementHandle<Element>[] = [];
      for (const element of all) {
        if (await element.evaluate((element, kind) => element.matches(kind), kind) && await element.isVisible()) {
          found.push(element);
        }
      }
      if (found.length > 0) return found;
    }
    return [];
  };
  let failure: unknown;
  await eventually(async () => {
    // An element that is drawn again meanwhile is looked for again.
    const found = await find().catch((error) => {
      if (isBrowserLost(error)) throw error;
      return [];
    });
    if (found.length !== 1) return undefined;
    const act = () => perform(found[0]!.asLocator().setTimeout(RETRY_MS));
    return await toTheMiddle(found[0]!).then(act).then(() => true, (error) => {
      if (isBrowserLost(error)) throw error;
      failure = error;
      return undefined;
    });
  }, TIMEOUT_MS).catch(async (error) => {
    if (isBrowserLost(error)) throw error;
    const found = await Promise.all((await find()).map((one) => one.evaluate(({ outerHTML }) => outerHTML)));
    const last = failure === undefined ? "" : `\nThe last attempt failed: ${failure}`;
    throw new Error(`"${name}" is the name of ${found.length} shown elements:\n${found.join("\n")}${last}`);
  });
}

type NewTab = (context: BrowserContext) => Promise<Explorer>;

function explorerOf(page: Page, apiUrl: string, newTab: NewTab): Explorer {
  const openIn = async (context: BrowserContext, path: string) => {
    const tab = await newTab(context);
    await tab.open(path);
    return tab;
  };
  const explorer: Explorer = {
    page,
    open: async (path) => {
      // A tab in the background draws nothing.
      await page.bringToFront();
      await page.goto(`${apiUrl}/explore/#${path}`);
      await page.waitForSelector("header.top");
    },
    signIn: async ({ email, password }) => {
      await openSignIn(page);
      await page.waitForSelector("dialog[open] input[type=password]");
      await page.$eval("dialog[open] form", (form, values) => {
        for (const [type, value] of Object.entries(values)) {
          const field = form.querySelector<HTMLInputElement>(`input[type=${type}]`)!;
          field.value = value;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }
        (form as HTMLFormElement).requestSubmit();
      }, { email, password });
      await page.waitForSelector("dialog", { hidden: true });
    },
    click: async (name) => {
      await page.bringToFront();
      await onTheOnly(page, name, [CONTROL, "a"], async (control) => {
        const met = await (await control.waitHandle()).evaluateHandle(watchClick);
        await control.click();
        // A page that has gone was clicked.
        if (await met.evaluate(({ isOther }) => isOther).catch(() => false)) {
          throw new Error("The page moved under the pointer: the click met something else.");
        }
      });
    },
    fill: (label, value) =>
      onTheOnly(page, label, [FIELD], async (field) => {
        const handle = await field.waitHandle();
        if (!await handle.evaluate(selectText)) return await field.fill(value);
        await (value === "" ? page.keyboard.press("Backspace") : page.keyboard.type(value));
      }),
    secondTab: (path) => openIn(page.browserContext(), path),
    elsewhere: async (path) => openIn(await page.browser().createBrowserContext(), path),
    sees: async (text) => {
      await page.waitForFunction((text) => document.body?.innerText.includes(text), {}, text);
    },
  };
  return explorer;
}
