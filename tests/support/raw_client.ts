// A client on a raw socket, which can send any bytes and disconnect at any time.

export class RawClient implements AsyncDisposable {
  #isClosed = false;

  private constructor(readonly connection: Deno.TcpConn) {}

  static async connect(port: number): Promise<RawClient> {
    return new RawClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  async send(text: string): Promise<void> {
    await this.connection.write(new TextEncoder().encode(text));
  }

  /** The next bytes that come; empty when nothing comes any more. */
  async receive(): Promise<string> {
    const bytes = new Uint8Array(65_536);
    const size = await this.connection.read(bytes);
    return new TextDecoder().decode(bytes.subarray(0, size ?? 0));
  }

  /** Sends no more, but could still read. */
  async closeWrite(): Promise<void> {
    await this.connection.closeWrite();
  }

  close(): Promise<void> {
    if (!this.#isClosed) this.connection.close();
    this.#isClosed = true;
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
