/** Writes a folder as a whole: a reader finds the files of one build, also while two processes build. */
export async function replaceFolder(folder: string, write: (folder: string) => Promise<void>): Promise<void> {
  const next = `${folder}.${Deno.pid}`;
  try {
    await Deno.mkdir(next, { recursive: true });
    await write(next);
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.rename(next, folder).catch((error) => {
      // Another process has built the same meanwhile.
      if (error.code !== "ENOTEMPTY") throw error;
    });
  } finally {
    await Deno.remove(next, { recursive: true }).catch(() => {});
  }
}
