/// <reference lib="dom" />
/** When the driver means to leave. The service has no field for it: it is kept in this browser, for one session. */
import { OF_USER } from "./storage.ts";

/** Keeps the planned exit of a session; without one nothing is kept. */
export function keepPlan(sessionId: string, exitAt: string | undefined): void {
  if (exitAt === undefined) localStorage.removeItem(OF_USER.plan);
  else localStorage.setItem(OF_USER.plan, JSON.stringify({ sessionId, exitAt }));
}

/** The planned exit of this session. */
export function planOf(sessionId: string): string | undefined {
  try {
    const plan = JSON.parse(localStorage.getItem(OF_USER.plan) ?? "null");
    return plan?.sessionId === sessionId && !Number.isNaN(Date.parse(plan.exitAt)) ? plan.exitAt : undefined;
  } catch {
    return undefined;
  }
}
