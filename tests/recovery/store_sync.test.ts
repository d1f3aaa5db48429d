// What a crash leaves of store sync: a sync of 90 days of both stores, killed at random moments, ends with the same tables as
// one without interruption.
import assert from "node:assert/strict";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { chance } from "../support/random.ts";
import {
  type BookReview,
  metricsOfBooks,
  readBooks,
  reviewsOfBooks,
  scriptStores,
  storedMetrics,
  storedReviews,
  storedSales,
} from "../support/store_reports.ts";
import { seed } from "../support/sizes.ts";

const KILLS = 8;
const SEED = seed("STORE_SYNC_SEED", 20_261_128);

/** Two consumers, one for each store; what breaks their connections is no failure. */
async function work({ status }: CrashPlatform): Promise<void> {
  await Promise.all([1, 2].map(async () => {
    const response = await fetch(`${status.FUNCTIONS_URL}/store-sync`, {
      method: "POST",
      headers: { authorization: `Bearer ${status.SERVICE_ROLE_KEY}` },
    }).catch(() => undefined);
    await response?.body?.cancel().catch(() => {});
  }));
}

/** Queries until the database responds again. */
const lasting = <Value>(run: () => Promise<Value>) =>
  eventually(() => run().then((value) => ({ value }), () => undefined)).then(({ value }) => value);

/** Leases of consumers that were killed end now: the test does not wait for them. */
const endLeases = ({ sql }: CrashPlatform) =>
  lasting(async () => {
    await sql`update public.store_sync_runs set lease_ends_at = now(), due_at = now() where status = 'running'`;
    await sql`update pgmq."q_store-sync" set vt = now()`;
  });

/** How many runs are open, and how many parts and reviews are read. */
const progress = ({ sql }: CrashPlatform) =>
  lasting(async () => {
    const [row] = await sql<{ open: number; read: number }[]>`
      select (select count(*)::integer from public.store_sync_runs where status in ('queued', 'running')) as open,
        (select count(*)::integer from private.store_synced_parts) + (select count(*)::integer / 100 from public.store_reviews) as read`;
    return row!;
  });

/** Works until so much is read, or all. */
async function workUntil(platform: CrashPlatform, read: number): Promise<number> {
  let working = false;
  return await eventually(async () => {
    const now = await progress(platform);
    if (now.read >= read || now.open === 0) return now.open;
    if (!working) {
      working = true;
      work(platform).finally(() => working = false);
    }
    return undefined;
  }, 120_000);
}

Deno.test(`store sync: killed at random it ends with the stores' figures (STORE_SYNC_SEED=${SEED})`, async () => {
  await using platform = await crashPlatform();
  const providers = platform.status.PROVIDERS_URL!;
  const random = chance(SEED);
  // So that there is time to be killed in.
  await scriptStores({ latency_ms: 15 }, providers);
  await platform.sql`select private.start_store_sync('all', 'all', null)`;
  let kills = 0;
  while (kills < KILLS && await workUntil(platform, (await progress(platform)).read + 2 + random.below(28)) > 0) {
    if (random.below(3) === 0) await platform.killDatabase();
    else await eventually(() => platform.killFunction("store-sync").then(() => true, () => undefined));
    kills++;
    await endLeases(platform);
  }
  assert.ok(kills >= 5, `${kills} kills`);
  await scriptStores({ latency_ms: 0 }, providers);
  while (await workUntil(platform, Infinity) > 0);

  const { sql } = platform;
  const runs = await sql`select status, error from public.store_sync_runs`;
  assert.deepEqual(runs.map(({ status, error }) => [status, error]), Array(6).fill(["succeeded", null]));
  assert.deepEqual(await storedSales(sql), (await readBooks("sales", providers)).books);
  const { books: reviews } = await readBooks<BookReview>("reviews", providers);
  assert.deepEqual(await storedReviews(sql), reviewsOfBooks(reviews));
  const { books: metrics } = await readBooks<Parameters<typeof metricsOfBooks>[0][number]>("metrics", providers);
  assert.deepEqual(await storedMetrics(sql), metricsOfBooks(metrics));
  assert.equal((await sql`select from pgmq."q_store-sync"`).length, 0);
});
