// A proxy between a client and the gateway, which can stop passing bytes without closing its connections.

export interface Proxy extends AsyncDisposable {
  readonly apiUrl: string;
  /** From now on nothing passes on the connections there are; new ones pass. */
  mute(): void;
  /** Breaks the connections there are. */
  cut(): void;
  /** Breaks the connections there are, and all new ones until it is called with false. */
  setOffline(isOffline: boolean): void;
  /** How many connections there were. */
  readonly connections: number;
}

export function proxyTo(apiUrl: string): Proxy {
  const { hostname, port } = new URL(apiUrl);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const pipes = new Set<Pipe>();
  let connections = 0;
  let isOffline = false;
  const cut = () => pipes.forEach((pipe) => pipe.cut());
  const accepting = (async () => {
    for await (const inner of listener) {
      connections++;
      if (isOffline) {
        inner.close();
        continue;
      }
      pipes.add(new Pipe(inner, await Deno.connect({ hostname, port: Number(port) })));
    }
  })();
  return {
    apiUrl: `http://127.0.0.1:${listener.addr.port}`,
    mute: () => pipes.forEach((pipe) => pipe.mute()),
    cut,
    setOffline: (value) => {
      isOffline = value;
      if (isOffline) cut();
    },
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await accepting;
      for (const pipe of pipes) pipe.cut();
      await Promise.all([...pipes].map((pipe) => pipe.done));
    },
  };
}

class Pipe {
  #muted = false;
  readonly done: Promise<unknown>;

  constructor(readonly inner: Deno.Conn, readonly outer: Deno.Conn) {
    this.done = Promise.all([this.#carry(inner, outer), this.#carry(outer, inner)]);
  }

  mute(): void {
    this.#muted = true;
  }

  cut(): void {
    for (const end of [this.inner, this.outer]) {
      try {
        end.close();
      } catch (error) {
        if (!(error instanceof Deno.errors.BadResource)) throw error; // it is closed
      }
    }
  }

  async #carry(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const bytes = new Uint8Array(1 << 16);
    try {
      for (let count = await from.read(bytes); count !== null; count = await from.read(bytes)) {
        for (let sent = 0; sent < count && !this.#muted;) sent += await to.write(bytes.subarray(sent, count));
      }
    } catch (error) {
      const closed = [
        Deno.errors.BadResource,
        Deno.errors.Interrupted,
        Deno.errors.ConnectionReset,
        Deno.errors.BrokenPipe,
      ];
      if (!closed.some((kind) => error instanceof kind)) throw error;
    }
    this.cut();
  }
}
