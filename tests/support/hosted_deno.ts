// The Deno whose core hosted functions run on.
import { tmpdir } from "node:os";

const HOSTED_DENO = "deno@2.1.4";

/** The path of its executable; npm keeps it between runs. */
export async function hostedDeno(): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("npm", {
    args: ["exec", "--yes", `--package=${HOSTED_DENO}`, "--", "deno", "eval", "console.log(Deno.execPath())"],
    cwd: tmpdir(), // away from deno.json, whose lock file that version cannot read
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`npm could not provide ${HOSTED_DENO}:\n${decoder.decode(stderr)}`);
  return decoder.decode(stdout).trim();
}
