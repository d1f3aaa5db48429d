// A fault of the database driver (postgres 3.4.9): when the server dies, it may write once more to the socket it has just
// let go of, and throws where nobody can catch it. The connection is lost either way and the driver makes another; the
// platform must not die of it.

let guarded = false;

export function surviveDriverFault(log: (line: string) => void): void {
  if (guarded) return;
  guarded = true;
  globalThis.addEventListener("error", (event) => {
    if (!isDriverFault(event.error)) return;
    event.preventDefault();
    log(`The database driver wrote to a connection that was lost: ${event.error.message}`);
  });
}

function isDriverFault(error: unknown): error is TypeError {
  return error instanceof TypeError && /\bnextWrite\b.*\/postgres\/src\/connection\.js/.test(error.stack ?? "");
}
