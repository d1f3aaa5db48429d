// Files that may be missing, and records that are written whole.

/** Whether there is a file, folder or link at this path. */
export async function fileExists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

export async function readOr(path: string, fallback: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return fallback;
    throw error;
  }
}

export async function removeIfExists(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Writes a record whole or not at all: a crash, or a full disk, leaves the one before. */
export async function writeRecord(path: string, text: string): Promise<void> {
  const partial = `${path}.${crypto.randomUUID()}`;
  try {
    await Deno.writeTextFile(partial, text);
    await Deno.rename(partial, path);
  } catch (error) {
    await removeIfExists(partial);
    throw error;
  }
}

/** The JSON in a record. Throws, with its path and the way out, when it cannot be read. */
export async function readRecord<Value>(path: string, fallback: Value): Promise<Value> {
  const text = await readOr(path, "\0");
  if (text === "\0") return fallback;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw damaged(path, error.message);
  }
}

/** The error about a file that a crash or another program has damaged. */
export function damaged(path: string, reason: string): Error {
  return new Error(
    `${path} is damaged (${reason}). \`deno task reset\` throws the data away; the next start builds it.`,
  );
}
