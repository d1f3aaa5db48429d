// A process of tests, which is ended when it hangs.
import process from "node:process";
import { hasEnded, processes } from "../../local/process.ts";

/** So long tests may print nothing. The longest test, or step of one, takes a minute. */
const SILENT_SECONDS = Number(Deno.env.get("DENO_SILENT_SECONDS")) || 300;

export interface Ended {
  readonly code: number;
  /** What it wrote to its standard output. */
  readonly output: string;
  /** Why it was ended, and what ran then; undefined for one that ended by itself. */
  readonly hung: string | undefined;
}

/** Waits until a process has ended. It gets each part of what the process writes, to both of its outputs. */
export async function untilEnded(
  child: Deno.ChildProcess,
  onOutput: (bytes: Uint8Array) => void | Promise<void>,
): Promise<Ended> {
  let heard = performance.now(), hung: string | undefined;
  const streams = [child.stdout.getReader(), child.stderr.getReader()];
  const watch = setInterval(async () => {
    if (hung !== undefined || performance.now() - heard < SILENT_SECONDS * 1_000) return;
    hung = `Nothing was printed for ${SILENT_SECONDS} s. These were running, and were ended:`;
    const running = await withChildren(child.pid);
    for (const { pid, args } of running) hung += `\n  ${pid} ${args}\n    ${await threadsOf(pid)}`;
    for (const { pid } of running) kill(pid);
    // A process that is no child any more may keep them open.
    for (const stream of streams) await stream.cancel();
  }, 1_000);
  const [{ code }, output] = await Promise.all([
    child.status,
    ...streams.map(async (stream) => {
      const decoder = new TextDecoder();
      let text = "";
      for (let part = await stream.read(); part.value !== undefined; part = await stream.read()) {
        heard = performance.now();
        await onOutput(part.value);
        text += decoder.decode(part.value, { stream: true });
      }
      return text;
    }),
  ]);
  clearInterval(watch);
  return { code, output: output!, hung };
}

/** A process and those that it started, and they, and so on. */
async function withChildren(pid: number): Promise<{ pid: number; args: string }[]> {
  const all = await processes();
  const found = all.filter((each) => each.pid === pid);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

/** The threads of a process with what each waits for, which is 0 for one that runs; empty where the system does not show it. */
async function threadsOf(pid: number): Promise<string> {
  const threads: string[] = [];
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
      const [comm, waits] = await Promise.all(
        ["comm", "wchan"].map((file) => Deno.readTextFile(`/proc/${pid}/task/${name}/${file}`)),
      );
      threads.push(`${comm!.trim()}: ${waits}`);
    }
  } catch (error) {
    if (!hasEnded(error)) throw error;
  }
  return threads.join(", ");
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it has ended
  }
}
