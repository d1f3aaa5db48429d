// Random changes by several writers, fifty subscribers with different bindings, and a model of what each should receive.
// Each expected event arrives once, in the order of its row, and no others arrive.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { eventually } from "../support/eventually.ts";
import { chance } from "../support/random.ts";
import { newLot, newUser } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { connect, notify } from "./activities.ts";
import { type Binding, Client, type JoinedChannel, keyOf, type ReceivedChange } from "./listen.ts";
import { change, type Model, type Row, startingModel } from "./many.ts";
import { volume } from "../support/sizes.ts";

const CHANGES = volume("REALTIME_CHANGES", 800, 5_000);
/** What is shown or hidden changes at the start of a round, when all changes of the round before are received. */
const ROUND = 250;
const WRITERS = 4;

interface Subscriber {
  readonly name: string;
  /** Undefined for an anonymous user. */
  readonly user?: string;
  readonly bindings: readonly Binding[];
  /** Which rows the policies show. */
  sees(row: Row): boolean;
}

interface Joined {
  readonly subscriber: Subscriber;
  readonly client: Client;
  readonly listening: JoinedChannel;
}

const OWN = ["user_notifications", "parking_sessions", "user_badges"];
const filtered = (user: string) => OWN.map((table) => ({ table, filter: `user_id=eq.${user}` }));
const unfiltered = [...OWN, "user_activity_logs"].map((table) => ({ table }));

async function audience(sql: Sql): Promise<{ users: string[]; subscribers: Subscriber[] }> {
  const users = await Promise.all(Array.from({ length: 40 }, () => newUser(sql)));
  const [suspended, other] = [await newUser(sql), users[0]!];
  await sql`update public.app_users set status = 'suspended' where id = ${suspended}`;
  const own = (user: string) => (row: Row) => row.user === user && row.shown && row.table !== "user_activity_logs";
  const admin = async (...areas: string[]): Promise<Subscriber> => {
    const id = crypto.randomUUID();
    await sql`insert into auth.users (id, email, raw_app_meta_data)
      values (${id}, ${`${id}@example.test`}, ${sql.json({ admin: { areas } })})`;
    return {
      name: `administrator of ${areas}`,
      user: id,
      bindings: [{ table: "user_activity_logs", event: "INSERT" }, { table: "admin_notifications" }],
      sees: ({ table, area }) =>
        (table === "user_activity_logs" && areas.includes("users")) ||
        (table === "admin_notifications" && (area === null || areas.includes(area!))),
    };
  };
  return {
    users: [...users, suspended],
    subscribers: [
      ...users.slice(0, 30).map((user) => ({ name: "filtered", user, bindings: filtered(user), sees: own(user) })),
      ...users.slice(30, 36).map((user) => ({ name: "unfiltered", user, bindings: unfiltered, sees: own(user) })),
      ...users.slice(36, 39).map((user) => ({
        name: "updates of several",
        user,
        bindings: [{ table: "user_notifications", event: "UPDATE" as const, filter: `user_id=in.(${user},${other})` }],
        sees: own(user),
      })),
      ...users.slice(37, 40).map((user) => ({ name: "curious", user, bindings: filtered(other), sees: own(user) })),
      { name: "suspended", user: suspended, bindings: filtered(suspended), sees: () => false },
      { name: "suspended", user: suspended, bindings: unfiltered, sees: () => false },
      { name: "anonymous", bindings: [{ table: "no_table" }], sees: () => false },
      ...await Promise.all([admin("lots"), admin("lots", "support"), admin("support"), admin("reviews"), admin()]),
    ],
  };
}

async function join(subscriber: Subscriber): Promise<Joined> {
  const client = new Client(
    subscriber.user === undefined ? {} : { token: token(subscriber.user, { secret: stack().jwtSecret }) },
  );
  const listening = await client.join("many", ...subscriber.bindings);
  if (subscriber.name === "anonymous") await listening.reaches("SUBSCRIBED");
  else await listening.ready();
  return { subscriber, client, listening };
}

/** Somebody whose notification comes when everything before it has been looked at, for whomever. */
async function aWitness(sql: Sql): Promise<Joined & { readonly user: string }> {
  const user = await newUser(sql);
  const one = await join({ name: "witness", user, bindings: filtered(user), sees: () => false });
  return { ...one, user };
}

/** A change as a subscriber receives it: its row, the event, and the mark of the row at that time. */
interface Expected {
  readonly binding: number;
  readonly text: string;
}

function expectedOf({ bindings, sees }: Subscriber, row: Row, type: string): Expected[] {
  return bindings.flatMap(({ table, event, filter }, binding) => {
    if (table !== row.table || (event !== undefined && event !== type)) return [];
    // A deleted row has only its key: policies are not checked, and a filter on the user never passes.
    if (type === "DELETE") return filter === undefined ? [{ binding, text: `DELETE ${row.id}` }] : [];
    if (!sees(row) || (filter !== undefined && !filter.includes(row.user!))) return [];
    return [{ binding, text: `${type} ${row.id} ${row.mark}` }];
  });
}

function textOf(change: ReceivedChange): string {
  const { id, title, memo, earned_at, subject_id } =
    (change.eventType === "DELETE" ? change.old : change.new) as Record<
      string,
      string
    >;
  if (change.eventType === "DELETE") return `DELETE ${id}`;
  const mark = {
    user_notifications: title,
    admin_notifications: title,
    parking_sessions: memo,
    user_badges: Date.parse(earned_at ?? "") / 1000,
    user_activity_logs: subject_id?.slice(-12),
  }[change.table];
  return `${change.eventType} ${id} ${Number(mark)}`;
}

Deno.test(`realtime: of ${CHANGES} random changes each of 50 subscribers receives its own, once, and no others`, async () => {
  const sql = connect();
  const { users, subscribers } = await audience(sql);
  assert.equal(subscribers.length, 50);
  const lot = await newLot(sql);
  const badges = (await sql<{ id: string }[]>`select id from public.badges order by id`).map(({ id }) => id);
  const joined = await Promise.all(subscribers.map(join));
  const witness = await aWitness(sql);
  const expected = new Map<Subscriber, Expected[]>(subscribers.map((subscriber) => [subscriber, []]));

  const writers = Array.from({ length: WRITERS }, (_, n): { model: Model; sql: Sql } => ({
    model: startingModel(chance(7_000 + n), users.filter((_, at) => at % WRITERS === n), lot, badges),
    sql: connect(),
  }));
  for (let done = 0; done < CHANGES; done += ROUND) {
    await Promise.all(writers.map(async (writer) => {
      for (const { row, type } of await change(writer.sql, writer.model, Math.min(ROUND, CHANGES - done) / WRITERS)) {
        for (const subscriber of subscribers) expected.get(subscriber)!.push(...expectedOf(subscriber, row, type));
      }
    }));
    for (const { subscriber, listening } of joined) {
      const wanted = expected.get(subscriber)!.length;
      await eventually(() =>
        listening.received.filter((change) => isOurs(writers, change)).length >= wanted || undefined
      );
    }
    await witness.listening.until(await notify(sql, witness.user));
  }
  // Whatever is too much has come as well, before the answer to a heartbeat.
  for (const { client } of joined) await client.settled();

  let events = 0;
  for (const { subscriber, listening } of joined) {
    const ours = listening.received.filter((change) => isOurs(writers, change));
    const wanted = expected.get(subscriber)!;
    events += wanted.length;
    const inWords = ({ binding, text }: Expected) => `${binding} ${text}`;
    assert.deepEqual(
      ours.map((change) => inWords({ binding: change.binding, text: textOf(change) })).sort(),
      wanted.map(inWords).sort(),
      `${subscriber.name} ${subscriber.user}`,
    );
    assertOrder(ours);
    assert.ok(ours.every(({ errors }) => errors === null));
  }
  assert.ok(events > CHANGES / 2, `only ${events} events were expected`);
  console.log(`${CHANGES} changes, ${events} events`);

  for (const { client } of [...joined, witness]) await client[Symbol.asyncDispose]();
  for (const each of [sql, ...writers.map((writer) => writer.sql)]) await each.end();
});

/** The platform is shared, and an award writes a notification by itself: those are not counted. */
function isOurs(writers: readonly { model: Model }[], change: ReceivedChange): boolean {
  return writers.some(({ model }) => model.known.has(String(keyOf(change))));
}

/** The changes of one row come in the order in which they were made. */
function assertOrder(changes: readonly (ReceivedChange & { readonly binding: number })[]): void {
  const last = new Map<string, number>();
  for (const each of changes) {
    const [type, id, mark] = textOf(each).split(" ") as [string, string, string | undefined];
    const key = `${each.binding} ${id}`;
    const at = type === "DELETE" ? Infinity : Number(mark);
    assert.ok(at > (last.get(key) ?? -1), `${key}: ${at} after ${last.get(key)}`);
    last.set(key, at);
  }
}
