// Faults of the database driver (postgres 3.4.9): when the server crashes, it may write to a closed socket or fail to
// reconnect, and throws where no caller can catch it. It opens another connection; the process must not end.

let isInstalled = false;

export function surviveDriverFaults(log: (line: string) => void): void {
  if (isInstalled) return;
  isInstalled = true;
  globalThis.addEventListener("error", (event) => {
    if (!(event.error instanceof TypeError) || !fromDriver(event.error)) return;
    event.preventDefault();
    log(`The database driver used a connection that was lost: ${event.error.message}`);
  });
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (!isLostConnection(event.reason)) return;
    event.preventDefault();
    log(`The database driver lost a connection: ${event.reason.message}`);
  });
}

/** Whether the driver threw this; in Deno's cache its folder is named by its version. */
export function fromDriver(error: Error): boolean {
  return /\/postgres\/(?:[\d.]+\/)?src\/connection\.js/.test(error.stack ?? "");
}

/** Whether this is an error of the driver about a lost or failed connection. */
export function isLostConnection(reason: unknown): reason is Error {
  return reason instanceof Error && "code" in reason && typeof reason.code === "string" &&
    /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|57P0[123])/.test(reason.code);
}
