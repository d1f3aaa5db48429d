import { Buffer } from "node:buffer";
import { join } from "node:path";

/**
 * Writes a folder as a whole. Where a build has what is there already, nothing is replaced: a process that serves the folder
 * never misses a file because another one builds the same.
 */
export async function replaceFolder(folder: string, write: (folder: string) => Promise<void>): Promise<void> {
  const next = `${folder}.${Deno.pid}`, former = `${next}.former`;
  try {
    await Deno.mkdir(next, { recursive: true });
    await write(next);
    if (await hasFilesOf(next, folder)) return;
    await Deno.rename(folder, former).catch(unless("ENOENT"));
    // Another process may have built meanwhile.
    await Deno.rename(next, folder).catch(unless("ENOTEMPTY"));
  } finally {
    for (const path of [next, former]) await Deno.remove(path, { recursive: true }).catch(() => {});
  }
}

function unless(code: string) {
  return (error: { code?: string }) => {
    if (error.code !== code) throw error;
  };
}

/** Whether a folder has every file of another one, with the same bytes. */
async function hasFilesOf(other: string, folder: string): Promise<boolean> {
  for await (const { name, isDirectory } of Deno.readDir(other)) {
    const [path, otherPath] = [join(folder, name), join(other, name)];
    if (!await (isDirectory ? hasFilesOf(otherPath, path) : isSameFile(otherPath, path))) return false;
  }
  return true;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const sizes = await Promise.all(
    [one, other].map((path) => Deno.stat(path).then(({ size }) => size, () => undefined)),
  );
  if (sizes[0] !== sizes[1]) return false;
  const [bytes, otherBytes] = await Promise.all([one, other].map((path) => Deno.readFile(path)));
  return Buffer.compare(bytes!, otherBytes!) === 0;
}
