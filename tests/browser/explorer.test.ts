// The helper of visits (explorer.ts) itself.
import assert from "node:assert/strict";
import { hasBrowser } from "../support/browser.ts";
import { inExplorer } from "./explorer.ts";

/** Runs a visit whose browser is killed in the first `losses` attempts; the number of attempts. */
async function attemptsWith(losses: number): Promise<number> {
  let attempts = 0;
  const visit = inExplorer(async ({ page, open, click }) => {
    await open("/");
    if (++attempts > losses) return;
    page.browser().process()!.kill("SIGKILL");
    await click("Sign in");
  });
  if (losses > 1) await assert.rejects(visit);
  else await visit;
  return attempts;
}

Deno.test({ name: "explorer: a visit begins again when its browser is lost, once", ignore: !hasBrowser }, async () => {
  assert.equal(await attemptsWith(1), 2);
  assert.equal(await attemptsWith(2), 2);
});

Deno.test({ name: "explorer: a visit that fails is not begun again", ignore: !hasBrowser }, async () => {
  let attempts = 0;
  const visit = inExplorer(() => {
    attempts++;
    return Promise.reject(new Error("the page is wrong"));
  });
  await assert.rejects(visit, /the page is wrong/);
  assert.equal(attempts, 1);
});
