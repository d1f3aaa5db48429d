// The five topics as private channels: only the users whose rows they carry may join, and no client may send.
import assert from "node:assert/strict";
import { createClient, type RealtimeChannel } from "@supabase/supabase-js";
import { atOnce } from "../support/at_once.ts";
import { crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { connect, logActivity, notify, notifyAdmins } from "./activities.ts";
import { type Binding, Client, type JoinedChannel } from "./listen.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

const person = await signUp();
const other = await signUp();
const administrator = await signUp({ appMetadata: { admin: { areas: ["support", "users"] } } });

const ownTopics = ({ id }: { readonly id: string }) =>
  ["user_notifications", "parking_sessions", "user_badges"].map((table) => `${table}:user_id=eq.${id}`);
const CONSOLE = ["live-user-activity", "admin-notifications-sidebar"];

/** What the library says of a channel first. */
async function joined(channel: RealtimeChannel): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  channel.subscribe((status, error) => resolve(error?.message ?? status));
  return await promise;
}

/** The outcome of joining each of these topics privately. */
async function outcomes(who: { readonly token?: string }, topics: readonly string[]): Promise<Record<string, string>> {
  await using client = new Client(who);
  await client.supabase.realtime.setAuth();
  const entries = topics.map(async (topic) =>
    [topic, await joined(client.supabase.channel(topic, { config: { private: true } }))] as const
  );
  return Object.fromEntries(await Promise.all(entries));
}

async function allMayJoin(who: { readonly token?: string }, topics: readonly string[]): Promise<void> {
  assert.deepEqual(await outcomes(who, topics), Object.fromEntries(topics.map((topic) => [topic, "SUBSCRIBED"])));
}

async function noneMayJoin(who: { readonly token?: string }, topics: readonly string[]): Promise<void> {
  const refused = (topic: string) =>
    `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`;
  assert.deepEqual(await outcomes(who, topics), Object.fromEntries(topics.map((topic) => [topic, refused(topic)])));
}

Deno.test(
  "realtime.messages: a user may join the three topics with their id, an active administrator the two of the console",
  atOnce(async () => {
    await Promise.all([allMayJoin(person, ownTopics(person)), allMayJoin(administrator, CONSOLE)]);
  }),
);

Deno.test(
  "realtime.messages: topics of other users, of the console and of other names are rejected",
  atOnce(async () => {
    const odd = [
      `user_notifications:user_id=eq.${person.id.toUpperCase()}`,
      `user_notifications:user_id=eq.${person.id} `,
      `user_saved_lots:user_id=eq.${person.id}`,
      "user_notifications:user_id=eq.",
      "user_notifications",
      "live-user-activity2",
      "room",
      "%",
    ];
    await Promise.all([
      noneMayJoin(person, [...ownTopics(other), ...CONSOLE, ...odd]),
      noneMayJoin(administrator, ownTopics(person)),
    ]);
  }),
);

Deno.test(
  "realtime.messages: anonymous users and tokens without an account cannot join private topics",
  atOnce(async () => {
    const secret = stack().jwtSecret;
    const ghost = { id: crypto.randomUUID() };
    await Promise.all([
      noneMayJoin({}, [...ownTopics(person), ...CONSOLE]),
      noneMayJoin({ token: token(ghost.id, { secret }) }, [...ownTopics(ghost), ...CONSOLE]),
      noneMayJoin({ token: token("", { secret }) }, ["user_notifications:user_id=eq.", ...CONSOLE]),
      noneMayJoin({ token: token(person.id, { secret, claims: { role: "anon" } }) }, ownTopics(person)),
    ]);
  }),
);

Deno.test(
  "realtime.messages: activities of users are only for administrators with the area users, also as rows",
  atOnce(async () => {
    const without = await signUp({ appMetadata: { admin: { areas: ["lots", "reviews", "support", "admins"] } } });
    await noneMayJoin(without, ["live-user-activity"]);
    await allMayJoin(without, ["admin-notifications-sidebar"]);
  }),
);

Deno.test(
  "realtime.messages: suspended and withdrawn users and suspended administrators cannot join private topics",
  atOnce(async () => {
    const [suspended, withdrawn] = [await signUp(), await signUp()];
    const former = await signUp({ appMetadata: { admin: { areas: ["users"] } } });
    await sql`update public.app_users set status = 'suspended' where id = ${suspended.id}`;
    await sql`select private.empty_account(${withdrawn.id})`;
    await sql`update public.admins set status = 'suspended' where id = ${former.id}`;
    await Promise.all([
      noneMayJoin(suspended, ownTopics(suspended)),
      noneMayJoin(withdrawn, ownTopics(withdrawn)),
      noneMayJoin(former, CONSOLE),
    ]);
  }),
);

Deno.test(
  "realtime.messages: a channel closes when its new token belongs to a user who may not join",
  atOnce(async () => {
    const leaver = await signUp();
    await using client = new Client({ ...leaver, isPrivate: true });
    const [topic] = ownTopics(leaver) as [string];
    const channel = await client.subscribe(topic, { table: "user_notifications", filter: `user_id=eq.${leaver.id}` });
    client.token = other.token;
    await client.supabase.realtime.setAuth();
    await channel.reaches("CLOSED");
    assert.match(channel.system.at(-1)!.message, /^You no longer have permission to read/);
  }),
);

interface Topic {
  readonly name: string;
  readonly who: Person;
  readonly binding: Binding;
  /** Changes a row that the topic carries; its key. */
  change(): Promise<string>;
}

const mine = (table: string, event: "*" | "INSERT" = "*") => ({ table, event, filter: `user_id=eq.${person.id}` });
const [notifications, sessions, badges] = ownTopics(person) as [string, string, string];
const TOPICS: readonly Topic[] = [
  {
    name: notifications,
    who: person,
    binding: mine("user_notifications"),
    change: () => notify(sql, person.id),
  },
  {
    name: sessions,
    who: person,
    binding: mine("parking_sessions"),
    change: async () => {
      const [session] = await sql<{ id: string }[]>`
        insert into public.parking_sessions (user_id, parking_lot_id, status)
        values (${person.id}, ${await newLot(sql)}, 'cancelled') returning id`;
      return session!.id;
    },
  },
  {
    name: badges,
    who: person,
    binding: mine("user_badges", "INSERT"),
    change: async () => {
      await sql`delete from public.user_badges where user_id = ${person.id}`;
      const [badge] = await sql<{ id: string }[]>`
        insert into public.user_badges (user_id, badge_id) select ${person.id}, id from public.badges limit 1 returning id`;
      return badge!.id;
    },
  },
  {
    name: "live-user-activity",
    who: administrator,
    binding: { table: "user_activity_logs", event: "INSERT" },
    change: () => logActivity(sql, person.id),
  },
  {
    name: "admin-notifications-sidebar",
    who: administrator,
    binding: { table: "admin_notifications" },
    change: () => notifyAdmins(sql, { area: "support" }),
  },
];

for (const { name, who, binding, change } of TOPICS) {
  const called = name.replace(person.id, "{uid}");
  Deno.test(
    `${called}: a private channel receives row changes, also after its token is refreshed`,
    atOnce(async () => {
      await using client = new Client({ ...who, isPrivate: true });
      const channel = await client.subscribe(name, binding);
      await channel.until(await change());
      const claims = JSON.parse(atob(who.token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
      const exp = Math.floor(Date.now() / 1000) + 1800;
      client.token = token(who.id, { secret: stack().jwtSecret, claims: { ...claims, exp } });
      await client.supabase.realtime.setAuth();
      await channel.ready(2);
      await channel.until(await change());
      assert.deepEqual(channel.statuses.map(({ status }) => status), ["SUBSCRIBED"]);
    }),
  );
}

/** Broadcasts that come. */
function sentTo({ channel }: JoinedChannel): unknown[] {
  const sent: unknown[] = [];
  channel.on("broadcast", { event: "*" }, (message) => sent.push(message));
  return sent;
}

Deno.test(
  "realtime.messages: no client can send to a private topic by socket, HTTP or presence",
  atOnce(async () => {
    await using receiver = new Client({ ...person, isPrivate: true });
    const listening = await receiver.subscribe(notifications, mine("user_notifications"));
    const sent = sentTo(listening);
    await using owner = new Client(person);
    await using stranger = new Client();
    await owner.supabase.realtime.setAuth();
    const own = owner.supabase.channel(notifications, { config: { private: true } });
    assert.equal(await joined(own), "SUBSCRIBED");
    const message = { type: "broadcast", event: "fake", payload: { body: "x".repeat(1_000) } } as const;
    await own.send(message);
    assert.notEqual(await own.track({ here: true }), "ok");
    const publicly = stranger.supabase.channel(notifications);
    assert.equal(await joined(publicly), "SUBSCRIBED");
    await publicly.send(message);
    const { apiUrl, publishableKey } = stack();
    for (const authorization of [`Bearer ${person.token}`, `Bearer ${other.token}`, undefined]) {
      for (const isPrivate of [true, false]) {
        const response = await fetch(`${apiUrl}/realtime/v1/api/broadcast`, {
          method: "POST",
          headers: {
            apikey: publishableKey,
            "content-type": "application/json",
            ...(authorization ? { authorization } : {}),
          },
          body: JSON.stringify({
            messages: [{ topic: notifications, event: "fake", payload: {}, private: isPrivate }],
          }),
        });
        // The hosted service accepts it and sends it to nobody; the local platform has no broadcasts.
        assert.ok([202, 501].includes(response.status), await response.text());
      }
    }
    await listening.until(await notify(sql, person.id));
    await receiver.settled();
    assert.deepEqual(sent, []);
  }),
);

Deno.test(
  "LOCAL_REALTIME_PUBLIC=off: public channels are rejected, private ones can be joined",
  atOnce(async () => {
    await using platform = await crashPlatform({ realtimePrivateOnly: true });
    const { API_URL, PUBLISHABLE_KEY } = platform.status;
    const supabase = createClient(API_URL, PUBLISHABLE_KEY, {
      auth: { persistSession: false, autoRefreshToken: false },
    });
    const { data } = await supabase.auth.signUp({ email: "me@example.com", password: "password one" });
    const [topic] = ownTopics(data.user!) as [string];
    const open = supabase.channel(topic);
    assert.equal(await joined(open), "PrivateOnly: This project only allows private channels");
    await supabase.removeChannel(open);
    assert.equal(await joined(supabase.channel(topic, { config: { private: true } })), "SUBSCRIBED");
    await supabase.removeAllChannels();
    await eventually(() => supabase.realtime.connectionState() === "closed" || undefined);
  }),
);
