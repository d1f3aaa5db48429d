// The newest release of this repository: the newest tag v… before the present commit.

export async function git(folder: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", { args: ["-C", folder, ...args] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Undefined if there is no release, or no git. */
export async function newestRelease(folder: string): Promise<string | undefined> {
  return (await git(folder, "describe", "--tags", "--abbrev=0", "--match=v*").catch(() => "")).trim() || undefined;
}
