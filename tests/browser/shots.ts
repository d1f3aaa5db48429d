// `deno task shots [name]...`: the pictures of the explorer in docs/pictures, taken on a new platform with the sample people,
// and without a name (or with `icons`) the icons of phones in apps/web/icons.
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { SAMPLE_PASSWORD, type SampleEmail } from "../../tools/seed/people/sample_people.ts";
import { ROOT } from "../../local/settings.ts";
import { startTestPlatform } from "../support/platform.ts";
import { withBrowser } from "./chromium.ts";
import { openSignIn } from "./explorer.ts";
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

/** Tomorrow from 10:00 to 13:00, a time of day at which lots are open. */
const TOMORROW = new Date(Date.now() + 33 * 3_600_000).toISOString().slice(0, 10);
const SEARCH = `/?entry=${TOMORROW}T10:00&exit=${TOMORROW}T13:00`;
const STAY = `entry_at=${TOMORROW}T10:00:00%2B09:00&exit_at=${TOMORROW}T13:00:00%2B09:00&vehicle_type=standard`;

const SHOTS: readonly Shot[] = [
  { name: "map", path: SEARCH, ready: ".maplibregl-canvas" },
  { name: "map_phone", path: SEARCH, language: "ja", ...PHONE, ready: ".maplibregl-canvas" },
  { name: "lot_phone", path: `/lots/${LOT}?${STAY}`, ...PHONE, ready: "main h1" },
  {
    name: "session_phone",
    path: "/session",
    email: "hanako@example.com",
    language: "ja",
    ...PHONE,
    isDark: true,
    ready: ".meter svg",
  },
  {
    name: "console_price",
    path: `/console/parking-lots/${LOT}/price`,
    email: "admin@example.com",
    height: 1100,
    ready: "main h1",
  },
];

const chosen = Deno.args.length > 0 ? SHOTS.filter(({ name }) => Deno.args.includes(name)) : SHOTS;
const fonts = await fontConfiguration();
const platform = await startTestPlatform({ withPeople: true });
try {
  await Deno.mkdir(FOLDER, { recursive: true });
  await withBrowser(async (browser) => {
    if (Deno.args.length === 0 || Deno.args.includes("icons")) await drawIcons(browser);
    for (const shot of chosen) {
      await take(browser, shot);
      console.log(`wrote docs/pictures/${shot.name}.webp`);
    }
  }, { fonts, hasMaps: true });
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

/** The icons of phones, from the mark. A phone cuts its own shape out of a larger ground: four fifths always show. */
async function drawIcons(browser: Browser): Promise<void> {
  const mark = await Deno.readTextFile(join(ROOT, "apps", "web", "icon.svg"));
  const whole = mark.replace('viewBox="0 0 32 32"', 'viewBox="-4 -4 40 40"')
    .replace('<rect width="32" height="32" rx="7"', '<rect x="-4" y="-4" width="40" height="40"');
  const icons = [["icon-192", mark, 192], ["icon-512", mark, 512], ["icon-whole-512", whole, 512], [
    "icon-apple",
    whole,
    180,
  ]] as const;
  const page = await browser.newPage();
  for (const [name, svg, size] of icons) {
    await page.setViewport({ width: size, height: size, deviceScaleFactor: 1 });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw}</style>${svg}`);
    await page.screenshot({ path: join(ROOT, "apps", "web", "icons", `${name}.png`), omitBackground: true });
  }
  await page.close();
}

async function signIn(page: Page, email: string): Promise<void> {
  await openSignIn(page);
  await page.locator("dialog input[type=email]").fill(email);
  await page.locator("dialog input[type=password]").fill(SAMPLE_PASSWORD);
  await page.locator("dialog button[type=submit]").click();
  await page.waitForSelector("dialog", { hidden: true });
}
