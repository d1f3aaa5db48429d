// Objects on disk, one file each: a line of JSON that describes it, then its bytes. A file is written aside and renamed,
// so that a crash leaves the old object or the new one, never a part.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { removeIfExists } from "../files.ts";

export interface Description {
  readonly key: string;
  readonly size: number;
  readonly contentType: string;
  /** The MD5 of the bytes, quoted. */
  readonly etag: string;
  readonly modified: string;
}

export interface StoredObject {
  readonly description: Description;
  /** The bytes from one place to another, both included. */
  read(from: number, to: number): ReadableStream<Uint8Array>;
  close(): void;
}

/** Told of the bytes as they come; what it throws ends the writing. */
export type Watch = (chunk: Uint8Array) => void;

const NEWLINE = 10;
const CHUNK = 64 * 1024;

export class Objects {
  constructor(readonly folder: string) {}

  /** Removes what a crash has left half written. */
  async prepare(): Promise<void> {
    await removeIfExists(join(this.folder, "unfinished"));
    await Deno.mkdir(join(this.folder, "unfinished"), { recursive: true });
  }

  /** Stores the bytes under the key once `finish`, called at their end, lets them pass. */
  async put(
    bucket: string,
    key: string,
    contentType: string,
    body: ReadableStream<Uint8Array> | null,
    watch: Watch,
    finish: () => void,
  ): Promise<Description> {
    const chunks: Uint8Array[] = []; // uploads are small; their size and hash stand before them in the file
    const md5 = createHash("md5");
    let size = 0;
    for await (const chunk of body ?? []) {
      watch(chunk);
      md5.update(chunk);
      size += chunk.length;
      chunks.push(chunk);
    }
    finish();
    const description = { key, size, contentType, etag: `"${md5.digest("hex")}"`, modified: new Date().toUTCString() };
    const aside = join(this.folder, "unfinished", crypto.randomUUID());
    try {
      using file = await Deno.open(aside, { write: true, createNew: true });
      for (const chunk of [new TextEncoder().encode(`${JSON.stringify(description)}\n`), ...chunks]) {
        for (let written = 0; written < chunk.length;) written += await file.write(chunk.subarray(written));
      }
      await file.sync();
      await Deno.mkdir(join(this.folder, bucket), { recursive: true });
      await Deno.rename(aside, this.#path(bucket, key));
    } catch (error) {
      await removeIfExists(aside);
      throw error;
    }
    return description;
  }

  /** The object, to be closed or read to its end; undefined when there is none. */
  async get(bucket: string, key: string): Promise<StoredObject | undefined> {
    let file: Deno.FsFile;
    try {
      file = await Deno.open(this.#path(bucket, key));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
    const { description, start } = await head(file);
    return { description, read: (from, to) => slice(file, start + from, to - from + 1), close: () => file.close() };
  }

  async delete(bucket: string, key: string): Promise<void> {
    await removeIfExists(this.#path(bucket, key));
  }

  /** Keys are longer than file names may be, and may look like paths. */
  #path(bucket: string, key: string): string {
    return join(this.folder, bucket, createHash("sha256").update(key).digest("hex"));
  }
}

async function head(file: Deno.FsFile): Promise<{ description: Description; start: number }> {
  const buffer = new Uint8Array(CHUNK); // a key has at most 1024 bytes: the line is far shorter
  let filled = 0;
  for (;;) {
    const end = buffer.subarray(0, filled).indexOf(NEWLINE);
    if (end >= 0) {
      return { description: JSON.parse(new TextDecoder().decode(buffer.subarray(0, end))), start: end + 1 };
    }
    const count = await file.read(buffer.subarray(filled));
    if (count === null) throw new Error("An object's file has no description");
    filled += count;
  }
}

function slice(file: Deno.FsFile, from: number, length: number): ReadableStream<Uint8Array> {
  let left = length;
  return new ReadableStream({
    start: async () => void await file.seek(from, Deno.SeekMode.Start),
    async pull(controller) {
      const buffer = new Uint8Array(Math.min(CHUNK, left));
      const count = left > 0 ? await file.read(buffer) : null;
      if (count === null) {
        file.close();
        return controller.close();
      }
      left -= count;
      controller.enqueue(buffer.subarray(0, count));
    },
    cancel: () => file.close(),
  });
}
