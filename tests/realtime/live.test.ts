// client.live of client/: the state and the events of the five channels, over the real Realtime server and API.
import assert from "node:assert/strict";
import { createClient, type RealtimeChannel } from "@supabase/supabase-js";
import {
  createParkingClient,
  type LiveError,
  type LiveEvent,
  type LiveHandlers,
  type LiveParkingClient,
  type LiveStatus,
  type LiveSubscription,
  type SupabaseLike,
} from "../../client/src/index.ts";
import { aPricedLot } from "../api/sessions.ts";
import { atOnce } from "../support/at_once.ts";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { connect, logActivity, notify, notifyAdmins } from "./activities.ts";
import { proxyTo } from "./proxy.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

/** An app of a user: a client of supabase-js with a session, and the client of the service with it. */
class App implements AsyncDisposable {
  readonly supabase;
  readonly client: LiveParkingClient;

  constructor(apiUrl = stack().apiUrl) {
    const auth = { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };
    this.supabase = createClient(apiUrl, stack().publishableKey, { auth });
    this.client = createParkingClient({ url: stack().functionsUrl, supabase: this.supabase });
  }

  async signIn({ email, password }: Person): Promise<void> {
    const { error } = await this.supabase.auth.signInWithPassword({ email, password });
    assert.equal(error, null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supabase.removeAllChannels();
    await this.supabase.realtime.disconnect();
    await eventually(() => this.supabase.realtime.connectionState() === "closed" || undefined);
  }
}

async function appOf(person: Person, apiUrl?: string): Promise<App> {
  const app = new App(apiUrl);
  await app.signIn(person);
  return app;
}

/** A subscription with everything that its handlers received. */
class Watched<State extends { items: { id: string }[] }> implements AsyncDisposable {
  readonly states: State[] = [];
  readonly events: LiveEvent<State["items"][number]>[] = [];
  readonly statuses: LiveStatus[] = [];
  readonly errors: Error[] = [];
  readonly subscription: LiveSubscription;

  constructor(subscribe: (handlers: LiveHandlers<State>) => LiveSubscription, signal?: AbortSignal) {
    this.subscription = subscribe({
      onState: (state) => this.states.push(state),
      onEvent: (event) => this.events.push(event),
      onStatus: (status) => this.statuses.push(status),
      onError: (error) => this.errors.push(error),
      ...(signal ? { signal } : {}),
    });
  }

  get state(): State {
    return this.states.at(-1)!;
  }

  get kinds(): string[] {
    return this.events.map(({ kind, row }) => `${kind} ${row.id}`);
  }

  /** Waits until the state is current and changes arrive, the nth time. */
  async live(times = 1): Promise<this> {
    await this.until(() => this.statuses.filter((status) => status === "live").length >= times);
    return this;
  }

  async until(isReached: () => boolean): Promise<void> {
    try {
      await eventually(() => isReached() || undefined);
    } catch (cause) {
      throw new Error(JSON.stringify([this.statuses, this.kinds, this.errors.map(String)]), { cause });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.subscription.close();
  }
}

Deno.test("live.inbox: the state is the newest notifications and the count of unread ones; each change is one event", async () => {
  const person = await signUp();
  const old = await notify(sql, person.id, { read_at: new Date() });
  await using app = await appOf(person);
  await using watched = await new Watched(app.client.live.inbox).live();
  assert.deepEqual([watched.state.items.map(({ id }) => id), watched.state.unread_count], [[old], 0]);
  const id = await notify(sql, person.id, { title: "New" });
  await watched.until(() => watched.events.length === 1);
  assert.deepEqual([watched.state.items.map(({ title }) => title), watched.state.unread_count], [["New", "Title"], 1]);
  await app.client.POST("/v1/me/notifications/mark-read", { body: { ids: [id] } });
  await watched.until(() => watched.events.length === 2);
  assert.deepEqual(watched.kinds, [`insert ${id}`, `update ${id}`]);
  assert.equal(watched.state.unread_count, 0);
  assert.ok(watched.events[1]!.row.read_at);
  assert.deepEqual([watched.statuses, watched.errors], [["connecting", "live"], []]);
});

Deno.test("live.sessions: start and end are read from the API, with the live meter", async () => {
  const person = await signUp();
  const parking_lot_id = await aPricedLot({});
  await using app = await appOf(person);
  await using watched = await new Watched(app.client.live.sessions).live();
  assert.deepEqual(watched.state, { items: [], next_cursor: null, current: null });
  const { data: { session_id } } = await app.client.POST("/v1/parking-sessions", { body: { parking_lot_id } });
  await watched.until(() => watched.events.length === 1);
  const [started] = watched.states.slice(-1);
  assert.equal(started!.current?.id, session_id);
  assert.ok(started!.current?.meter);
  const exit_at = new Date(Date.now() + 60_000).toISOString();
  await app.client.POST("/v1/parking-sessions/{id}/finalize", {
    params: { path: { id: session_id } },
    body: { exit_at },
  });
  await watched.until(() => watched.events.length === 2);
  assert.deepEqual(watched.kinds, [`insert ${session_id}`, `update ${session_id}`]);
  assert.deepEqual([watched.state.current, watched.events[1]!.row.status], [null, "ended"]);
});

Deno.test("live.badges: a badge that is earned is read with its name", async () => {
  const person = await signUp();
  await using app = await appOf(person);
  await using watched = await new Watched(app.client.live.badges).live();
  await sql`
    insert into public.user_badges (user_id, badge_id) select ${person.id}, id from public.badges order by id limit 2`;
  await watched.until(() => watched.events.length === 2);
  assert.deepEqual(watched.events.map(({ kind, row }) => [kind, typeof row.badge?.name]), [
    ["insert", "string"],
    ["insert", "string"],
  ]);
});

Deno.test("live.activity and live.sidebar: an administrator receives activities, and notifications with their deletion", async () => {
  const [person, admin] = [await signUp(), await signUp({ appMetadata: { admin: { areas: ["support", "users"] } } })];
  await using app = await appOf(admin);
  await using activity = await new Watched(app.client.live.activity).live();
  await using sidebar = await new Watched(app.client.live.sidebar).live();
  const activityId = await logActivity(sql, person.id);
  const ofActivity = () => activity.events.filter(({ row }) => row.id === activityId);
  await activity.until(() => ofActivity().length > 0);
  assert.equal(activity.state.items.find(({ id }) => id === activityId)!.user_id, person.id);

  const id = await notifyAdmins(sql, { admin_id: admin.id });
  const kinds = () => sidebar.events.filter(({ row }) => row.id === id).map(({ kind }) => kind);
  await sidebar.until(() => kinds().length === 1);
  assert.ok(sidebar.state.unread_count > 0);
  await app.client.POST("/v1/admin/notifications/mark-read", { body: { ids: [id] } });
  await sidebar.until(() => kinds().length === 2);
  await sql`delete from public.admin_notifications where id = ${id}`;
  await sidebar.until(() => kinds().length === 3);
  assert.deepEqual(kinds(), ["insert", "update", "delete"]);
  assert.equal(ofActivity().length, 1);
});

Deno.test(
  "live.inbox: after an outage every change of it is one event, also when it had more than a page",
  atOnce(async () => {
    const person = await signUp();
    const read = await notify(sql, person.id, { sent_at: new Date(Date.now() - 60_000) });
    await using proxy = proxyTo(stack().apiUrl);
    await using app = await appOf(person, proxy.apiUrl);
    await using watched = await new Watched(app.client.live.inbox).live();
    const before = await notify(sql, person.id);
    await watched.until(() => watched.events.length === 1);

    proxy.cut();
    await watched.until(() => watched.statuses.at(-1) === "offline");
    const missed = await Promise.all(Array.from({ length: 70 }, () => notify(sql, person.id)));
    await sql`update public.user_notifications set read_at = now() where id = ${missed[0]!}`;
    await watched.live(2);
    const after = await notify(sql, person.id);
    await watched.until(() => watched.kinds.includes(`insert ${after}`));

    assert.deepEqual(watched.kinds.toSorted(), [before, ...missed, after].map((id) => `insert ${id}`).toSorted());
    assert.deepEqual([watched.state.items.length, watched.state.unread_count], [50, 72]);
    proxy.cut();
    await watched.until(() => watched.statuses.at(-1) === "offline");
    await sql`update public.user_notifications set read_at = now() where id = ${after}`;
    await watched.live(3);
    await watched.until(() => watched.kinds.at(-1) === `update ${after}`);
    assert.equal(watched.events.length, 73);
    assert.ok(!watched.kinds.some((kind) => kind.endsWith(read)));
  }),
);

Deno.test(
  "live.activity: it begins with the list; after an outage each activity of it is one event, with more than a page",
  atOnce(async () => {
    const [person, admin] = [await signUp(), await signUp({ appMetadata: { admin: { areas: ["users"] } } })];
    const before = await logActivity(sql, person.id);
    await using proxy = proxyTo(stack().apiUrl);
    await using app = await appOf(admin, proxy.apiUrl);
    await using watched = await new Watched(app.client.live.activity).live();
    assert.ok(watched.states[0]!.items.some(({ id }) => id === before));
    const kinds = () =>
      watched.events.filter(({ row }) => row.user_id === person.id).map(({ kind, row }) => `${kind} ${row.id}`);

    proxy.cut();
    await watched.until(() => watched.statuses.at(-1) === "offline");
    const missed: string[] = [];
    for (let n = 0; n < 70; n++) missed.push(await logActivity(sql, person.id));
    await watched.live(2);
    const after = await logActivity(sql, person.id);
    await watched.until(() => kinds().includes(`insert ${after}`));
    assert.deepEqual(kinds(), [...missed, after].map((id) => `insert ${id}`));
    assert.equal(watched.state.items.length, 50);
  }),
);

Deno.test(
  "live.inbox: changes around connections that break are one event each",
  atOnce(async () => {
    const person = await signUp();
    await using proxy = proxyTo(stack().apiUrl);
    await using app = await appOf(person, proxy.apiUrl);
    await using watched = await new Watched(app.client.live.inbox).live();
    const ids: string[] = [];
    for (let n = 0; n < 60; n++) {
      if (n % 20 === 10) proxy.cut();
      ids.push(await notify(sql, person.id));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await watched.until(() => watched.statuses.at(-1) === "live" && watched.events.length >= ids.length);
    const last = await notify(sql, person.id);
    await watched.until(() => watched.kinds.includes(`insert ${last}`));
    assert.deepEqual(watched.kinds.toSorted(), [...ids, last].map((id) => `insert ${id}`).toSorted());
    assert.ok(watched.statuses.includes("offline"));
  }),
);

/** A client of supabase-js whose session is what `token` returns: tokens of supabase-js itself last 90 seconds at least. */
function withTokens(user: string, token: () => string, heartbeatIntervalMs: number) {
  const client = createClient(stack().apiUrl, stack().publishableKey, {
    accessToken: () => Promise.resolve(token()),
    realtime: { heartbeatIntervalMs },
  });
  const supabase: SupabaseLike = {
    auth: {
      getSession: () =>
        Promise.resolve({ data: { session: { access_token: token(), user: { id: user } } }, error: null }),
      onAuthStateChange: () => ({ data: { subscription: { unsubscribe: () => {} } } }),
    },
    realtime: client.realtime,
    channel: (topic, options) => client.channel(topic, options),
    removeChannel: (channel) => client.removeChannel(channel as RealtimeChannel),
  };
  const url = stack().functionsUrl;
  return {
    live: createParkingClient({ url, supabase }).live,
    [Symbol.asyncDispose]: async () => {
      await client.realtime.disconnect();
      await eventually(() => client.realtime.connectionState() === "closed" || undefined);
    },
  };
}

/** A token that expires so many seconds from now, and whether it has. */
function shortToken(user: string, seconds: number) {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  return {
    token: token(user, { secret: stack().jwtSecret, claims: { exp } }),
    isExpired: () => Date.now() / 1000 > exp + 1,
  };
}

Deno.test(
  "live.inbox: a token that is refreshed in time keeps the channel past the end of the first one",
  atOnce(async () => {
    const person = await signUp();
    const short = shortToken(person.id, 6);
    let current = short.token;
    await using client = withTokens(person.id, () => current, 300);
    await using watched = await new Watched(client.live.inbox).live();
    current = person.token;
    await eventually(() => short.isExpired() || undefined);
    const id = await notify(sql, person.id);
    await watched.until(() => watched.events.length > 0);
    assert.deepEqual([watched.kinds, watched.statuses], [[`insert ${id}`], ["connecting", "live"]]);
  }),
);

Deno.test(
  "live.inbox: after a token expired, as on a phone that slept, it joins again with the next one and misses nothing",
  atOnce(async () => {
    const person = await signUp();
    const short = shortToken(person.id, 4);
    await using client = withTokens(person.id, () => short.isExpired() ? person.token : short.token, 25_000);
    await using watched = await new Watched(client.live.inbox).live();
    await watched.until(() => watched.statuses.at(-1) === "offline");
    const missed = await notify(sql, person.id);
    await watched.live(2);
    await watched.until(() => watched.events.length > 0);
    assert.deepEqual([watched.kinds, watched.errors], [[`insert ${missed}`], []]);
  }),
);

Deno.test(
  "live.inbox: sign-out and the sign-in of another user end a subscription, and nothing of that user is shown",
  atOnce(async () => {
    const [first, second] = [await signUp(), await signUp()];
    await using app = await appOf(first);
    const ended = await new Watched(app.client.live.inbox).live();
    await app.signIn(second);
    await ended.until(() => ended.errors.length === 1);
    const reads = ended.states.length;

    await using next = await new Watched(app.client.live.inbox).live();
    await notify(sql, second.id);
    await next.until(() => next.events.length === 1);
    assert.deepEqual([ended.states.length, ended.events.length], [reads, 0]);
    await app.supabase.auth.signOut();
    await next.until(() => next.errors.length === 1);
    const anonymous = new Watched(app.client.live.inbox);
    await anonymous.until(() => anonymous.errors.length === 1);
    const codes = [ended, next, anonymous].flatMap(({ errors }) => errors.map((error) => (error as LiveError).code));
    assert.deepEqual(codes, ["other_user", "signed_out", "signed_out"]);
  }),
);

Deno.test(
  "live.activity: a user who is no administrator gets the reason, and the subscription has ended",
  atOnce(async () => {
    await using app = await appOf(await signUp());
    const watched = new Watched(app.client.live.activity);
    await watched.until(() => watched.errors.length === 1);
    assert.equal(
      watched.errors[0]!.message,
      "Realtime rejected the subscription: " +
        "Unauthorized: You do not have permissions to read from this Channel topic: live-user-activity.",
    );
    assert.deepEqual(app.supabase.getChannels(), []);
  }),
);

Deno.test(
  "live: a channel can be subscribed again after close or a signal, but not twice at once",
  atOnce(async () => {
    await using app = await appOf(await signUp());
    const abort = new AbortController();
    const first = await new Watched(app.client.live.inbox, abort.signal).live();
    const second = new Watched(app.client.live.inbox);
    await second.until(() => second.errors.length === 1);
    assert.equal((second.errors[0] as LiveError).code, "already_subscribed");
    abort.abort();
    const third = await new Watched(app.client.live.inbox).live();
    // As a component that is mounted twice: closed before it has joined.
    const closing = third.subscription.close();
    await new Watched(app.client.live.inbox).subscription.close();
    await closing;
    await using last = await new Watched(app.client.live.inbox).live();
    assert.deepEqual([first, third, last].flatMap(({ errors }) => errors), []);
    assert.equal(app.supabase.getChannels().length, 1);
  }),
);
