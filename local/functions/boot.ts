// Runs inside a function's process, before the function: takes away what is not the function's to see, and sends
// Deno.serve to a port that only this machine reaches. Must run under the hosted runtime's Deno as well as under ours.

const [marker = "", ...given] = Deno.args;
for (const name of Object.keys(Deno.env.toObject())) {
  if (!given.includes(name)) Deno.env.delete(name);
}

// The platform holds the other end and never writes: when it ends, however it ends, so does this process.
async function untilClosed(end: (code: number) => never): Promise<void> {
  for await (const _ of Deno.stdin.readable);
  end(0);
}
untilClosed(Deno.exit);

const serve = Deno.serve as (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler) => unknown;
let served = false;

function listen(handler: Deno.ServeHandler, onError?: Deno.ServeTcpOptions["onError"]): unknown {
  served = true;
  return serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(`${marker}${port}`),
    ...(onError === undefined ? {} : { onError }),
  }, handler);
}

type Served = Deno.ServeHandler | (Deno.ServeTcpOptions & { handler?: Deno.ServeHandler });

Object.defineProperty(Deno, "serve", {
  configurable: true,
  value: (first: Served, second?: Deno.ServeHandler) => {
    const options = typeof first === "function" ? undefined : first;
    const handler = second ?? (typeof first === "function" ? first : first.handler);
    if (handler === undefined) throw new TypeError("Deno.serve needs a handler");
    return listen(handler, options?.onError);
  },
});

/** Serves a module that exports its handler (`export default { fetch }`) instead of calling Deno.serve. */
export function serveExport(
  module: { default?: { fetch?: (request: Request) => Response | Promise<Response> } },
): void {
  const exported = module.default;
  if (!served && typeof exported?.fetch === "function") listen((request) => exported.fetch!(request));
}
