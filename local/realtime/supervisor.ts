// The realtime server in a process of its own.
import { Supervisor } from "../supervisor.ts";

export interface RealtimeOptions {
  /** The module that serves. */
  readonly entry: string;
  /** Connects as the superuser. */
  readonly databaseUrl: string;
  /** Whether only private channels can be joined. */
  readonly privateOnly?: boolean;
  readonly log: (line: string) => void;
}

/** Environment variables of the process. */
export const DATABASE_URL = "REALTIME_DATABASE_URL";
export const PRIVATE_ONLY = "REALTIME_PRIVATE_ONLY";

const STOP_TIMEOUT_MS = 600;

export function superviseRealtime({ entry, databaseUrl, privateOnly = false, log }: RealtimeOptions): Supervisor {
  return new Supervisor({
    name: "server",
    entry,
    args: [new URL(databaseUrl).host], // not read: it is for people who list processes
    env: { [DATABASE_URL]: databaseUrl, [PRIVATE_ONLY]: String(privateOnly) },
    stopTimeoutMs: STOP_TIMEOUT_MS,
    log,
  });
}
