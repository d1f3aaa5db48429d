// The processes that started this one: `npx … deno task dev` is a chain of processes, and a signal that ends one of them does not reach
// the others.
import { isRunning, processes } from "./process.ts";

const CHECK_INTERVAL_MS = 500;
/** npx, its shell, and the programs between it and this process. The user's own shell does not match. */
const LINK = /^(npm exec |npx |(\S*\/)?(node|deno) |(\S*\/)?sh -c (-- )?['"]?(\S*\/)?deno['"]? )/;

/** Calls `onExit` once when a process of the chain has ended. */
export async function onParentExit(onExit: () => void): Promise<void> {
  const chain = await parents();
  if (chain.length === 0) return;
  const timer = setInterval(() => {
    if (chain.every(isRunning)) return;
    clearInterval(timer);
    onExit();
  }, CHECK_INTERVAL_MS);
  Deno.unrefTimer(timer);
}

/** The processes above this one that belong to the command. */
async function parents(): Promise<number[]> {
  const all = new Map((await processes()).map((one) => [one.pid, one]));
  const chain: number[] = [];
  for (let pid = Deno.ppid;;) {
    const found = all.get(pid);
    if (found === undefined || !LINK.test(found.args)) return chain;
    chain.push(pid);
    pid = found.parent;
  }
}
