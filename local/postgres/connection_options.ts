// Connections of the platform to its own database.

/** Options of every connection: no notices on the console, and a short pause before it reconnects. */
export const connectionOptions = { onnotice: () => {}, backoff: () => 0.1 };
