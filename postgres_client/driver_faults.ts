// Faults of the database driver (postgres 3.4.9): when the server dies, it may write once more to the socket it has just
// let go of, or fail to connect anew, and throws where nobody can catch it. The connection is lost either way and the
// driver makes another; the platform must not die of it.

let guarded = false;

export function surviveDriverFaults(log: (line: string) => void): void {
  if (guarded) return;
  guarded = true;
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

function fromDriver(error: Error): boolean {
  return /\/postgres\/src\/connection\.js/.test(error.stack ?? "");
}

/** Whether the driver says that a connection was lost or could not be made. */
export function isLostConnection(reason: unknown): reason is Error {
  return reason instanceof Error && "code" in reason && typeof reason.code === "string" &&
    /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|57P0[123])/.test(reason.code);
}
