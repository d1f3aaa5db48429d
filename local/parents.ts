// Who started this process: `npx … deno task dev` is a chain of processes, and a signal that ends one of them does not reach
// the others.
import { alive, processes } from "./process.ts";

const LOOK_EVERY_MS = 500;
/** npx, its shell, and the programs between it and this process. A shell of the user's is none of them. */
const LINK = /^(npm exec |npx |(\S*\/)?(node|deno) |(\S*\/)?sh -c (-- )?['"]?(\S*\/)?deno['"]? )/;

/** Calls `gone` once when a process of the chain has ended. */
export async function onParentsGone(gone: () => void): Promise<void> {
  const chain = await parents();
  if (chain.length === 0) return;
  const timer = setInterval(() => {
    if (chain.every(alive)) return;
    clearInterval(timer);
    gone();
  }, LOOK_EVERY_MS);
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
