// The smoke test of a deployment: what a user does, once, with an account that is removed at the end.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Sql } from "postgres";
import { migrationFingerprints } from "../fingerprints.ts";
import { withDatabase } from "./database.ts";
import { databaseAddress, type Settings } from "./settings.ts";

/** New functions answer within this time. */
const READY_TIMEOUT_MS = 120_000;
const CHANGE_TIMEOUT_MS = 60_000;
/** Jobs run every minute. */
const JOB_TIMEOUT_MS = 150_000;
const PAUSE_MS = 500;
/** The place of the search; any place will do. */
const PLACE = { lat: 35.6812, lng: 139.7671 };

/** A place that is no prefecture or municipality. */
const STATION = "浅草";

/** What the smoke test does, for a person. */
export const SMOKE_TEST = [
  "GET /v1/health/ready until it has the newest migration of this folder",
  "GET /v1/parking-lots/nearby",
  "GET /v1/places?q=浅草, which only the places of `deno task places` have",
  "create a user, sign in, GET /v1/me",
  "write a notification for the user, and receive it by Realtime",
  "call a function as jobs do, with the secrets of the vault; wait for the next run of a job",
  "delete the user",
];

/** Returns what was checked; throws at the first thing that does not work. */
export async function smokeTest(settings: Settings, root: string): Promise<string[]> {
  const done: string[] = [];
  const newest = Object.keys(await migrationFingerprints(root)).at(-1)!;
  await waitFor(READY_TIMEOUT_MS, `GET /v1/health/ready has the migration ${newest}`, async () => {
    const { status, body } = await get(settings, "health/ready");
    const { migration } = body as { migration?: string };
    return status === 200 && newest.startsWith(`${migration}_`) ? { value: true } : { why: said(status, body) };
  });
  done.push(`ready with ${newest}`);

  const search = await get(settings, `parking-lots/nearby?lat=${PLACE.lat}&lng=${PLACE.lng}&limit=1`);
  if (search.status !== 200 || !Array.isArray(search.body)) {
    throw new Error(`The search failed: ${said(search.status, search.body)}`);
  }
  done.push(`a search: ${search.body.length} lots`);

  const places = await get(settings, `places?q=${encodeURIComponent(STATION)}&limit=1`);
  const { items } = places.body as { items?: readonly { readonly kind: string }[] };
  if (items?.[0]?.kind !== "station") {
    throw new Error(`The places were not loaded (deno task places): ${said(places.status, places.body)}`);
  }
  done.push("places of all kinds are known");

  await withDatabase(databaseAddress(settings), async (sql) => {
    await withUser(settings, async (client, user) => {
      const { data: { session } } = await client.auth.getSession();
      const me = await get(settings, "me", { authorization: `Bearer ${session!.access_token}` });
      if (me.status !== 200) throw new Error(`GET /v1/me of a new user failed: ${said(me.status, me.body)}`);
      done.push("a new user signs in");
      await receivesChange(client, sql, user);
      done.push("a change arrives by Realtime");
    });
    done.push("the user is deleted");
    await callsFunction(sql);
    done.push("the database calls a function with the secrets of the vault");
    done.push(`a job ran: ${await nextJob(sql)}`);
  });
  return done;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

async function get(settings: Settings, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  try {
    const response = await fetch(`${settings.apiUrl}/functions/v1/${path}`, {
      headers: { apikey: settings.publishableKey, ...headers },
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) };
    } catch {
      return { status: response.status, body: text };
    }
  } catch (error) {
    return { status: 0, body: String(error) }; // the address cannot be reached yet
  }
}

function said(status: number, body: unknown): string {
  return `${status === 0 ? "no response" : `status ${status}`}, ${JSON.stringify(body).slice(0, 300)}`;
}

async function waitFor<Value>(
  milliseconds: number,
  what: string,
  look: () => Promise<{ value: Value } | { why: string }>,
): Promise<Value> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const found = await look();
    if ("value" in found) return found.value;
    if (performance.now() > deadline) {
      throw new Error(
        `Timed out after ${milliseconds / 1000} seconds: ${what}. The last answer: ${found.why}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Runs as a new user, and deletes the account whatever happens. */
async function withUser(
  { apiUrl, secretKey, publishableKey }: Settings,
  act: (client: SupabaseClient, user: string) => Promise<void>,
): Promise<void> {
  const options = { auth: { persistSession: false, autoRefreshToken: false } };
  const admin = createClient(apiUrl, secretKey, options);
  const email = `deployment-check-${crypto.randomUUID()}@example.com`;
  const password = `${crypto.randomUUID()}A1`;
  const { data, error } = await admin.auth.admin.createUser({ email, password, email_confirm: true });
  if (error !== null) throw new Error(`A user could not be created with SUPABASE_SECRET_KEY: ${error.message}`);
  const id = data.user.id;
  const client = createClient(apiUrl, publishableKey, options);
  try {
    const { error } = await client.auth.signInWithPassword({ email, password });
    if (error !== null) throw new Error(`The new user could not sign in: ${error.message}`);
    await act(client, id);
  } finally {
    await client.removeAllChannels();
    await client.realtime.disconnect();
    const { error } = await admin.auth.admin.deleteUser(id);
    if (error !== null) console.error(`The user ${id} of the smoke test is left. Delete it: ${error.message}`);
  }
}

async function receivesChange(client: SupabaseClient, sql: Sql, user: string): Promise<void> {
  const topic = `user_notifications:user_id=eq.${user}`;
  const filter = { event: "*", schema: "public", table: "user_notifications", filter: `user_id=eq.${user}` } as const;
  let listens = false;
  let problem = "no answer to the join";
  const received = new Set<unknown>();
  await client.realtime.setAuth();
  client.channel(topic, { config: { private: true } })
    .on("postgres_changes", filter, ({ new: row }) => received.add((row as { id?: string }).id))
    .on("system", {}, ({ extension, status }: { extension: string; status: string }) => {
      if (extension === "postgres_changes" && status === "ok") listens = true;
    })
    .subscribe((status, error) => problem = error?.message ?? status);
  await waitFor(
    CHANGE_TIMEOUT_MS,
    "Realtime lets the user join",
    () => Promise.resolve(listens ? { value: true } : { why: problem }),
  );
  const id = crypto.randomUUID();
  await sql`
    insert into public.user_notifications (id, user_id, type, title, body, target, status, sent_at)
    values (${id}, ${user}, 'announcement', 'Deployment', 'Smoke test', 'user', 'sent', now())`;
  await waitFor(
    CHANGE_TIMEOUT_MS,
    "Realtime sends the user's new notification",
    () => Promise.resolve(received.has(id) ? { value: true } : { why: "nothing was received" }),
  );
}

/** Calls a function as jobs do, and expects that it accepts the key of the vault. */
async function callsFunction(sql: Sql): Promise<void> {
  const [call] = await sql<{ id: string | null }[]>`select private.call_function('push-dispatch')::text as id`;
  if (call!.id === null) throw new Error("The vault has no secrets for the jobs.");
  const status = await waitFor(JOB_TIMEOUT_MS, "pg_net has the answer of push-dispatch", async () => {
    const [answer] = await sql<{ status: number | null; error: string | null }[]>`
      select status_code as status, error_msg as error from net._http_response where id = ${call!.id}`;
    if (answer === undefined) return { why: "no answer yet" };
    return { value: answer.status ?? answer.error };
  });
  if (status !== 200) throw new Error(`push-dispatch answered ${status} to the database, not 200.`);
}

/** The next job that ends. */
async function nextJob(sql: Sql): Promise<string> {
  const [clock] = await sql<{ now: string }[]>`select clock_timestamp()::text as now`;
  const { name, status, message } = await waitFor(JOB_TIMEOUT_MS, "a job of pg_cron runs", async () => {
    const [run] = await sql<{ name: string; status: string; message: string }[]>`
      select j.jobname as name, d.status, d.return_message as message
      from cron.job_run_details d join cron.job j using (jobid)
      where d.start_time > ${clock!.now}::timestamptz and d.status in ('succeeded', 'failed')
      order by d.runid limit 1`;
    return run === undefined ? { why: "no run yet" } : { value: run };
  });
  if (status !== "succeeded") throw new Error(`The job ${name} failed: ${message}`);
  return name;
}
