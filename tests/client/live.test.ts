// client.live: which reads follow which messages, and which events follow from the reads, against a service of the test.
import assert from "node:assert/strict";
import {
  ApiError,
  type Inbox,
  LiveError,
  type LiveHandlers,
  type ParkingClientOptions,
} from "../../client/src/index.ts";
import { createParkingClient } from "../../client/src/index.ts";
import { eventually } from "../support/eventually.ts";
import { apiError, fakeService, type Scripted } from "./fake_service.ts";
import { type FakeChannel, FakeSupabase, sessionOf } from "./fake_supabase.ts";

const LIMIT = 50;

/** An inbox that a test writes, newest first, as the API returns it. */
class FakeInbox {
  ids: string[] = [];
  readAt: Record<string, string> = {};
  readonly reads: string[] = [];

  readonly respond: Scripted = (request) => {
    const cursor = new URL(request.url).searchParams.get("cursor");
    this.reads.push(request.headers.get("Authorization")!);
    const start = cursor === null ? 0 : this.ids.indexOf(cursor) + 1;
    const page = this.ids.slice(start, start + LIMIT);
    const next_cursor = start + LIMIT < this.ids.length ? page.at(-1)! : null;
    const items = page.map((id) => ({ id, read_at: this.readAt[id] ?? null }));
    return Response.json({ items, next_cursor, unread_count: this.ids.filter((id) => !this.readAt[id]).length });
  };
}

/** A subscription to an inbox with what its handlers received. */
class Watched {
  readonly states: Inbox[] = [];
  readonly events: string[] = [];
  readonly statuses: string[] = [];
  readonly errors: Error[] = [];
  readonly close: () => Promise<void>;

  constructor(
    readonly supabase: FakeSupabase,
    url: string,
    { handlers, ...options }: Partial<ParkingClientOptions> & { handlers?: Partial<LiveHandlers<Inbox>> } = {},
  ) {
    const client = createParkingClient({ url, supabase, retry: { maxRetries: 0 }, ...options });
    this.close = client.live.inbox({
      onState: (state) => this.states.push(state),
      onEvent: ({ kind, row }) => this.events.push(`${kind} ${row.id}`),
      onStatus: (status) => this.statuses.push(status),
      onError: (error) => this.errors.push(error),
      ...handlers,
    }).close;
  }

  /** The channel that is joined as the nth. */
  channel(n = 1): Promise<FakeChannel> {
    return eventually(() => this.supabase.channels[n - 1]);
  }

  async joined(): Promise<this> {
    (await this.channel()).join();
    await this.reaches("live");
    return this;
  }

  reaches(status: string): Promise<unknown> {
    return eventually(() => this.statuses.at(-1) === status || undefined);
  }

  ids(): string[] {
    return this.states.at(-1)!.items.map(({ id }) => id);
  }

  async error(): Promise<Error> {
    return await eventually(() => this.errors[0]);
  }
}

Deno.test("live: the channel is private, and its topic and reads are of the user", async () => {
  const inbox = new FakeInbox();
  await using service = fakeService(inbox.respond);
  const watched = await new Watched(new FakeSupabase("user-1"), service.url).joined();
  const { topic, options } = await watched.channel();
  assert.deepEqual([topic, options], ["user_notifications:user_id=eq.user-1", { config: { private: true } }]);
  assert.deepEqual(inbox.reads, [`Bearer ${watched.supabase.session!.access_token}`]);
  assert.deepEqual(watched.statuses, ["connecting", "live"]);
  await watched.close();
  assert.deepEqual([(await watched.channel()).isLeft, watched.supabase.isObserved], [true, false]);
});

Deno.test("live: a change during a read is read again after it, and no two reads run at once", async () => {
  const inbox = new FakeInbox();
  const held: { release: () => void }[] = [];
  let [running, most] = [0, 0];
  await using service = fakeService(async (request, n) => {
    most = Math.max(most, ++running);
    const response = await inbox.respond(request, n);
    if (n > 0) await new Promise<void>((release) => held.push({ release }));
    running--;
    return response;
  });
  const watched = await new Watched(new FakeSupabase(), service.url).joined();
  const channel = await watched.channel();
  inbox.ids = ["a"];
  channel.change();
  const older = await eventually(() => held[0]);
  // The response of this read is on its way when the next change arrives.
  inbox.ids = ["b", "a"];
  channel.change();
  await new Promise((resolve) => setTimeout(resolve, 600));
  older.release();
  (await eventually(() => held[1])).release();
  await eventually(() => watched.states.length === 3 || undefined);
  assert.deepEqual(watched.states.map(({ items }) => items.map(({ id }) => id)), [[], ["a"], ["b", "a"]]);
  assert.deepEqual(watched.events, ["insert a", "insert b"]);
  assert.equal(most, 1);
  await watched.close();
});

Deno.test("live: a burst of changes is read once, and each of them is one event", async () => {
  const inbox = new FakeInbox();
  await using service = fakeService(inbox.respond);
  const watched = await new Watched(new FakeSupabase(), service.url).joined();
  const channel = await watched.channel();
  for (let n = 0; n < 100; n++) {
    inbox.ids.unshift(`${n}`);
    channel.change();
  }
  await eventually(() => watched.events.length === 100 || undefined);
  // The pages of 50 until the end, because the state was empty.
  assert.equal(inbox.reads.length, 1 + 2);
  assert.deepEqual(watched.events, Array.from({ length: 100 }, (_, n) => `insert ${n}`));
  assert.equal(watched.ids().length, LIMIT);
  await watched.close();
});

Deno.test("live: items that leave or enter the end of the state are no events; an item that is missing between is a delete", async () => {
  const inbox = new FakeInbox();
  inbox.ids = Array.from({ length: 60 }, (_, n) => `old ${n}`);
  await using service = fakeService(inbox.respond);
  const watched = await new Watched(new FakeSupabase(), service.url).joined();
  const channel = await watched.channel();
  const after = async (change: () => void, events: number) => {
    change();
    channel.change();
    const reads = watched.states.length;
    await eventually(() => watched.states.length > reads || undefined);
    return watched.events.slice(-events);
  };
  assert.deepEqual(await after(() => inbox.ids.unshift("new"), 1), ["insert new"]);
  assert.deepEqual(await after(() => inbox.ids.splice(10, 1), 1), ["delete old 9"]);
  assert.deepEqual(await after(() => inbox.readAt["old 20"] = "now", 1), ["update old 20"]);
  // Outside the state: only the count changes.
  const { unread_count } = watched.states.at(-1)!;
  await after(() => inbox.readAt["old 55"] = "now", 0);
  assert.equal(watched.states.at(-1)!.unread_count, unread_count - 1);
  assert.equal(watched.events.length, 3);
  await watched.close();
});

Deno.test("live: after an outage of more than a page every missed item is one event", async () => {
  const inbox = new FakeInbox();
  inbox.ids = Array.from({ length: 60 }, (_, n) => `old ${n}`);
  await using service = fakeService(inbox.respond);
  const watched = await new Watched(new FakeSupabase(), service.url).joined();
  const channel = await watched.channel();
  channel.status("CHANNEL_ERROR", "socket closed: 1006");
  await watched.reaches("offline");
  const missed = Array.from({ length: 170 }, (_, n) => `missed ${n}`);
  inbox.ids.unshift(...missed.toReversed());
  channel.join();
  await watched.reaches("live");
  assert.deepEqual(watched.events, missed.map((id) => `insert ${id}`));
  assert.equal(inbox.reads.length, 1 + 4);
  await watched.close();
});

Deno.test("live: a read that fails is repeated until it succeeds, and is offline meanwhile", async () => {
  const inbox = new FakeInbox();
  inbox.ids = ["a"];
  const unavailable = apiError(503, "service_unavailable");
  await using service = fakeService(unavailable, apiError(429, "rate_limited"), inbox.respond);
  const watched = new Watched(new FakeSupabase(), service.url);
  (await watched.channel()).join();
  await watched.reaches("live");
  assert.deepEqual(watched.statuses, ["connecting", "offline", "live"]);
  assert.deepEqual([watched.ids(), watched.events, watched.errors], [["a"], [], []]);
  await watched.close();
});

Deno.test("live: a read that the API rejects ends the subscription with its ApiError", async () => {
  await using service = fakeService(apiError(403, "forbidden"));
  const watched = new Watched(new FakeSupabase(), service.url);
  (await watched.channel()).join();
  const error = await watched.error();
  assert.ok(error instanceof ApiError && error.code === "forbidden");
  assert.equal((await watched.channel()).isLeft, true);
});

const rejections: Record<string, (channel: FakeChannel) => void> = {
  "Unable to subscribe to changes with given parameters": (channel) => {
    channel.status("SUBSCRIBED");
    channel.system("error", "Unable to subscribe to changes with given parameters");
  },
  "PrivateOnly: This project only allows private channels": (channel) =>
    channel.status("CHANNEL_ERROR", "PrivateOnly: This project only allows private channels"),
  "Unauthorized: You do not have permissions": (channel) =>
    channel.status("CHANNEL_ERROR", "Unauthorized: You do not have permissions"),
};

for (const [reason, reject] of Object.entries(rejections)) {
  Deno.test(`live: a rejection ends the subscription with the reason: ${reason}`, async () => {
    await using service = fakeService(new FakeInbox().respond);
    const watched = new Watched(new FakeSupabase(), service.url);
    reject(await watched.channel());
    const error = await watched.error();
    assert.ok(error instanceof LiveError && error.code === "rejected");
    assert.equal(error.message, `Realtime rejected the subscription: ${reason}.`);
    assert.equal(watched.supabase.channels.length, 1);
  });
}

Deno.test("live: a channel that is closed, or rejected with an old token, is joined again with the session", async () => {
  const inbox = new FakeInbox();
  await using service = fakeService(inbox.respond);
  const watched = await new Watched(new FakeSupabase(), service.url).joined();
  (await watched.channel()).status("CLOSED");
  await watched.reaches("offline");
  inbox.ids = ["a"];
  (await watched.channel(2)).join();
  await watched.reaches("live");
  (await watched.channel(2)).status("CHANNEL_ERROR", "InvalidJWTToken: Token has expired 3 seconds ago");
  await watched.reaches("offline");
  // The first join of a channel, when the clock of the client is slow.
  (await watched.channel(3)).status("CHANNEL_ERROR", "InvalidJWTToken: Token has expired 0 seconds ago");
  (await watched.channel(4)).join();
  await watched.reaches("live");
  assert.deepEqual([watched.events, watched.errors], [["insert a"], []]);
  await watched.close();
});

Deno.test("live: without a connection to the auth server it waits; without Realtime the state is shown as offline", async () => {
  const inbox = new FakeInbox();
  inbox.ids = ["a"];
  await using service = fakeService(inbox.respond);
  const supabase = new FakeSupabase();
  supabase.errors.push("AuthRetryableFetchError", "AuthRetryableFetchError");
  const watched = new Watched(supabase, service.url);
  (await watched.channel()).status("TIMED_OUT");
  await eventually(() => watched.states.length === 1 || undefined);
  assert.deepEqual([watched.ids(), watched.statuses, watched.errors], [["a"], ["connecting", "offline"], []]);
  await watched.close();
});

Deno.test("live: nothing of another user is read, also before supabase-js has reported the other user", async () => {
  const inbox = new FakeInbox();
  await using service = fakeService(inbox.respond);
  const watched = await new Watched(new FakeSupabase(), service.url).joined();
  watched.supabase.session = sessionOf(crypto.randomUUID());
  (await watched.channel()).change();
  const error = await watched.error();
  assert.ok(error instanceof LiveError && error.code === "other_user");
  assert.deepEqual([inbox.reads.length, watched.states.length], [1, 1]);
});

Deno.test("live: a read that is on its way when the user signs out is not shown", async () => {
  const inbox = new FakeInbox();
  const answered = Promise.withResolvers<void>();
  await using service = fakeService(async (request, n) => {
    if (n === 1) await answered.promise;
    return await inbox.respond(request, n);
  });
  const watched = await new Watched(new FakeSupabase(), service.url).joined();
  (await watched.channel()).change();
  await eventually(() => service.received.length === 2 || undefined);
  watched.supabase.authChange("SIGNED_OUT", null);
  answered.resolve();
  const error = await watched.error();
  assert.ok(error instanceof LiveError && error.code === "signed_out");
  assert.deepEqual([watched.states.length, watched.events, watched.statuses], [1, [], ["connecting", "live"]]);
});

Deno.test("live: a refreshed token and events of the same user do not end the subscription", async () => {
  const inbox = new FakeInbox();
  await using service = fakeService(inbox.respond);
  const watched = await new Watched(new FakeSupabase("user-1"), service.url).joined();
  const refreshed = sessionOf("user-1", { iat: 1 });
  for (const event of ["TOKEN_REFRESHED", "SIGNED_IN", "USER_UPDATED"]) watched.supabase.authChange(event, refreshed);
  inbox.ids = ["a"];
  (await watched.channel()).change();
  await eventually(() => watched.events.length === 1 || undefined);
  assert.deepEqual(inbox.reads.at(-1), `Bearer ${refreshed.access_token}`);
  await watched.close();
});

Deno.test("live: after close no handler is called", async () => {
  const inbox = new FakeInbox();
  inbox.ids = ["a", "b"];
  await using service = fakeService(inbox.respond);
  const watched: Watched = new Watched(new FakeSupabase(), service.url, {
    handlers: { onState: () => void watched.close() },
  });
  (await watched.channel()).join();
  await eventually(() => (watched.supabase.channels[0]!.isLeft) || undefined);
  (await watched.channel()).change();
  await watched.close();
  assert.deepEqual([watched.statuses, watched.errors, service.received.length], [["connecting"], [], 1]);
});

Deno.test("live.activity: the list of the console is read, also after a first join that failed", async () => {
  const list = new FakeInbox();
  list.ids = ["a"];
  await using service = fakeService(list.respond);
  const supabase = new FakeSupabase();
  const client = createParkingClient({ url: service.url, supabase });
  const [states, events, statuses]: [string[][], string[], string[]] = [[], [], []];
  const { close } = client.live.activity({
    onState: ({ items }) => states.push(items.map(({ id }) => id)),
    onEvent: ({ kind, row }) => events.push(`${kind} ${row.id}`),
    onStatus: (status) => statuses.push(status),
  });
  const channel = await eventually(() => supabase.channels[0]);
  assert.equal(channel.topic, "live-user-activity");
  channel.status("TIMED_OUT");
  channel.join();
  await eventually(() => statuses.at(-1) === "live" || undefined);
  list.ids = ["b", "a"];
  channel.change();
  await eventually(() => events[0]);
  await close();
  assert.deepEqual([states[0], states.at(-1), events], [["a"], ["b", "a"], ["insert b"]]);
  assert.deepEqual(statuses, ["connecting", "offline", "live"]);
  const paths = service.received.map(({ path }) => path.split("?")[0]);
  assert.deepEqual([...new Set(paths)], ["/v1/admin/user-activity-logs"]);
});

Deno.test("live: a client without supabase-js has no live: neither as a type nor as a function", () => {
  const client = createParkingClient({ url: "http://127.0.0.1:9", accessToken: "token" });
  // @ts-expect-error no live
  assert.throws(() => client.live.inbox({ onState: () => {} }), /client.live needs supabase-js/);
});
