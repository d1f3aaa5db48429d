// The snippets of docs/clients/realtime.md do what the page says.
import assert from "node:assert/strict";
import { createClient, type RealtimeChannel, type SupabaseClient } from "@supabase/supabase-js";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { connect, logActivity, notify, notifyAdmins } from "./activities.ts";

const PAGE = Deno.readTextFileSync(new URL("../../docs/clients/realtime.md", import.meta.url));
const sql = connect();
Deno.test.afterAll(() => sql.end());

/** The code of a section, by its heading. */
function snippet(heading: string): string {
  const [, section] = PAGE.split(new RegExp(`^##+ ${heading}$`, "m"));
  const [, code] = /```js\n([\s\S]*?)```/.exec(section ?? "") ?? [];
  return code ?? assert.fail(`docs/clients/realtime.md has no snippet under ${heading}`);
}

interface Running {
  /** What the snippet showed. */
  readonly shown: unknown[][];
  /** The paths that it read again. */
  readonly read: string[];
  readonly channel: RealtimeChannel;
  readonly supabase: SupabaseClient;
}

/** Runs a section's snippet for a person, after the one that signs in, and waits until it listens. */
async function run(heading: string, person: Person): Promise<Running & AsyncDisposable> {
  const [shown, read]: [unknown[][], string[]] = [[], []];
  const given = {
    createClient: (url: string, key: string) =>
      createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } }),
    API_URL: stack().apiUrl,
    PUBLISHABLE_KEY: stack().publishableKey,
    email: person.email,
    password: person.password,
    show: (...values: unknown[]) => shown.push(values),
    reread: (path: string) => read.push(path),
  };
  const code = `return (async () => {${snippet("Sign in")}${snippet(heading)}return { supabase, channel };})()`;
  const { supabase, channel } = await new Function(...Object.keys(given), code)(...Object.values(given)) as Running;
  let listens = false;
  channel.on("system", {}, ({ extension, status }: Record<string, unknown>) => {
    if (extension === "postgres_changes" && status === "ok") listens = true;
  });
  await eventually(() => listens || undefined);
  return {
    shown,
    read,
    channel,
    supabase,
    [Symbol.asyncDispose]: async () => {
      await supabase.removeAllChannels();
      await eventually(() => supabase.realtime.connectionState() === "closed" || undefined);
    },
  };
}

async function shows({ shown }: Running, ...wanted: unknown[][]): Promise<void> {
  await eventually(() => shown.length >= wanted.length || undefined);
  assert.deepEqual(shown, wanted);
}

/** The path that a snippet reads again responds. */
async function readsAgain({ read }: Running, person: Person, status = 200): Promise<void> {
  assert.equal(read.length, 1);
  const answer = await fetch(`${stack().apiUrl}${read[0]}`, { headers: { authorization: `Bearer ${person.token}` } });
  await answer.body?.cancel();
  assert.equal(answer.status, status);
}

Deno.test("realtime.md: the snippet for notifications shows the sent and the read notification", async () => {
  const person = await signUp();
  await using running = await run("Notifications", person);
  const id = await notify(sql, person.id);
  await sql`update public.user_notifications set read_at = '2026-11-01 12:00:00+00' where id = ${id}`;
  await shows(running, ["Title", "Body"], ["Title", "2026-11-01T12:00:00+00:00"]);
  await readsAgain(running, person);
});

Deno.test("realtime.md: the snippet for sessions shows their status", async () => {
  const person = await signUp();
  const lot = await newLot(sql);
  await using running = await run("Sessions", person);
  const [session] = await sql<{ id: string }[]>`
    insert into public.parking_sessions (user_id, parking_lot_id) values (${person.id}, ${lot}) returning id`;
  await sql`update public.parking_sessions set status = 'cancelled' where id = ${session!.id}`;
  await shows(running, [session!.id, "parking"], [session!.id, "cancelled"]);
  await readsAgain(running, person, 404);
});

Deno.test("realtime.md: the snippet for badges shows the earned badge", async () => {
  const person = await signUp();
  await using running = await run("Badges", person);
  const [badge] = await sql<{ badge_id: string }[]>`
    insert into public.user_badges (user_id, badge_id, earned_at)
    select ${person.id}, id, '2026-11-01 12:00:00+00' from public.badges limit 1 returning badge_id`;
  await shows(running, [badge!.badge_id, "2026-11-01T12:00:00+00:00"]);
  await readsAgain(running, person);
});

Deno.test("realtime.md: the snippet for the console shows activities of users", async () => {
  const [person, administrator] = [await signUp(), await signUp({ appMetadata: { admin: { areas: ["users"] } } })];
  await using running = await run("User activity, for the console", administrator);
  await logActivity(sql, person.id);
  await eventually(() => running.shown.some(([, user]) => user === person.id) || undefined);
  assert.deepEqual(running.shown.find(([, user]) => user === person.id), ["support_ticket_post", person.id]);
});

Deno.test("realtime.md: the snippet for the sidebar shows new, read and deleted notifications", async () => {
  const administrator = await signUp({ appMetadata: { admin: { areas: ["support"] } } });
  await using running = await run("The console's sidebar", administrator);
  const title = crypto.randomUUID();
  const id = await notifyAdmins(sql, { title, area: "support" });
  await sql`update public.admin_notifications set read_by = array[${administrator.id}::uuid] where id = ${id}`;
  await sql`delete from public.admin_notifications where id = ${id}`;
  await eventually(() => running.shown.some((shown) => shown.includes(id)) || undefined);
  const ours = running.shown.filter((shown) => shown.includes(title) || shown.includes(id));
  assert.deepEqual(ours.at(-1), ["deleted", id]);
  // Deleted at once: earlier changes may have been looked at when the row was gone.
  assert.ok(ours.slice(0, -1).every(([shown]) => shown === title));
});
