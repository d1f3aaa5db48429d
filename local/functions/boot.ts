// Runs in a function's process before the function: deletes the environment variables that the function must not read, and
// makes Deno.serve listen on a port of this machine. Must also run under the Deno version of the hosted runtime.

const [marker = "", ...allowed] = Deno.args;
for (const name of Object.keys(Deno.env.toObject())) {
  if (!allowed.includes(name)) Deno.env.delete(name);
}

// The platform holds the other end and never writes. When it ends, even by SIGKILL, this process ends.
async function untilClosed(end: (code: number) => never): Promise<void> {
  for await (const _ of Deno.stdin.readable);
  end(0);
}
untilClosed(Deno.exit);

const serve = Deno.serve as (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler) => unknown;

function listen(handler: Deno.ServeHandler, onError?: Deno.ServeTcpOptions["onError"]): unknown {
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
