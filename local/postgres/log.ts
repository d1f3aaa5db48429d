// The log of a Postgres server: a file that starts and crashes of the server add to. At its limit it becomes
// `<name>.1`, which replaces the one before.

const MAX_BYTES = 16 << 20;

export class ServerLog {
  #file: Deno.FsFile;
  #size: number;

  constructor(readonly path: string, readonly maxBytes = MAX_BYTES) {
    this.#file = open(path);
    this.#size = this.#file.statSync().size;
  }

  /** Written synchronously, so that the log survives the platform. On a full disk it has gaps and the server continues. */
  write(chunk: Uint8Array): void {
    try {
      if (this.#size > 0 && this.#size + chunk.length > this.maxBytes) this.#rotate();
      for (let at = 0; at < chunk.length;) at += this.#file.writeSync(chunk.subarray(at));
      this.#size += chunk.length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }

  close(): void {
    this.#file.close();
  }

  #rotate(): void {
    Deno.renameSync(this.path, `${this.path}.1`);
    this.#file.close();
    this.#file = open(this.path);
    this.#size = 0;
  }
}

function open(path: string): Deno.FsFile {
  return Deno.openSync(path, { append: true, create: true });
}
