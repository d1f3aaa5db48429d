// Objects on disk, one file each: a line of JSON that describes it, then its bytes. A file is written under a temporary name
// and renamed, so that a crash leaves the old object or the new one, never a part. Objects are small and read whole.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { removeIfExists } from "../files.ts";

export interface StoredObject {
  readonly contentType: string;
  /** The MD5 of the bytes, quoted. */
  readonly etag: string;
  readonly modified: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const NEWLINE = 10;

export class ObjectStore {
  constructor(readonly folder: string) {}

  /** Removes the temporary files that a crash left. */
  async prepare(): Promise<void> {
    await removeIfExists(join(this.folder, "unfinished"));
    await Deno.mkdir(join(this.folder, "unfinished"), { recursive: true });
  }

  async put(bucket: string, key: string, contentType: string, bytes: Uint8Array<ArrayBuffer>): Promise<StoredObject> {
    const etag = `"${createHash("md5").update(bytes).digest("hex")}"`;
    const description = { key, contentType, etag, modified: new Date().toUTCString() };
    const tempFile = join(this.folder, "unfinished", crypto.randomUUID());
    try {
      await Deno.writeFile(tempFile, new Blob([`${JSON.stringify(description)}\n`, bytes]).stream());
      await Deno.mkdir(join(this.folder, bucket), { recursive: true });
      await Deno.rename(tempFile, this.#path(bucket, key));
    } catch (error) {
      await removeIfExists(tempFile);
      throw error;
    }
    return { ...description, bytes };
  }

  async get(bucket: string, key: string): Promise<StoredObject | undefined> {
    let file: Uint8Array<ArrayBuffer>;
    try {
      file = await Deno.readFile(this.#path(bucket, key));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
    const end = file.indexOf(NEWLINE);
    return { ...JSON.parse(new TextDecoder().decode(file.subarray(0, end))), bytes: file.subarray(end + 1) };
  }

  async delete(bucket: string, key: string): Promise<void> {
    await removeIfExists(this.#path(bucket, key));
  }

  /** A hash of the key: keys are longer than file names may be, and may look like paths. */
  #path(bucket: string, key: string): string {
    return join(this.folder, bucket, createHash("sha256").update(key).digest("hex"));
  }
}
