// Redis (apt-get install redis-server) with the same lots, for the comparison.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { freePort } from "../../../local/state.ts";
import { stopProcess } from "../../../local/process.ts";
import { activeLots } from "../lots.ts";
import { LIMIT, type Ours } from "./ours.ts";

type Reply = string | number | null | Reply[];

const BATCH = 1_000;

/** Undefined when Redis is not installed. */
export async function redis(url: string): Promise<Ours | undefined> {
  const port = freePort(0)!;
  let server: Deno.ChildProcess;
  try {
    server = new Deno.Command("redis-server", {
      args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const client = await RedisClient.connect(port);
  await load(client, url);
  return {
    contenders: [{
      name: "Redis GEOSEARCH",
      run: async ({ lat, lng, radius_m }) => {
        const reply = await client.call([
          ..."GEOSEARCH lots FROMLONLAT".split(" "),
          String(lng),
          String(lat),
          "BYRADIUS",
          String(radius_m),
          ...`m ASC COUNT ${LIMIT} WITHDIST`.split(" "),
        ]);
        return (reply as Reply[]).length;
      },
    }],
    stop: async () => {
      client.close();
      await stopProcess(server.pid, [["SIGTERM", 5_000], ["SIGKILL", 3_000]]);
      await server.status;
    },
  };
}

async function load(client: RedisClient, url: string): Promise<void> {
  let words: string[] = [];
  const send = async () => {
    if (words.length > 0) await client.call(["GEOADD", "lots", ...words]);
    words = [];
  };
  for await (const line of createInterface({ input: Readable.from(activeLots(url)) })) {
    const [id, lat, lng] = line.split("\t");
    words.push(lng!, lat!, id!);
    if (words.length === 3 * BATCH) await send();
  }
  await send();
}

/** As much of the protocol (RESP2) as the two commands need: one call at a time. */
class RedisClient {
  #text = "";
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #chunk = new Uint8Array(65_536);

  constructor(readonly connection: Deno.TcpConn) {}

  static async connect(port: number): Promise<RedisClient> {
    const deadline = Date.now() + 10_000;
    for (;;) {
      try {
        const connection = await Deno.connect({ hostname: "127.0.0.1", port });
        connection.setNoDelay(true);
        return new RedisClient(connection);
      } catch (error) {
        if (!(error instanceof Deno.errors.ConnectionRefused) || Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async call(words: readonly string[]): Promise<Reply> {
    const bytes = this.#encoder.encode(
      `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`,
    );
    for (let sent = 0; sent < bytes.length;) sent += await this.connection.write(bytes.subarray(sent));
    return await this.#reply();
  }

  close(): void {
    this.connection.close();
  }

  async #reply(): Promise<Reply> {
    const line = await this.#line();
    const [kind, rest] = [line[0], line.slice(1)];
    if (kind === "-") throw new Error(`Redis: ${rest}`);
    if (kind === ":") return Number(rest);
    if (kind === "$") return rest === "-1" ? null : await this.#line();
    if (kind !== "*") return rest;
    const items: Reply[] = [];
    for (let left = Number(rest); left > 0; left--) items.push(await this.#reply());
    return items;
  }

  /** Ids, distances and lengths hold no line break, so a line is always a whole value. */
  async #line(): Promise<string> {
    let end: number;
    while ((end = this.#text.indexOf("\r\n")) < 0) {
      const read = await this.connection.read(this.#chunk);
      if (read === null) throw new Error("Redis closed the connection");
      this.#text += this.#decoder.decode(this.#chunk.subarray(0, read), { stream: true });
    }
    const line = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 2);
    return line;
  }
}
