/** Whether this machine can run the browser of the tests (tests/browser/chromium.ts): its package has one kind alone. */
export const hasBrowser = Deno.build.os === "linux" && Deno.build.arch === "x86_64";
