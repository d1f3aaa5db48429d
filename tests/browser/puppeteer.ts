// The Chromium of chromium.ts under the control of puppeteer, for tests that click through pages.
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { install } from "./chromium.ts";

export type { Browser, Page };

/** Starts a browser with WebGL in software. `close()` ends it. */
export async function launchBrowser(): Promise<Browser> {
  const { executable, libraries } = await install();
  return await puppeteer.launch({
    executablePath: executable,
    headless: "shell",
    args: [
      // Without the sandbox, which root and containers do not have.
      "--no-sandbox",
      "--no-zygote",
      "--disable-dev-shm-usage",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--force-device-scale-factor=1",
      "--lang=en",
    ],
    env: { ...Deno.env.toObject(), LD_LIBRARY_PATH: libraries },
  });
}
