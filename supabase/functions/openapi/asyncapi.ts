/** Generates the AsyncAPI 3.0 document of the channels of Realtime. The function `openapi` loads it at the first request. */
import { VERSION } from "../_shared/config.ts";
import { jsonSchemas } from "./json_schema.ts";
import { type ChangeEvent, channels, type RealtimeChannel } from "./realtime_channels.ts";

type Schema = Readonly<Record<string, unknown>>;

const description =
  `Supabase Realtime pushes row changes to clients that may read the rows. Clients use supabase-js or any other Realtime
client. docs/clients/realtime.md has snippets, guarantees and limits.

Each frame is a JSON object of Phoenix's serializer, version 1. A client joins a topic, then subscribes to a table by the
\`config\` of the join. A missed change is not sent again: after \`Subscribed to PostgreSQL\`, read the data from the API.`;

interface Message {
  readonly summary: string;
  readonly payload: Schema;
}

const text: Schema = { type: "string" };
const textOrNull: Schema = { type: ["string", "null"] };

function object(properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema {
  return { type: "object", required, properties };
}

/** A frame of the server. Frames of changes, and of the system, have no ref. */
function frame(event: string, topic: Schema, payload: Schema, ref: Schema = { type: "null" }): Schema {
  return object({ topic, event: { const: event }, payload, ref });
}

/** A frame of the client. The server copies `ref` to its reply. */
function request(event: string, topic: Schema, payload: Schema): Schema {
  return object({ topic, event: { const: event }, payload, ref: text, join_ref: textOrNull }, [
    "topic",
    "event",
    "payload",
    "ref",
  ]);
}

const anyTopic: Schema = { type: "string", pattern: "^realtime:." };
const reply = (topic: Schema, status: "ok" | "error", response: Schema) =>
  frame("phx_reply", topic, object({ status: { const: status }, response }), text);

/** The frames that every channel has. */
const shared: Readonly<Record<string, Message>> = {
  joinError: {
    summary: "The join is rejected: the token is invalid, or the topic is not for this user",
    payload: reply(anyTopic, "error", object({ reason: text })),
  },
  system: {
    summary: "The subscription is active (`Subscribed to PostgreSQL`), is rejected, or the token has expired",
    payload: frame(
      "system",
      anyTopic,
      object({
        extension: { type: "string", enum: ["postgres_changes", "system"] },
        status: { type: "string", enum: ["ok", "error"] },
        message: text,
        channel: text,
      }),
    ),
  },
  error: {
    summary: "The channel failed. The client joins again.",
    payload: frame("phx_error", anyTopic, { type: "object" }, textOrNull),
  },
  close: {
    summary: "The channel is closed",
    payload: frame("phx_close", anyTopic, { type: "object" }, textOrNull),
  },
  accessToken: {
    summary: "Replaces the access token of the channel. There is no reply.",
    payload: request("access_token", anyTopic, object({ access_token: text })),
  },
  leave: { summary: "Leaves the channel", payload: request("phx_leave", anyTopic, { type: "object" }) },
  left: { summary: "The reply to a leave", payload: reply(anyTopic, "ok", { type: "object" }) },
  heartbeat: {
    summary: "Keeps the connection open. Send it every 25 seconds.",
    payload: request("heartbeat", { const: "phoenix" }, { type: "object" }),
  },
  heartbeatReply: {
    summary: "The reply to a heartbeat",
    payload: reply({ const: "phoenix" }, "ok", { type: "object" }),
  },
};

const COMMON = ["joinError", "system", "error", "close", "accessToken", "leave", "left"];

/** The subscription in the `config` of a join, and in the reply with its number. */
function subscription({ event, table, filter }: RealtimeChannel): Record<string, Schema> {
  return {
    event: { const: event },
    schema: { const: "public" },
    table: { const: table },
    ...(filter ? { filter: { type: "string", pattern: "^user_id=eq\\.[0-9a-f-]{36}$" } } : {}),
  };
}

function join(channel: RealtimeChannel): Schema {
  const config = object({
    private: { const: true },
    postgres_changes: { type: "array", minItems: 1, items: object(subscription(channel)) },
  });
  return request("phx_join", topicOf(channel), object({ config, access_token: text }));
}

function joined(channel: RealtimeChannel): Schema {
  const numbered = object({ id: { type: "integer" }, ...subscription(channel) });
  return reply(topicOf(channel), "ok", object({ postgres_changes: { type: "array", items: numbered } }));
}

const topicOf = ({ topic }: RealtimeChannel): Schema =>
  topic.includes("{uid}")
    ? { type: "string", pattern: `^realtime:${topic.replace("{uid}", "[0-9a-f-]{36}").replace("eq.", "eq\\.")}$` }
    : { const: `realtime:${topic}` };

/** A change. `record` is empty if the role may not read the table. */
function change(channel: RealtimeChannel, type: ChangeEvent): Schema {
  const id = rowOf(channel);
  const ref = { $ref: `#/components/schemas/${id}` };
  const keys = Object.fromEntries(
    channel.key.map((name) => [name, { $ref: `#/components/schemas/${id}/properties/${name}` }]),
  );
  const data = {
    schema: { const: "public" },
    table: { const: channel.table },
    type: { const: type },
    commit_timestamp: { type: ["string", "null"], format: "date-time" },
    columns: { type: "array", items: object({ name: text, type: text }) },
    ...(type === "DELETE" ? {} : { record: { anyOf: [ref, { type: "object", maxProperties: 0 }] } }),
    ...(type === "INSERT" ? {} : {
      old_record: { anyOf: [object(keys), { type: "object", maxProperties: 0 }], description: "The primary key" },
    }),
    errors: {
      anyOf: [{ type: "array", items: text }, { type: "null" }],
      description: "`Error 413: Payload Too Large` or `Error 401: Unauthorized`. Null if the change is whole.",
    },
  };
  // A delete that the role may not read has no key.
  const required = Object.keys(data).filter((name) => type !== "DELETE" || name !== "old_record");
  const ids = { type: "array", items: { type: "integer" }, description: "Numbers of the subscriptions, from the join" };
  return frame("postgres_changes", topicOf(channel), object({ ids, data: object(data, required) }));
}

function rowOf({ row }: RealtimeChannel): string {
  return row.meta()!.id!;
}

const bindings = {
  ws: {
    query: object({
      apikey: { type: "string", description: "The publishable key of the project" },
      vsn: { const: "1.0.0" },
    }),
  },
};

function channelOf(channel: RealtimeChannel) {
  const messages = ["Join", "Joined", ...channel.events.map(inPascalCase)].map((suffix) => channel.name + suffix);
  return {
    address: `realtime:${channel.topic}`,
    title: channel.topic,
    description: `Changes of the table \`${channel.table}\`. Receiver: ${channel.receiver}.`,
    messages: references([...messages, ...COMMON]),
    ...(channel.filter ? { parameters: { uid: { description: "The id of the user" } } } : {}),
    bindings,
  };
}

const references = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));

const inPascalCase = (event: ChangeEvent) => event[0] + event.slice(1).toLowerCase();

function messagesOf(channel: RealtimeChannel) {
  const { name, table } = channel;
  return {
    [`${name}Join`]: { summary: `Joins the channel and subscribes to ${table}`, payload: join(channel) },
    [`${name}Joined`]: { summary: "The join is accepted", payload: joined(channel) },
    ...Object.fromEntries(channel.events.map((event) => [
      name + inPascalCase(event),
      { summary: `${event} of ${table}`, payload: change(channel, event) },
    ])),
  };
}

const messagesIn = (channel: string, names: readonly string[]) =>
  names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));

const secured = { security: [{ $ref: "#/components/securitySchemes/accessToken" }] };

function exchange(channel: string, summary: string, request: string, replies: readonly string[]) {
  const at = { $ref: `#/channels/${channel}` };
  return {
    action: "receive",
    channel: at,
    summary,
    messages: messagesIn(channel, [request]),
    reply: { channel: at, messages: messagesIn(channel, replies) },
  };
}

/** The operations of the service: it receives requests and sends changes. */
function operationsOf({ name, events, topic }: RealtimeChannel) {
  const at = { $ref: `#/channels/${name}` };
  const pascal = name[0]!.toUpperCase() + name.slice(1);
  const pushed = [...events.map((event) => name + inPascalCase(event)), "system", "error", "close"];
  return {
    [`join${pascal}`]: {
      ...exchange(name, `Join ${topic}`, `${name}Join`, [`${name}Joined`, "joinError"]),
      ...secured,
    },
    [`leave${pascal}`]: exchange(name, `Leave ${topic}`, "leave", ["left"]),
    [`refresh${pascal}`]: {
      action: "receive",
      channel: at,
      summary: "Replace the access token",
      messages: messagesIn(name, ["accessToken"]),
      ...secured,
    },
    [`push${pascal}`]: { action: "send", channel: at, summary: "Push changes", messages: messagesIn(name, pushed) },
  };
}

export function asyncApiDocument() {
  const { components } = jsonSchemas(Object.fromEntries(channels.map((channel) => [channel.name, channel.row])));
  const messages: Record<string, Message> = { ...shared, ...Object.assign({}, ...channels.map(messagesOf)) };
  const security = [{ $ref: "#/components/securitySchemes/apikey" }];
  return {
    asyncapi: "3.0.0",
    info: { title: "Parking lot service: Realtime", version: VERSION, description },
    defaultContentType: "application/json",
    servers: {
      hosted: {
        host: "{project}.supabase.co",
        pathname: "/realtime/v1/websocket",
        protocol: "wss",
        description: "A hosted project",
        variables: { project: { description: "The reference of the project" } },
        security,
      },
      local: {
        host: "127.0.0.1:54321",
        pathname: "/realtime/v1/websocket",
        protocol: "ws",
        description: "A local platform on this machine",
        security,
      },
    },
    channels: {
      ...Object.fromEntries(channels.map((channel) => [channel.name, channelOf(channel)])),
      connection: {
        address: "phoenix",
        description: "The connection itself",
        messages: references(["heartbeat", "heartbeatReply"]),
        bindings,
      },
    },
    operations: {
      ...Object.assign({}, ...channels.map(operationsOf)),
      heartbeat: exchange("connection", "Keep the connection open", "heartbeat", ["heartbeatReply"]),
    },
    components: {
      schemas: components,
      messages: Object.fromEntries(Object.entries(messages).map(([name, message]) => [name, { name, ...message }])),
      securitySchemes: {
        apikey: { type: "httpApiKey", name: "apikey", in: "query", description: "The publishable key of the project" },
        accessToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The access token of the user, as `access_token` in the payload of the join",
        },
      },
    },
  };
}
