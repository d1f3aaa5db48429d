// How the platform connects to its own database.

/** Options of every connection: no notices on the console, and a short wait after a server that was not there. */
export const connectionOptions = { onnotice: () => {}, backoff: () => 0.1 };
