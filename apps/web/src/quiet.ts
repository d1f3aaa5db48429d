/// <reference lib="dom" />
/** Whether the page is loading something, so that what can wait does not slow it. */

const REST_MS = 1_500;

let running = 0;
let lastEnd = performance.now();

/** Counts a request until it has ended. */
export async function counted<Result>(request: Promise<Result>): Promise<Result> {
  running++;
  try {
    return await request;
  } finally {
    running--;
    lastEnd = performance.now();
  }
}

/** Resolves when the page has loaded, and nothing has been requested for a while. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      const isQuiet = running === 0 && performance.now() - lastEnd > REST_MS && document.readyState === "complete";
      if (isQuiet) resolve();
      else setTimeout(check, REST_MS);
    };
    check();
  });
}
