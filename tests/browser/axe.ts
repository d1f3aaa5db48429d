/// <reference lib="dom" />
// What axe finds on a page of the explorer.
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "puppeteer-core";
import type { Explorer } from "./explorer.ts";

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

/** Loads axe into the document, unless it is there. A script element does not, which the policy of a page forbids. */
export async function loadAxe(page: Page): Promise<void> {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(await Deno.readTextFile(AXE));
}

/** The findings against WCAG 2.2 AA, and others that keep people out, as `rule: element`. Targets have 24 px or space. */
export async function findings({ page }: Explorer): Promise<string[]> {
  await loadAxe(page);
  // A header and a bar that stay in view cover a part of what is scrolled below them.
  const unpinned = await page.evaluateHandle(() => {
    const pinned = [...document.querySelectorAll<HTMLElement>("body *")]
      .filter((element) => getComputedStyle(element).position === "sticky");
    for (const { style } of pinned) style.position = "static";
    scrollTo(0, 0);
    return pinned;
  });
  // What is fading in has the contrast of its end only then.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"));
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe
      .run({ rules: { "target-size": { enabled: true } }, resultTypes: ["violations"], selectors: false })
  );
  await unpinned.evaluate((pinned) => pinned.forEach(({ style }) => style.position = ""));
  const isAgainst = ({ tags, impact }: AxeResults["violations"][number]) =>
    tags.some((tag) => /^wcag2\d?a{1,2}$/.test(tag)) || impact === "serious" || impact === "critical";
  return violations.filter(isAgainst)
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
