// The frames of a client without a library, and those that it receives, match the messages of asyncapi.json.
import assert from "node:assert/strict";
import { Ajv } from "ajv";
import { asyncApiDocument } from "../../supabase/functions/openapi/asyncapi.ts";
import { channels, type RealtimeChannel } from "../../supabase/functions/openapi/realtime_channels.ts";
import { atOnce } from "../support/at_once.ts";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { connect, logActivity, notify, notifyAdmins } from "./activities.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

interface Frame {
  readonly topic: string;
  readonly event: string;
  readonly payload: { readonly status?: string; readonly data?: { readonly type: string } };
}

const document = asyncApiDocument();
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(document, "asyncapi");

const channelMessages = (channel: string) =>
  Object.keys((document.channels as Record<string, { messages: object }>)[channel]!.messages);

/** The messages of a channel that a frame matches. */
function matching(channel: string, frame: unknown): string[] {
  return channelMessages(channel).filter((name) =>
    ajv.validate({ $ref: `asyncapi#/components/messages/${name}/payload` }, frame)
  );
}

function open(): { socket: WebSocket; received: Frame[] } {
  const url = `${stack().apiUrl.replace(/^http/, "ws")}/realtime/v1/websocket`;
  const socket = new WebSocket(`${url}?apikey=${stack().publishableKey}&vsn=1.0.0`);
  const received: Frame[] = [];
  socket.onmessage = ({ data }) => received.push(JSON.parse(data));
  return { socket, received };
}

/** Writes the rows whose changes the channel pushes. */
const WRITES: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
  userNotifications: async ({ id }) => {
    const notification = await notify(sql, id);
    await sql`update public.user_notifications set read_at = now() where id = ${notification}`;
  },
  parkingSessions: async ({ id }) => {
    const lot = await newLot(sql);
    await sql`insert into public.parking_sessions (user_id, parking_lot_id) values (${id}, ${lot})`;
    await sql`update public.parking_sessions set status = 'cancelled' where user_id = ${id}`;
  },
  userBadges: ({ id }) =>
    sql`insert into public.user_badges (user_id, badge_id) select ${id}, id from public.badges limit 1`,
  liveUserActivity: async () => logActivity(sql, (await signUp()).id),
  adminNotificationsSidebar: async () => {
    const notification = await notifyAdmins(sql);
    await sql`update public.admin_notifications set title = 'Other' where id = ${notification}`;
    return notification;
  },
};

async function messagesOf(channel: RealtimeChannel): Promise<Set<string>> {
  const person = await signUp(channel.filter ? {} : { appMetadata: { admin: { areas: ["users"] } } });
  const topic = `realtime:${channel.topic.replace("{uid}", person.id)}`;
  const { socket, received } = open();
  await new Promise((resolve, reject) => [socket.onopen, socket.onerror] = [resolve, reject]);
  const seen = new Set<string>();
  const send = (event: string, payload: unknown, to = topic, name = channel.name) => {
    const frame = { topic: to, event, payload, ref: String(seen.size), join_ref: to === topic ? "0" : null };
    const [message, ...others] = matching(name, frame);
    assert.ok(message && others.length === 0, `${event}: ${JSON.stringify(frame)}`);
    seen.add(message);
    socket.send(JSON.stringify(frame));
  };
  const arrives = (is: (frame: Frame) => boolean) => eventually(() => received.some(is) || undefined);

  const { event, table } = channel;
  const filter = channel.filter ? { filter: channel.filter.replace("{uid}", person.id) } : {};
  const config = { private: true, postgres_changes: [{ event, schema: "public", table, ...filter }] };
  send("phx_join", { config, access_token: person.token });
  await arrives((frame) => frame.event === "system" && frame.payload.status === "ok");
  const written = await WRITES[channel.name]!(person);
  for (const type of channel.events.filter((type) => type !== "DELETE")) {
    await arrives((frame) => frame.payload.data?.type === type);
  }
  if (channel.events.includes("DELETE")) {
    await sql`delete from public.admin_notifications where id = ${written as string}`;
    await arrives((frame) => frame.payload.data?.type === "DELETE");
  }
  send("access_token", { access_token: person.token });
  send("heartbeat", {}, "phoenix", "connection");
  await arrives((frame) => frame.topic === "phoenix");
  send("phx_leave", {});
  await arrives((frame) => frame.event === "phx_close");
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;

  for (const frame of received) {
    const matches = matching(frame.topic === "phoenix" ? "connection" : channel.name, frame);
    assert.ok(matches.length > 0, JSON.stringify(frame));
    for (const name of matches) seen.add(name);
  }
  return seen;
}

for (const channel of channels) {
  Deno.test(
    `asyncapi.json: the frames of ${channel.name} match its messages`,
    atOnce(async () => {
      const seen = await messagesOf(channel);
      // The next test sees the first. The second needs a failure of the server.
      const rare = ["joinError", "error"];
      assert.deepEqual(channelMessages(channel.name).filter((name) => !seen.has(name) && !rare.includes(name)), []);
    }),
  );
}

Deno.test(
  "asyncapi.json: the error reply to a join of another user's topic matches joinError",
  atOnce(async () => {
    const [person, other] = [await signUp(), await signUp()];
    const { socket, received } = open();
    await new Promise((resolve) => socket.onopen = resolve);
    const topic = `realtime:user_badges:user_id=eq.${other.id}`;
    const payload = { config: { private: true, postgres_changes: [] }, access_token: person.token };
    socket.send(JSON.stringify({ topic, event: "phx_join", payload, ref: "1" }));
    const frame = await eventually(() => received[0]);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
    assert.deepEqual(matching("userBadges", frame), ["joinError"]);
  }),
);
