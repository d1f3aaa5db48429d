// Functions of a platform that was killed. They end by themselves when their standard input does, unless they are busy.
import { processes } from "../process.ts";

/** Ends the processes whose entry module is in this folder. */
export async function endOrphans(folder: string): Promise<void> {
  for (const { pid, args } of await processes()) {
    if (!args.includes(` ${folder}/`) || pid === Deno.pid) continue;
    try {
      Deno.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // it has ended
    }
  }
}
