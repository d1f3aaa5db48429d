// The limits of the platform on a function and on a project, as Supabase states them. docs/operations/limits.md has the same.

export const MEGABYTE = 1024 * 1024;

export const LIMITS = {
  cpuMs: 2_000,
  memoryMb: 256,
  wallClockSeconds: { free: 150, paid: 400 },
  bundleMb: 20,
  logEvents: { count: 100, seconds: 10 },
  logLineCharacters: 10_000,
  /** Of Postgres, on the smallest instances. */
  connections: 60,
} as const;

const thousands = (value: number) => value.toLocaleString("en-US");

/** Each limit in words, as the page and the bench print it. */
export const LIMIT_TEXTS: Readonly<Record<keyof typeof LIMITS, string>> = {
  cpuMs: `${LIMITS.cpuMs / 1000} s of CPU a request`,
  memoryMb: `${LIMITS.memoryMb} MB of memory`,
  wallClockSeconds: `${LIMITS.wallClockSeconds.free} s of wall clock (free), ${LIMITS.wallClockSeconds.paid} s (paid)`,
  bundleMb: `${LIMITS.bundleMb} MB a bundle`,
  logEvents: `${LIMITS.logEvents.count} log events in ${LIMITS.logEvents.seconds} s`,
  logLineCharacters: `${thousands(LIMITS.logLineCharacters)} characters a log line`,
  connections: `${LIMITS.connections} connections of a small instance`,
};
