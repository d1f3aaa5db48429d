// A Git repository with the files of this one.
import { dirname, join } from "node:path";
import { ROOT } from "../../local/settings.ts";
import { git } from "../../tools/release/git.ts";

const AUTHOR = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.hooksPath=/dev/null"];

/** A repository with the files of this one, uncommitted changes included, and one commit. */
export class RepositoryCopy implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  static async make(folder?: string): Promise<RepositoryCopy> {
    const copy = new RepositoryCopy(folder ?? await Deno.makeTempDir());
    const files = (await git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")).split("\0");
    for (const folder of new Set(files.map(dirname))) await Deno.mkdir(join(copy.folder, folder), { recursive: true });
    for (const file of files.filter((name) => name !== "")) {
      await Deno.copyFile(join(ROOT, file), join(copy.folder, file)).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) throw error; // deleted, and not committed yet
      });
    }
    await git(copy.folder, "init", "--quiet");
    // What this repository has need not be compressed again.
    const objects = (await git(ROOT, "rev-parse", "--path-format=absolute", "--git-path", "objects")).trim();
    await Deno.writeTextFile(join(copy.folder, ".git/objects/info/alternates"), `${objects}\n`);
    await copy.commit("first");
    return copy;
  }

  async commit(message: string): Promise<void> {
    await git(this.folder, "add", "--all");
    await git(this.folder, ...AUTHOR, "commit", "--quiet", "--message", message);
  }

  tag(version: string): Promise<string> {
    return git(this.folder, ...AUTHOR, "tag", "--annotate", `v${version}`, "--message", version);
  }

  read(name: string): Promise<string> {
    return Deno.readTextFile(join(this.folder, name));
  }

  async edit(name: string, change: (text: string) => string): Promise<void> {
    await Deno.writeTextFile(join(this.folder, name), change(await this.read(name)));
  }

  async deno(args: string[], env: Record<string, string> = {}): Promise<{ code: number; output: string }> {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: this.folder,
      env: { NO_COLOR: "1", ...env },
    }).output();
    return { code, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Deno.remove(this.folder, { recursive: true });
  }
}
