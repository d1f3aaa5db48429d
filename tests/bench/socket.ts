// A client of Realtime with as little of its own as possible, so that five hundred of them are no load themselves.

export class Socket {
  readonly #socket: WebSocket;
  readonly #joined = Promise.withResolvers<void>();
  readonly #listening = Promise.withResolvers<void>();
  readonly #waiting = new Map<string, () => void>();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #ref = 1;

  /** Joins one channel and listens to the notifications of one person. `onChange` receives the commit time of each change. */
  constructor(url: string, key: string, token: string, user: string, onChange: (committed: string) => void) {
    const address = new URL(`${url.replace(/^http/, "ws")}/realtime/v1/websocket`);
    address.search = new URLSearchParams({ apikey: key, vsn: "2.0.0" }).toString();
    this.#socket = new WebSocket(address);
    this.#socket.onopen = () => {
      const filter = `user_id=eq.${user}`;
      const postgres_changes = [{ event: "*", schema: "public", table: "user_notifications", filter }];
      const payload = { config: { postgres_changes, private: false }, access_token: token };
      this.#frame("1", "1", `realtime:${user}`, "phx_join", payload);
    };
    this.#socket.onmessage = ({ data }) => {
      const [, ref, , event, payload] = JSON.parse(data);
      if (event === "postgres_changes") onChange(payload.data.commit_timestamp);
      else if (event === "system" && payload.status === "ok") this.#listening.resolve();
      else if (event === "system") this.#fail(new Error(payload.message));
      else if (event === "phx_reply" && payload.status !== "ok") this.#fail(new Error(JSON.stringify(payload)));
      else if (event === "phx_reply" && ref === "1") this.#joined.resolve();
      else if (event === "phx_reply") this.#waiting.get(ref)?.();
      if (ref !== null) this.#waiting.delete(ref);
    };
    this.#socket.onclose = ({ code, reason }) => this.#fail(new Error(`The socket was closed: ${code} ${reason}`));
    this.#heartbeat = setInterval(() => this.#frame(null, `${++this.#ref}`, "phoenix", "heartbeat", {}), 25_000);
  }

  /** Resolves when it receives further commits. */
  async listening(): Promise<void> {
    await this.#joined.promise;
    await this.#listening.promise;
  }

  /** Sends a heartbeat and waits for its reply. */
  heartbeat(): Promise<void> {
    const ref = `${++this.#ref}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(ref, resolve);
    this.#frame(null, ref, "phoenix", "heartbeat", {});
    return promise;
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#socket.onclose = null;
    this.#socket.close();
  }

  #fail(error: Error): void {
    this.#joined.reject(error);
    this.#listening.reject(error);
  }

  #frame(...frame: unknown[]): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }
}
