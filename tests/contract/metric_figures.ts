// Figures of the service in which every metric has a value.
import type { ServiceFigures } from "../../supabase/functions/health/metrics.ts";

const AT = "2026-11-23T10:00:00Z";

export const FIGURES: ServiceFigures = {
  at: AT,
  requests: [
    {
      method: "GET",
      route: "/a",
      status: 200,
      access: "user",
      buckets: [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3],
      seconds: 100.5,
    },
    {
      method: "GET",
      route: "/a",
      status: 201,
      access: "user",
      buckets: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      seconds: 0.5,
    },
    {
      method: "GET",
      route: "/a",
      status: 503,
      access: "user",
      buckets: [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      seconds: 0.1,
    },
  ],
  queues: {
    at: AT,
    items: [
      { queue: "mail", length: 3, due: 2, oldest_due_at: "2026-11-23T09:58:30Z", dead: 1 },
      { queue: "store-sync", length: 0, due: 0, oldest_due_at: null, dead: 0 },
    ],
  },
  jobs: {
    at: AT,
    items: [
      { name: 'p"u\\r\nge', is_active: true, failed_24h: 2, is_failing: true, succeeded_at: null },
      { name: "mail", is_active: true, failed_24h: 0, is_failing: false, succeeded_at: AT },
    ],
  },
  statements: { at: AT, mean_ms: [800, 500, 20.5] },
  outages: [
    {
      queue: "mail",
      reason: "quota",
      failures: 2,
      failing_since: "2026-11-23T09:00:00Z",
      paused_until: "2026-11-23T10:00:30Z",
    },
    { queue: "push-dispatch", reason: null, failures: 0, failing_since: null, paused_until: null },
  ],
  store_sync: [{ store: "ios_store", task: "sales", succeeded_at: AT, failed_24h: 0 }],
  withdrawals: { open: 0, oldest_at: null },
  last_job_started_at: AT,
  database: {
    size_bytes: 10,
    commits: 5,
    rollbacks: 1,
    blocks_hit: 99,
    blocks_read: 1,
    deadlocks: 0,
    temp_bytes: 0,
    connections: { idle: 4, active: 1 },
    max_connections: 60,
    longest_transaction_seconds: 1.25,
    retained_bytes: 0,
  },
};
