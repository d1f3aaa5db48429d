// `deno task shots`: the pictures of the explorer in docs/pictures, taken on a new platform with the sample people.
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { SAMPLE_PASSWORD, type SampleEmail } from "../../tools/seed/people/sample_people.ts";
import { ROOT } from "../../local/settings.ts";
import { startTestPlatform } from "../support/platform.ts";
import { withBrowser } from "./chromium.ts";
import { fontConfiguration } from "./fonts.ts";

const FOLDER = join(ROOT, "docs", "pictures");

interface Shot {
  readonly name: string;
  readonly path: string;
  /** Who is signed in; nobody by default. */
  readonly email?: SampleEmail;
  readonly language?: "en" | "ja";
  readonly width?: number;
  readonly height?: number;
  readonly isDark?: boolean;
  /** What the page shows when it is complete. */
  readonly ready: string;
}

const PHONE = { width: 360, height: 740 };
/** A seeded lot with many kinds of data. */
const LOT = "555c77e1-60d8-4123-9321-94515af67cff";

const SHOTS: readonly Shot[] = [
  { name: "map", path: "/", ready: ".maplibregl-canvas" },
  { name: "lot", path: `/lots/${LOT}`, ready: "main h1", height: 1600 },
  { name: "session", path: "/session", email: "hanako@example.com", ready: ".meter canvas" },
  { name: "rewards", path: "/rewards", email: "hanako@example.com", ready: ".rewards-grid li" },
  { name: "console", path: "/console", email: "admin@example.com", ready: "main h1" },
  { name: "map_phone", path: "/", language: "ja", ...PHONE, ready: ".maplibregl-canvas" },
  {
    name: "session_phone",
    path: "/session",
    email: "hanako@example.com",
    language: "ja",
    ...PHONE,
    isDark: true,
    ready: ".meter canvas",
  },
];

const chosen = Deno.args.length > 0 ? SHOTS.filter(({ name }) => Deno.args.includes(name)) : SHOTS;
const fonts = await fontConfiguration();
const platform = await startTestPlatform({ withPeople: true });
try {
  await Deno.mkdir(FOLDER, { recursive: true });
  await withBrowser(async (browser) => {
    for (const shot of chosen) {
      await take(browser, shot);
      console.log(`wrote docs/pictures/${shot.name}.webp`);
    }
  }, { fonts });
} finally {
  await platform.stop();
}

async function take(browser: Browser, shot: Shot): Promise<void> {
  const { name, path, email, language = "en", width = 1200, height = 800, isDark = false, ready } = shot;
  // A context of its own: nobody is signed in.
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width, height, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: isDark ? "dark" : "light" },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.evaluateOnNewDocument((language) => localStorage.setItem("language", language), language);
  await page.goto(`${platform.status.API_URL}/explore/`);
  if (email) await signIn(page, email);
  await page.goto(`${platform.status.API_URL}/explore/#${path}`);
  await page.waitForSelector(ready);
  await page.waitForNetworkIdle({ idleTime: 1_500 });
  await page.screenshot({ path: join(FOLDER, `${name}.webp`), type: "webp", quality: 80 });
  await context.close();
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.locator("header.top .sign-in").click();
  await page.locator("dialog input[type=email]").fill(email);
  await page.locator("dialog input[type=password]").fill(SAMPLE_PASSWORD);
  await page.locator("dialog button[type=submit]").click();
  await page.waitForSelector("dialog", { hidden: true });
}
