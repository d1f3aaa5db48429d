// https://REF.example.test on this machine: a proxy to which the CLI connects, and a server with a certificate of its own.
import { issue, pemOf } from "../../local/standins/app_store/certificates.ts";

export class ProjectHost implements AsyncDisposable {
  private constructor(
    readonly server: Deno.HttpServer<Deno.NetAddr>,
    readonly proxy: Deno.TcpListener,
  ) {}

  /** Requests to hosts below `domain` reach `answer`. Connections to other hosts are closed. */
  static async start(domain: string, answer: (request: Request) => Promise<Response>): Promise<ProjectHost> {
    const identity = await issue({ name: domain, curve: "P-384" });
    const server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      cert: pemOf(identity),
      key: await privateKeyPem(identity.keys.privateKey),
      onListen: () => {},
    }, answer);
    const host = new ProjectHost(server, Deno.listen({ hostname: "127.0.0.1", port: 0 }));
    host.#accept(domain);
    return host;
  }

  /** What makes a program connect here. The certificate is not one that it knows. */
  get environment(): Record<string, string> {
    return { HTTPS_PROXY: `http://127.0.0.1:${this.proxy.addr.port}`, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.proxy.close();
    await this.server.shutdown();
  }

  async #accept(domain: string): Promise<void> {
    for await (const client of this.proxy) {
      this.#tunnel(client, domain).catch(() => client.close()); // the program has gone
    }
  }

  async #tunnel(client: Deno.Conn, domain: string): Promise<void> {
    const buffer = new Uint8Array(4096);
    let head = "";
    while (!head.includes("\r\n\r\n")) {
      const size = await client.read(buffer);
      if (size === null) return client.close();
      head += new TextDecoder().decode(buffer.subarray(0, size));
    }
    const [, name] = head.match(/^CONNECT ([\w.-]+):443 /) ?? [];
    if (name === undefined || !name.endsWith(`.${domain}`)) return client.close();
    await client.write(new TextEncoder().encode("HTTP/1.1 200 Connection established\r\n\r\n"));
    const server = await Deno.connect({ hostname: "127.0.0.1", port: this.server.addr.port });
    await Promise.allSettled([
      client.readable.pipeTo(server.writable),
      server.readable.pipeTo(client.writable),
    ]);
  }
}

async function privateKeyPem(key: CryptoKey): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key));
  return `-----BEGIN PRIVATE KEY-----\n${bytes.toBase64()}\n-----END PRIVATE KEY-----\n`;
}
